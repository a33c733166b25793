// The grid of hooks: buttons of rows act without a new page, rows are selected and moved.
(() => {
  const byId = (id) => document.getElementById(id);
  const table = () => document.querySelector("table.hooks");
  const say = (text) => {
    byId("live").textContent = text;
  };
  const post = (url, source, values) => htmx.ajax("POST", url, { source, target: "#hooks", swap: "outerHTML", values });

  // --- buttons of the form that all rows share
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (event.target.id === "row-acts" && button) {
      event.preventDefault();
      post(button.formAction, button, { [button.name]: button.value });
    } else if (event.target.id === "bulk" && ["enable", "disable"].includes(button?.value)) {
      event.preventDefault();
      // Not .action: that is the buttons of this name.
      post(event.target.getAttribute("action"), event.target, { action: button.value });
    } else if (event.target.id === "bulk") say("");
  });

  // --- which rows are selected
  const boxes = () => [...document.querySelectorAll('#rows input[name="hook"]')];
  const count = () => {
    const bar = byId("bulk");
    if (!bar) return;
    const all = boxes();
    const chosen = all.filter((box) => box.checked);
    const found = Number(byId("rows").dataset.found);
    const whole = byId("bulk-all").value === "1";
    for (const box of all) box.closest("tr").classList.toggle("is-selected", box.checked);
    const head = byId("select-page");
    if (head) {
      head.checked = all.length > 0 && chosen.length === all.length;
      head.indeterminate = chosen.length > 0 && chosen.length < all.length;
    }
    const words = document.body.dataset;
    const text = words.wordSelected.replace("{n}", whole ? found : chosen.length);
    if (chosen.length && byId("bulk-count").textContent !== text) byId("bulk-count").textContent = text;
    const more = byId("bulk-found");
    more.hidden = whole || chosen.length < all.length || found <= all.length;
    more.textContent = words.wordSelectAll.replace("{n}", found);
  };
  document.addEventListener("change", (event) => {
    if (event.target.id === "select-page") for (const box of boxes()) box.checked = event.target.checked;
    else if (event.target.name !== "hook") return;
    byId("bulk-all").value = "";
    count();
  });
  document.addEventListener("click", (event) => {
    if (event.target.id === "bulk-found") {
      byId("bulk-all").value = "1";
      count();
    } else if (event.target.id === "bulk-none") {
      for (const box of boxes()) box.checked = false;
      byId("bulk-all").value = "";
      count();
      byId("select-page")?.focus();
    }
  });
  document.addEventListener("htmx:afterSettle", count);
  addEventListener("pageshow", count);

  // --- a row moved (order.js): at once on the page, then on the server
  document.addEventListener("order:moved", (event) => {
    const handle = event.target.querySelector(".handle");
    if (handle.dataset.url) post(handle.dataset.url, byId("row-acts"), { to: event.detail.place });
  });
})();
