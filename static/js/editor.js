// The code editor, in place of each textarea[data-code]. The textarea stays in the form, hidden, and always holds the
// same text; without scripts it is the editor. Esc, then Tab leaves.
(() => {
  const { EditorState, StateField, StateEffect, EditorView, keymap, lineNumbers, placeholder, gutter, GutterMarker, Decoration, ViewPlugin } = CodeMirror;
  const { history, historyKeymap, selectAll, cursorDocStart, cursorDocEnd, selectDocStart, selectDocEnd, cursorPageUp, cursorPageDown, StringStream, python, shell } = CodeMirror;
  const INDENT = 4;
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

  // --- colours: the words of CodeMirror's stream parsers, as classes
  const prompt = { startState: () => ({}), token: (stream) => (stream.match("$ARGUMENTS") ? "arguments" : (stream.next(), null)) };
  const WORDS = [[/^"(?:[^"\\]|\\.)*"(?=\s*:)/, "property"], [/^"(?:[^"\\]|\\.)*"?/, "string"], [/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/, "number"], [/^(?:true|false|null)\b/, "keyword"]];
  const json = { startState: () => ({}), token: (stream) => WORDS.find(([word]) => stream.match(word))?.[1] ?? (stream.next(), null) };
  const parserOf = (kind, text) => (kind === "prompt" ? prompt : kind === "json" ? json : text.split("\n", 1)[0].includes("python") ? python : shell);

  const coloured = (kind, { state, viewport }) => {
    const { doc } = state;
    const parser = parserOf(kind, doc.line(1).text);
    const memory = parser.startState(INDENT);
    const marks = [];
    for (let line = doc.line(1); line.from <= viewport.to; line = doc.line(line.number + 1)) {
      const stream = new StringStream(line.text, INDENT, INDENT);
      if (stream.eol()) parser.blankLine?.(memory, INDENT);
      while (!stream.eol()) {
        stream.start = stream.pos;
        const word = parser.token(stream, memory);
        if (stream.pos === stream.start && (stream.stuck = (stream.stuck ?? 0) + 1) > 10) stream.next();
        if (word && stream.pos > stream.start && line.to >= viewport.from) {
          const names = word.split(/[ .]/).map((name) => `tok-${name}`).join(" ");
          marks.push(Decoration.mark({ class: names }).range(line.from + stream.start, line.from + stream.pos));
        }
        if (stream.pos > stream.start) stream.stuck = 0;
      }
      if (line.number === doc.lines) break;
    }
    return Decoration.set(marks);
  };
  const colours = (kind) =>
    ViewPlugin.define(
      (view) => ({
        decorations: coloured(kind, view),
        update(update) {
          if (update.docChanged || update.viewportChanged) this.decorations = coloured(kind, update.view);
        },
      }),
      { decorations: (plugin) => plugin.decorations },
    );

  // --- Tab indents, Enter goes on at the same depth
  const eachLine = ({ state, dispatch }, change) => {
    const { from, to } = state.selection.main;
    const changes = [];
    for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
      changes.push(...change(line));
      if (line.to >= to) break;
    }
    dispatch(state.update({ changes }));
    return true;
  };
  const indent = (view) => {
    if (!view.state.selection.main.empty) return eachLine(view, (line) => [{ from: line.from, insert: " ".repeat(INDENT) }]);
    view.dispatch(view.state.replaceSelection(" ".repeat(INDENT)), { scrollIntoView: true });
    return true;
  };
  const outdent = (view) =>
    eachLine(view, (line) => {
      const blanks = Math.min(INDENT, line.text.length - line.text.trimStart().length);
      return blanks ? [{ from: line.from, to: line.from + blanks }] : [];
    });
  const newLine = (view) => {
    const { state } = view;
    const { from } = state.selection.main;
    const line = state.doc.lineAt(from);
    const before = line.text.slice(0, from - line.from);
    const deeper = before.trimEnd().endsWith(":") ? " ".repeat(INDENT) : "";
    view.dispatch(state.replaceSelection(`\n${/^[ \t]*/.exec(before)[0]}${deeper}`), { scrollIntoView: true });
    return true;
  };
  const keys = [
    { key: "Mod-a", run: selectAll },
    { key: "Mod-Home", run: cursorDocStart, shift: selectDocStart },
    { key: "Mod-End", run: cursorDocEnd, shift: selectDocEnd },
    { key: "PageUp", run: cursorPageUp },
    { key: "PageDown", run: cursorPageDown },
  ];

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
    hint.textContent = document.body.dataset.wordLeaveEditor;
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
        colours(kind),
        kind === "prompt" ? EditorView.lineWrapping : [],
        area.placeholder ? placeholder(area.placeholder) : [],
        readonly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
        EditorView.contentAttributes.of(readonly ? { ...attributes, "aria-readonly": "true" } : attributes),
        keymap.of([
          { key: "Escape", run: (view) => (view.setTabFocusMode(true), announce(document.body.dataset.wordLeft), false) },
          // Without indentation of a prompt by Tab, that key just goes on.
          ...(kind === "prompt" ? [] : [{ key: "Tab", run: indent, shift: outdent }, { key: "Enter", run: newLine }]),
          ...keys,
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
