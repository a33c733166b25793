// The form of a hook: only the fields that apply are shown. What is typed in the others is kept, and named in `aside`.
(() => {
  const size = (text) => new TextEncoder().encode(text.replaceAll("\r\n", "\n")).length;
  const SHEBANGS = ["#!/usr/bin/env python3", "#!/bin/bash"];

  const applies = (form) => {
    const event = form.elements.event.value;
    const type = form.elements.type.value;
    const tool = event === "PreToolUse" || event === "PostToolUse";
    return {
      event,
      type,
      fields: {
        prompt: type === "prompt",
        model: type === "prompt",
        script: type === "command",
        command: type === "command",
        matcher: tool,
        maxRejections: event === "Stop" && type === "prompt",
      },
    };
  };

  const toggle = (form) => {
    const { event, type, fields } = applies(form);
    const aside = [];
    for (const [name, shown] of Object.entries(fields)) {
      form.querySelector(`[data-field="${name}"]`).hidden = !shown;
      form.querySelectorAll(`[data-with="${name}"]`).forEach((part) => (part.hidden = !shown));
      if (!shown) aside.push(name);
    }
    form.elements.aside.value = aside.join(",");
    for (const note of form.querySelectorAll("[data-with-event], [data-with-type]")) {
      const { withEvent, withType } = note.dataset;
      note.hidden = (withEvent && withEvent !== event) || (withType && withType !== type) || false;
    }
    // A command stands instead of a script; an empty one of the two only takes room.
    if (type === "command" && form.elements.script.value && !form.elements.command.value) {
      form.querySelector('[data-field="command"]').hidden = true;
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

  const language = (form) => {
    const chosen = document.getElementById("language");
    const first = form.elements.script.value.split("\n", 1)[0].trimEnd();
    if (SHEBANGS.includes(first)) chosen.value = first;
    chosen.onchange = () => {
      const lines = form.elements.script.value.split("\n");
      if (lines[0].startsWith("#!")) lines.shift();
      form.elements.script.value = [chosen.value, ...(lines.length ? lines : [""])].join("\n");
      form.elements.script.dispatchEvent(new Event("input", { bubbles: true }));
    };
  };

  const insert = (button) => {
    const into = document.getElementById(button.dataset.into);
    into.setRangeText(button.dataset.insert, into.selectionStart, into.selectionEnd, "end");
    into.dispatchEvent(new Event("input", { bubbles: true }));
    into.focus();
  };

  const prepare = () => {
    const form = document.querySelector("[data-hook-form]");
    if (!form) return;
    form.querySelectorAll("[data-caption]").forEach((caption) => (caption.hidden = true));
    form.querySelectorAll("[data-insert]").forEach((button) => (button.hidden = false));
    language(form);
    toggle(form);
    [...form.elements].forEach(count);
  };

  document.addEventListener("change", (event) => event.target.form?.matches("[data-hook-form]") && toggle(event.target.form));
  document.addEventListener("input", (event) => event.target.form?.matches("[data-hook-form]") && count(event.target));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-insert]");
    if (button) insert(button);
  });
  document.addEventListener("htmx:afterSettle", prepare);
  prepare();
})();
