// Rows moved by drag, or by the arrow keys of their handle: at once on the page; whoever listens to order:moved stores it.
(() => {
  const say = (text) => {
    document.getElementById("live").textContent = text;
  };
  const rowOf = (handle) => handle.closest("[data-row]");
  const rowsBeside = (row) => [...row.parentElement.querySelectorAll(":scope > [data-row]")];
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
  // `place` is the number that it shows, `index` its place among those beside it.
  const send = (row) => {
    const detail = { place: place(row), index: rowsBeside(row).indexOf(row) };
    row.dispatchEvent(new CustomEvent("order:moved", { bubbles: true, detail }));
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
    const row = rowOf(handle);
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
    const row = rowOf(handle);
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
