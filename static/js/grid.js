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
    const text = `${whole ? found : chosen.length} selected`;
    if (chosen.length && byId("bulk-count").textContent !== text) byId("bulk-count").textContent = text;
    const more = byId("bulk-found");
    more.hidden = whole || chosen.length < all.length || found <= all.length;
    more.textContent = `Select all ${found}`;
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

  // --- a row moved: at once on the page, then on the server
  const rowsBeside = (row) => [...row.parentElement.querySelectorAll("tr.hook")];
  const place = (row) => Number(row.querySelector(".place").textContent);
  const renumber = (row, first) => rowsBeside(row).forEach((one, index) => (one.querySelector(".place").textContent = first + index));
  const step = (row, down) => {
    const rows = rowsBeside(row);
    const first = place(rows[0]);
    const other = rows[rows.indexOf(row) + (down ? 1 : -1)];
    if (!other) return false;
    if (down) other.after(row);
    else other.before(row);
    renumber(row, first);
    return true;
  };
  const send = (row) => {
    const handle = row.querySelector(".handle");
    post(handle.dataset.url, byId("row-acts"), { to: place(row) });
  };

  let waiting = 0;
  let moved = null;
  const sendNow = () => {
    clearTimeout(waiting);
    const row = moved;
    moved = null;
    if (row?.isConnected) send(row);
  };
  document.addEventListener("keydown", (event) => {
    const handle = event.target.closest?.(".handle");
    if (!handle || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    const row = handle.closest("tr");
    const down = event.key === "ArrowDown";
    if (moved && moved !== row) sendNow();
    if (!step(row, down)) {
      say(`${handle.dataset.name} is the ${down ? "last" : "first"} of its event on this page`);
      return;
    }
    handle.focus();
    row.scrollIntoView({ block: "nearest" });
    say(`${handle.dataset.name} is number ${place(row)}`);
    moved = row;
    clearTimeout(waiting);
    waiting = setTimeout(sendNow, 600);
  });
  addEventListener("pagehide", () => clearTimeout(waiting));

  let drag = null;
  document.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle");
    if (!handle || event.button) return;
    const row = handle.closest("tr");
    drag = { row, handle, from: place(row), pointer: event.pointerId };
    handle.setPointerCapture(event.pointerId);
    row.classList.add("is-dragged");
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    for (let turns = rowsBeside(drag.row).length; turns > 0; turns -= 1) {
      const box = drag.row.getBoundingClientRect();
      if (event.clientY >= box.top && event.clientY <= box.bottom) break;
      if (!step(drag.row, event.clientY > box.bottom)) break;
    }
  });
  const drop = (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    const { row, from } = drag;
    row.classList.remove("is-dragged");
    drag = null;
    if (place(row) !== from) send(row);
  };
  document.addEventListener("pointerup", drop);
  document.addEventListener("pointercancel", drop);
})();
