// The list of evaluations looks for new ones every five seconds, while somebody can see it. What is read does not move.
(() => {
  setInterval(() => {
    const fresh = document.querySelector("[data-fresh]");
    if (fresh && !document.hidden && !fresh.contains(document.activeElement)) htmx.trigger(fresh, "look");
  }, 5000);
})();
