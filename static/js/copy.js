// Buttons that copy the text of an element. Hidden where the browser has no clipboard: over plain HTTP from elsewhere.
(() => {
  const offer = () => document.querySelectorAll("[data-copy]").forEach((button) => (button.hidden = !navigator.clipboard));
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    const words = button.lastElementChild;
    words.textContent = button.dataset.copied;
    document.getElementById("live").textContent = button.dataset.copied;
  });
  document.addEventListener("htmx:afterSettle", offer);
  offer();
})();
