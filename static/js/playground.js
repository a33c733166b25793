// A thread as it grows: it stays at its end while one reads there, and nothing is shown twice.
(() => {
  const scrolls = document.getElementById("scrolls");
  if (!scrolls) return;
  const atEnd = () => scrolls.scrollHeight - scrolls.scrollTop - scrolls.clientHeight < 120;
  let follow = true;
  const toEnd = () => (scrolls.scrollTop = scrolls.scrollHeight);
  scrolls.addEventListener("scroll", () => (follow = atEnd()));
  new MutationObserver(() => follow && toEnd()).observe(scrolls, { childList: true, subtree: true });
  if (!location.search.includes("before=")) toEnd();

  // Two answers may cross: what stands in the log already is not appended again.
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    if (event.detail.target?.id !== "log") return;
    for (const entry of [...event.detail.fragment.querySelectorAll("[id^=e-]")]) if (document.getElementById(entry.id)) entry.remove();
    document.querySelector(".pg-hint")?.remove();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.target.closest("[data-composer]")?.requestSubmit();
  });
  document.addEventListener("submit", (event) => event.target.matches("[data-composer]") && (follow = true));
})();
