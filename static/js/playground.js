// A thread as it grows: it stays at its end while one reads there, and nothing is shown twice.
(() => {
  const log = document.getElementById("scrolls");
  if (!log) return;
  // On narrow windows the whole page scrolls.
  const scrolls = getComputedStyle(log).overflowY === "auto" ? log : document.getElementById("main");
  const atEnd = () => scrolls.scrollHeight - scrolls.scrollTop - scrolls.clientHeight < 120;
  let follow = true;
  const toEnd = () => (scrolls.scrollTop = scrolls.scrollHeight);
  scrolls.addEventListener("scroll", () => (follow = atEnd()));
  new MutationObserver(() => follow && toEnd()).observe(log, { childList: true, subtree: true });
  if (!location.search.includes("before=")) toEnd();

  // Two answers may cross: what stands in the log already is replaced, not appended again.
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    if (event.detail.target?.id !== "log") return;
    document.querySelector(".pg-hint")?.remove();
    for (const entry of [...event.detail.fragment.querySelectorAll(".entry")]) {
      const known = document.getElementById(entry.id);
      if (!known) continue;
      known.replaceWith(entry);
      htmx.process(entry);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.target.closest("[data-composer]")?.requestSubmit();
  });
  document.addEventListener("submit", (event) => event.target.matches("[data-composer]") && (follow = true));
})();
