// The code editor, in place of each textarea[data-code]. The textarea stays in the form, hidden, and always holds the
// same text; without scripts it is the editor. Esc, then Tab leaves.
(() => {
  const { EditorState, Compartment, StateField, StateEffect, EditorView, keymap, lineNumbers, placeholder, gutter, GutterMarker, Decoration, MatchDecorator, ViewPlugin } = CodeMirror;
  const { standardKeymap, history, historyKeymap, indentWithTab, StreamLanguage, syntaxHighlighting, indentUnit, classHighlighter, python, shell } = CodeMirror;
  const LANGUAGES = { python: StreamLanguage.define(python), bash: StreamLanguage.define(shell) };
  const views = new WeakMap();
  const size = (text) => new TextEncoder().encode(text).length;

  // --- the line that does not parse
  const setFault = StateEffect.define();
  const faultLine = StateField.define({
    create: () => 0,
    update(line, transaction) {
      for (const effect of transaction.effects) if (effect.is(setFault)) return effect.value;
      return transaction.docChanged ? 0 : line;
    },
    provide: (field) =>
      EditorView.decorations.compute([field, "doc"], (state) => {
        const line = state.field(field);
        if (!line || line > state.doc.lines) return Decoration.none;
        return Decoration.set(Decoration.line({ class: "cm-fault" }).range(state.doc.line(line).from));
      }),
  });
  class Marker extends GutterMarker {
    toDOM() {
      const mark = document.createElement("span");
      mark.className = "cm-fault-mark";
      mark.textContent = "●";
      return mark;
    }
  }
  const marker = new Marker();
  const faultGutter = gutter({
    class: "cm-faults",
    lineMarker: (view, block) => (view.state.doc.lineAt(block.from).number === view.state.field(faultLine) ? marker : null),
    lineMarkerChange: (update) => update.startState.field(faultLine) !== update.state.field(faultLine),
  });

  // --- $ARGUMENTS in a prompt
  const found = new MatchDecorator({ regexp: /\$ARGUMENTS/g, decoration: Decoration.mark({ class: "cm-arguments" }) });
  const argumentsMarked = ViewPlugin.define(
    (view) => ({
      decorations: found.createDeco(view),
      update(update) {
        this.decorations = found.updateDeco(update, this.decorations);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  );

  const languageOf = (kind, text) => {
    if (kind === "prompt") return argumentsMarked;
    return text.split("\n", 1)[0].includes("python") ? LANGUAGES.python : LANGUAGES.bash;
  };

  const announce = (text) => (document.getElementById("live").textContent = text);

  const frame = (area) => {
    const ide = document.createElement("div");
    ide.className = "ide";
    const bar = document.createElement("div");
    bar.className = "ide-bar";
    const state = document.getElementById(`${area.id}_state`) ?? document.createElement("span");
    state.id = `${area.id}_state`;
    state.setAttribute("aria-live", "polite");
    const bytes = document.createElement("span");
    const hint = document.createElement("span");
    hint.className = "push faint hide-sm";
    hint.id = `${area.id}_keys`;
    hint.textContent = "Esc, then Tab leaves the editor";
    bar.append(state, bytes, hint);
    ide.append(bar);
    return { ide, bytes, hint };
  };

  const mount = (area) => {
    if (views.has(area)) return;
    const id = area.id;
    const label = document.querySelector(`label[for="${id}"]`);
    label.id = `${id}_label`;
    const { ide, bytes, hint } = frame(area);
    const described = [area.getAttribute("aria-describedby"), hint.id].filter(Boolean).join(" ");
    const language = new Compartment();
    const kind = area.dataset.code;
    const most = Number(area.dataset.mostBytes);
    const count = (text) => {
      const now = size(text);
      bytes.textContent = `${now.toLocaleString("en")} of ${most.toLocaleString("en")} bytes`;
      bytes.classList.toggle("is-over", now > most);
    };
    const attributes = { id, tabindex: "0", "aria-labelledby": label.id, "aria-describedby": described, spellcheck: String(kind === "prompt"), autocapitalize: "off" };
    if (area.getAttribute("aria-invalid")) attributes["aria-invalid"] = "true";
    const readonly = area.matches(":disabled");
    const view = new EditorView({
      doc: area.value,
      extensions: [
        lineNumbers(),
        kind === "prompt" ? [] : faultGutter,
        faultLine,
        history(),
        language.of(languageOf(kind, area.value)),
        syntaxHighlighting(classHighlighter),
        indentUnit.of("    "),
        kind === "prompt" ? EditorView.lineWrapping : [],
        area.placeholder ? placeholder(area.placeholder) : [],
        readonly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
        EditorView.contentAttributes.of(readonly ? { ...attributes, "aria-readonly": "true" } : attributes),
        keymap.of([
          { key: "Escape", run: (view) => (view.setTabFocusMode(true), announce("Tab now leaves the editor"), false) },
          // Without indentation of a prompt by Tab, that key just goes on.
          ...(kind === "prompt" ? [] : [indentWithTab]),
          ...standardKeymap,
          ...historyKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged || update.focusChanged) update.view.setTabFocusMode(false);
          if (!update.docChanged) return;
          const text = update.state.doc.toString();
          count(text);
          if (text !== area.value.replaceAll("\r\n", "\n")) {
            area.value = text;
            area.dispatchEvent(new Event("input", { bubbles: true }));
          }
          const [before, after] = [update.startState, update.state].map((state) => languageOf(kind, state.doc.line(1).text));
          if (before !== after) view.dispatch({ effects: language.reconfigure(after) });
        }),
      ],
    });
    views.set(area, view);
    views.set(view.contentDOM, view);
    document.querySelector(`[data-count-of="${id}"]`)?.remove();
    area.removeAttribute("id");
    area.hidden = true;
    label.addEventListener("click", () => view.focus());
    label.removeAttribute("for");
    ide.append(view.dom);
    area.after(ide);
    count(area.value);
    // Esc is the editor's own here: it must not close a panel or a menu as well.
    view.contentDOM.addEventListener("keydown", (event) => event.key === "Escape" && event.stopPropagation());
    area.addEventListener("input", () => {
      if (area.value !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: area.value } });
    });
    mark(document.getElementById(`${id}_state`));
  };

  // What the server said of it: `data-line` of the state in the bar.
  const mark = (state) => {
    const area = state?.closest(".field")?.querySelector("textarea[data-code]");
    const view = area && views.get(area);
    if (view) view.dispatch({ effects: setFault.of(Number(state.querySelector("[data-line]")?.dataset.line ?? 0)) });
  };

  document.addEventListener("editor:insert", (event) => {
    const view = views.get(event.target);
    view.dispatch(view.state.replaceSelection(event.detail));
    view.focus();
  });
  const prepare = () => document.querySelectorAll("textarea[data-code]").forEach(mount);
  document.addEventListener("htmx:afterSettle", prepare);
  document.addEventListener("hook:checked", () => document.querySelectorAll(".ide-bar > [id$=_state]").forEach(mark));
  prepare();
})();
