// Custom agents: the canvas zoomed, panned and walked by arrow keys; leaving asks while a draft of hooks is not saved.
(() => {
  // --- a draft of hooks
  let leaving = false;
  const changed = () => Number(document.getElementById("manage")?.dataset.changes ?? 0) > 0;
  document.addEventListener("htmx:configRequest", (event) => (leaving = event.detail.parameters?.do === "save"));
  document.addEventListener("htmx:afterRequest", (event) => event.detail.xhr.status >= 400 && (leaving = false));
  document.addEventListener("click", (event) => event.target.closest("[data-discard]") && (leaving = true));
  addEventListener("beforeunload", (event) => changed() && !leaving && event.preventDefault());
  document.addEventListener("order:moved", (event) => {
    const form = event.target.closest("#manage");
    if (!form) return;
    const values = { do: `to:${event.target.querySelector(".handle").dataset.place}`, to: event.detail.index };
    htmx.ajax("POST", form.getAttribute("action"), { source: form, target: "#manage", swap: "outerHTML", values });
  });

  // --- the canvas
  const map = document.getElementById("map");
  if (!map) return;
  const view = map.parentElement;
  const zoomBar = document.querySelector(".zoom");
  const [, , width, height] = map.getAttribute("viewBox").split(" ").map(Number);
  let scale = 1;
  const zoom = (wanted) => {
    const middle = [(view.scrollLeft + view.clientWidth / 2) / scale, (view.scrollTop + view.clientHeight / 2) / scale];
    scale = Math.min(2, Math.max(0.1, wanted));
    map.setAttribute("width", width * scale);
    map.setAttribute("height", height * scale);
    view.scrollTo(middle[0] * scale - view.clientWidth / 2, middle[1] * scale - view.clientHeight / 2);
    zoomBar.querySelector("output").textContent = `${Math.round(scale * 100)} %`;
  };
  const fit = () => zoom(Math.min(1, view.clientWidth / width, view.clientHeight / height));
  zoomBar.hidden = false;
  view.classList.add("can-pan");
  zoomBar.addEventListener("click", (event) => {
    const how = event.target.closest("[data-zoom]")?.dataset.zoom;
    if (how === "fit") fit();
    else if (how) zoom(scale * (how === "in" ? 1.25 : 0.8));
  });
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(scale * (event.deltaY < 0 ? 1.1 : 0.9));
  }, { passive: false });

  // --- panning with the pointer, on what is no card
  let grabbed = null;
  view.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" || event.button || event.target.closest(".node")) return;
    grabbed = [event.clientX + view.scrollLeft, event.clientY + view.scrollTop];
    view.classList.add("panning");
  });
  addEventListener("pointermove", (event) => grabbed && view.scrollTo(grabbed[0] - event.clientX, grabbed[1] - event.clientY));
  addEventListener("pointerup", () => {
    grabbed = null;
    view.classList.remove("panning");
  });

  // --- arrow keys go to the nearest card on that side
  const SIDES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  map.addEventListener("keydown", (event) => {
    const side = SIDES[event.key];
    const from = event.target.closest("a.node");
    if (!side || !from) return;
    event.preventDefault();
    const centre = (node) => {
      const box = node.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [x, y] = centre(from);
    const away = (node) => {
      const [dx, dy] = [centre(node)[0] - x, centre(node)[1] - y];
      const along = dx * side[0] + dy * side[1];
      const across = Math.abs(dx * side[1]) + Math.abs(dy * side[0]);
      return along > 10 ? along + 2 * across : Infinity;
    };
    const others = [...map.querySelectorAll("a.node")].filter((node) => node !== from);
    const nearest = others.reduce((best, node) => (away(node) < away(best ?? node) || !best ? node : best), null);
    if (nearest && away(nearest) < Infinity) nearest.focus();
  });

  // --- selecting loads the page anew: what was looked at stays where it was
  const KEPT = `canvas ${width} ${height}`;
  addEventListener("pagehide", () => sessionStorage.setItem(KEPT, JSON.stringify([scale, view.scrollLeft, view.scrollTop])));
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  if (kept) {
    zoom(kept[0]);
    view.scrollTo(kept[1], kept[2]);
  }

  const chosen = map.querySelector("[aria-current]");
  if (chosen) {
    chosen.scrollIntoView({ block: kept ? "nearest" : "center", inline: kept ? "nearest" : "center" });
    document.getElementById("panel-title")?.focus();
  }
})();
