// A test under way: seconds tick, output stays at its end while one is there, samples are narrowed down by name.
(() => {
  const byId = (id) => document.getElementById(id);

  // --- seconds, between two answers of the server
  let since = 0;
  const begin = (event) => {
    if (event.detail.elt.id !== "run" && !event.detail.elt.querySelector?.("#run")) return;
    since = performance.now();
  };
  document.addEventListener("htmx:afterSettle", begin);
  setInterval(() => {
    for (const place of document.querySelectorAll("[data-ticks]")) {
      place.textContent = Number(place.dataset.ticks) + Math.floor((performance.now() - since) / 1000);
    }
  }, 1000);

  // --- output: who has scrolled up is left there
  const left = new Map();
  document.addEventListener("htmx:beforeSwap", () => {
    left.clear();
    for (const out of document.querySelectorAll(".live-out")) {
      if (out.scrollTop + out.clientHeight < out.scrollHeight - 8) left.set(out.id, out.scrollTop);
    }
  });
  document.addEventListener("htmx:afterSettle", () => {
    for (const out of document.querySelectorAll(".live-out")) out.scrollTop = left.get(out.id) ?? out.scrollHeight;
  });

  // --- a button that is gone with what it did leaves the focus with the drawer
  let within = false;
  document.addEventListener("htmx:beforeSwap", () => (within = Boolean(byId("panel")?.contains(document.activeElement))));
  document.addEventListener("htmx:afterSettle", () => {
    if (within && document.activeElement === document.body) byId("panel-title")?.focus();
  });

  // --- what to test with
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-test-form] textarea")) {
      const panel = event.target.closest("#panel");
      if (panel) panel.dataset.typed = "yes";
    }
    const list = byId(event.target.dataset?.narrow ?? "");
    if (!list) return;
    const wanted = event.target.value.trim().toLowerCase();
    for (const item of list.children) item.hidden = !item.textContent.toLowerCase().includes(wanted);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("[data-narrow], [name=find]")) event.preventDefault();
  });
})();
