// Custom agents: leaving asks while a draft of hooks is not saved.
(() => {
  let leaving = false;
  const changed = () => Number(document.getElementById("manage")?.dataset.changes ?? 0) > 0;
  document.addEventListener("htmx:configRequest", (event) => (leaving = event.detail.parameters?.do === "save"));
  document.addEventListener("htmx:afterRequest", (event) => event.detail.xhr.status >= 400 && (leaving = false));
  document.addEventListener("click", (event) => event.target.closest("[data-discard]") && (leaving = true));
  addEventListener("beforeunload", (event) => changed() && !leaving && event.preventDefault());
})();
