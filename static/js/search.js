// Quick search: «/» or Ctrl+K goes to the field, arrows go through what is found, Enter opens it.
(() => {
  const field = document.getElementById("find-field");
  if (!field) return;
  const list = () => document.getElementById("found");
  const options = () => [...list().querySelectorAll("[role=option]")];
  const chosen = () => list().querySelector('[aria-selected="true"]');

  const open = (wanted) => {
    const shown = wanted && options().length > 0;
    list().classList.toggle("is-open", shown);
    field.setAttribute("aria-expanded", String(shown));
    if (!shown) choose(null);
  };
  const choose = (option) => {
    chosen()?.setAttribute("aria-selected", "false");
    if (option) {
      option.setAttribute("aria-selected", "true");
      option.scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", option.id);
    } else field.removeAttribute("aria-activedescendant");
  };
  const go = (by) => {
    const all = options();
    const at = all.indexOf(chosen());
    choose(all[(at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by + all.length) % all.length]);
  };

  const typing = (element) => element.closest("input, textarea, select, [contenteditable], [role=textbox]");
  document.addEventListener("keydown", (event) => {
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target);
    const letter = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!slash && !letter) return;
    event.preventDefault();
    if (field.offsetParent) {
      field.focus();
      field.select();
    } else location.href = document.getElementById("find-link").href;
  });

  field.addEventListener("keydown", (event) => {
    const opened = list().classList.contains("is-open");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!options().length) return;
      event.preventDefault();
      open(true);
      go(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && opened && chosen()) {
      event.preventDefault();
      chosen().click();
    } else if (event.key === "Escape" && (opened || field.value)) {
      event.preventDefault();
      event.stopPropagation();
      if (opened) open(false);
      else field.value = "";
    }
  });
  field.addEventListener("focus", () => open(field.value !== ""));
  field.addEventListener("blur", () => open(false));
  // The field keeps the focus while something is pressed in the list, so that a click is not lost.
  document.addEventListener("mousedown", (event) => event.target.closest("#found") && event.preventDefault());
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.id === "found") open(document.activeElement === field && field.value.trim() !== "");
  });
})();
