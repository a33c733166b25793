// The form of a hook: only the fields that apply are shown. What is typed in the others is kept, and named in `aside`.
(() => {
  const size = (text) => new TextEncoder().encode(text.replaceAll("\r\n", "\n")).length;
  const SHEBANGS = ["#!/usr/bin/env python3", "#!/bin/bash"];
  const CHECK_AFTER = 800;
  const touched = new Set();
  const formOf = (element) => (element.form?.matches("[data-hook-form]") ? element.form : null);

  // --- which fields apply
  const applies = (form) => {
    const event = form.elements.event.value;
    const type = form.elements.type.value;
    const tool = event === "PreToolUse" || event === "PostToolUse";
    const { script, command } = form.elements;
    const chosen = document.getElementById("language").value;
    const both = Boolean(script.value && command.value) && !form.dataset.language;
    return {
      event,
      type,
      fields: {
        prompt: type === "prompt",
        model: type === "prompt",
        script: type === "command" && (both || chosen !== "command"),
        command: type === "command" && (both || chosen === "command"),
        matcher: tool,
        maxRejections: event === "Stop" && type === "prompt",
      },
    };
  };

  const toggle = (form) => {
    const { event, type, fields } = applies(form);
    const aside = [];
    for (const [name, shown] of Object.entries(fields)) {
      // A form for one event only has not all of them.
      const field = form.querySelector(`[data-field="${name}"]`);
      if (field) field.hidden = !shown;
      form.querySelectorAll(`[data-with="${name}"]`).forEach((part) => (part.hidden = !shown));
      if (!shown) aside.push(name);
    }
    form.querySelector("[data-language]").hidden = type !== "command";
    form.elements.aside.value = aside.join(",");
    for (const note of form.querySelectorAll("[data-with-event], [data-with-type]")) {
      const { withEvent, withType } = note.dataset;
      note.hidden = (withEvent && withEvent !== event) || (withType && withType !== type) || false;
    }
  };

  const count = (field) => {
    const place = document.querySelector(`[data-count-of="${field.id}"]`);
    const { mostBytes, mostCharacters } = field.dataset;
    if (!place || !field.value || !(mostBytes || mostCharacters)) return;
    const [now, most, unit] = mostBytes ? [size(field.value), mostBytes, "bytes"] : [[...field.value].length, mostCharacters, "characters"];
    const near = now > most * 0.8 || mostBytes;
    place.textContent = near ? `${now.toLocaleString("en")} of ${Number(most).toLocaleString("en")} ${unit}` : "";
  };

  // --- the language of a command hook: the first line of a script, or one command instead of it
  const language = (form) => {
    const chosen = document.getElementById("language");
    const { script, command } = form.elements;
    const first = script.value.split("\n", 1)[0].trimEnd();
    if (SHEBANGS.includes(first)) chosen.value = first;
    const aside = form.elements.aside.value.split(",");
    if (command.value && (!script.value || (aside.includes("script") && !aside.includes("command")))) chosen.value = "command";
    if (aside.includes("script") !== aside.includes("command")) form.dataset.language = chosen.value;
    chosen.onchange = () => {
      form.dataset.language = chosen.value;
      if (chosen.value !== "command") {
        const lines = script.value.split("\n");
        if (lines[0].startsWith("#!")) lines.shift();
        script.value = [chosen.value, ...(lines.length ? lines : [""])].join("\n");
      }
      toggle(form);
      script.dispatchEvent(new Event("input", { bubbles: true }));
    };
  };

  const insert = (button) => {
    const into = document.getElementById(button.dataset.into);
    if (into.isContentEditable) into.dispatchEvent(new CustomEvent("editor:insert", { bubbles: true, detail: button.dataset.insert }));
    else {
      into.setRangeText(button.dataset.insert, into.selectionStart, into.selectionEnd, "end");
      into.dispatchEvent(new Event("input", { bubbles: true }));
      into.focus();
    }
  };

  // --- tiers: buttons that fill in the field above them
  const tier = (form) => {
    const now = form.elements.model.value.trim().toLowerCase() || form.elements.model.placeholder.toLowerCase();
    for (const button of form.querySelectorAll("[data-tier] button")) {
      const chosen = button.value.toLowerCase() === now;
      button.setAttribute("aria-pressed", String(chosen));
      button.closest("tr").classList.toggle("is-selected", chosen);
    }
  };

  // --- faults of a field as one leaves it; the answer goes below the fields, so that the focus stays where it is
  let waiting = 0;
  const check = (form, name) => {
    if (name) touched.add(name);
    if (!touched.size) return;
    form.elements.touched.value = [...touched].join(",");
    htmx.trigger(form.elements.touched, "check");
  };
  const checkSoon = (form, name) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => form.isConnected && check(form, name), CHECK_AFTER);
  };
  const said = (place) => {
    const id = place.id.slice(0, -"_said".length);
    const field = document.getElementById(id);
    if (!field) return;
    const wrong = Boolean(place.querySelector(".fault"));
    if (field.matches("fieldset")) {
      field.classList.toggle("has-fault", wrong);
      return;
    }
    const described = new Set((field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
    described[wrong ? "add" : "delete"](`${id}_error`);
    field.toggleAttribute("aria-invalid", wrong);
    if (wrong) field.setAttribute("aria-invalid", "true");
    if (described.size) field.setAttribute("aria-describedby", [...described].join(" "));
    else field.removeAttribute("aria-describedby");
  };
  // Whether a script parses is said from the start, once.
  const checkCode = (form) => {
    if (form.dataset.checked || !form.querySelector("[data-live]")) return;
    form.dataset.checked = "yes";
    const aside = form.elements.aside.value.split(",");
    const code = ["script", "command"].filter((name) => form.elements[name].value && !aside.includes(name));
    code.forEach((name) => touched.add(name));
    if (code.length) check(form);
  };
  const isField = (name, form) => Boolean(name) && Boolean(form.querySelector(`[data-field="${name}"]`));

  const unsaved = () => document.querySelectorAll("[data-unsaved-badge]").forEach((badge) => (badge.hidden = false));

  const copy = async (button) => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    document.dispatchEvent(new CustomEvent("toast", { detail: { text: document.body.dataset.wordCopied } }));
  };

  const prepare = () => {
    const form = document.querySelector("[data-hook-form]");
    if (!form) return;
    form.querySelectorAll("[data-caption]").forEach((caption) => (caption.hidden = true));
    form.querySelectorAll("[data-insert], [data-tier] button").forEach((button) => (button.hidden = false));
    form.querySelectorAll("[data-tier] span").forEach((name) => (name.hidden = true));
    form.querySelectorAll("[data-copy]").forEach((button) => (button.hidden = !navigator.clipboard));
    if (!form.dataset.prepared) {
      form.dataset.prepared = "yes";
      language(form);
    }
    toggle(form);
    tier(form);
    [...form.elements].forEach(count);
  };

  document.addEventListener("change", (event) => {
    const form = formOf(event.target);
    if (!form) return;
    toggle(form);
    if (["event", "type"].includes(event.target.name)) check(form, event.target.name);
  });
  document.addEventListener("input", (event) => {
    const form = formOf(event.target);
    if (!form || event.target.matches("[data-not-saved]")) return;
    unsaved();
    count(event.target);
    tier(form);
    const { name } = event.target;
    if (event.target.matches("[data-code]") || touched.has(name)) checkSoon(form, name);
  });
  document.addEventListener("focusout", (event) => {
    const form = event.target.closest?.("[data-hook-form]");
    if (!form || !document.hasFocus()) return;
    const field = event.target.closest("[data-field]");
    const name = field?.dataset.field;
    if (!isField(name, form) || field.contains(event.relatedTarget)) return;
    // Not on the way to a button that saves or leaves: that answers for the whole form.
    if (event.relatedTarget?.closest(".ed-foot, .item-foot, .save-bar")) return;
    check(form, name);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("[data-not-saved]")) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.matches("[data-insert]")) insert(button);
    if (button.matches("[data-copy]")) copy(button);
    if (button.closest("[data-tier]")) {
      const { model } = button.form.elements;
      model.value = button.value;
      model.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });

  // --- the preview: what was scrolled to stays in sight
  const scrolled = new Map();
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target.id !== "preview") return;
    for (const part of event.detail.target.querySelectorAll("#yaml, .match")) scrolled.set(part.className, part.scrollTop);
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id !== "preview") return;
    for (const part of document.querySelectorAll("#preview #yaml, #preview .match")) part.scrollTop = scrolled.get(part.className) ?? 0;
  });
  // Not on htmx:oobAfterSwap, which is not sent where what is put there is empty.
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.elt.matches?.("[data-check]")) return;
    document.querySelectorAll("[data-hook-form] .said").forEach(said);
    document.dispatchEvent(new Event("hook:checked"));
  });
  // Not before htmx listens to the form.
  document.addEventListener("htmx:load", () => {
    const form = document.querySelector("[data-hook-form]");
    if (form?.dataset.prepared) checkCode(form);
  });
  document.addEventListener("htmx:afterSettle", () => {
    prepare();
    const form = document.querySelector("[data-hook-form]");
    if (form) checkCode(form);
  });
  prepare();
})();
