// What moves on every page: menus, toasts, the panel, what is announced, and what went wrong on the way to the server.
(() => {
  const byId = (id) => document.getElementById(id);

  // --- menus made of <details>
  const openMenus = () => document.querySelectorAll("details[data-menu][open]");
  document.addEventListener("click", (event) => {
    for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const [menu] = openMenus();
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    } else if (location.hash === "#menu") location.hash = "";
    // What was typed in it is not thrown away by a key: its button closes it.
    else if (inPanel() && !byId("panel").dataset.typed) closePanel();
  });

  // --- the panel: focus goes to its heading, and back to what opened it
  const inPanel = () => {
    const [panel, now] = [byId("panel"), document.activeElement];
    return Boolean(panel && !panel.hidden && (panel.contains(now) || now === document.body));
  };
  const closePanel = () => {
    const panel = byId("panel");
    const opener = byId(panel.dataset.opener ?? "");
    const closed = document.createElement("section");
    closed.id = "panel";
    closed.hidden = true;
    panel.replaceWith(closed);
    cover();
    (opener ?? byId("main")).focus();
  };
  // On a phone the panel is the whole screen: what is behind it is out of reach.
  const cover = () => {
    const panel = byId("panel");
    byId("main").inert = Boolean(panel && !panel.hidden && matchMedia("(max-width: 767px)").matches);
  };
  addEventListener("resize", cover);
  document.addEventListener("htmx:afterSettle", cover);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-close-panel]")) return;
    event.preventDefault();
    closePanel();
  });

  // --- what is swapped in: where the focus goes, and what is said
  let said = "";
  const announce = (text) => {
    if (!text || text === said) return;
    said = text;
    byId("live").textContent = text;
  };
  // Between a swap and its settling somebody may have gone on by mouse or keyboard: the focus then stays there.
  let acted = 0;
  let swapped = 0;
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => (acted = performance.now()), true);
  document.addEventListener("htmx:beforeSwap", () => (swapped = performance.now()));
  document.addEventListener("htmx:afterSettle", (event) => {
    const root = event.detail.elt;
    // Each asks once: what settles later inside of it must not take the focus from where somebody is by then.
    const asked = [byId(root.dataset?.focus ?? ""), root.querySelector?.("[autofocus]")];
    if (acted < swapped) for (const element of asked) element?.focus();
    if (root.dataset) delete root.dataset.focus;
    asked[1]?.removeAttribute("autofocus");
    announce(root.dataset?.announce ?? root.querySelector?.("[data-announce]")?.dataset.announce);
  });
  document.querySelector("[role=alert][autofocus]")?.focus();
  said = document.querySelector("[data-announce]")?.dataset.announce ?? "";

  // --- toasts: eight seconds, longer under the pointer or the focus
  const STAYS = 8000;
  const show = (toast) => {
    let timer = 0;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => (toast.matches(":hover, :focus-within") ? wait() : toast.remove()), STAYS);
    };
    toast.addEventListener("click", (event) => event.target.closest("[data-dismiss]") && toast.remove());
    for (const kind of ["mouseleave", "focusout"]) toast.addEventListener(kind, wait);
    wait();
  };
  document.querySelectorAll("#toasts .toast-x").forEach(show);
  document.addEventListener("toast", (event) => {
    const { text, undo } = event.detail;
    const toast = byId("toast").content.firstElementChild.cloneNode(true);
    toast.querySelector("span").textContent = text;
    const button = toast.querySelector("[data-undo]");
    button.hidden = !undo;
    button.addEventListener("click", () => {
      byId(undo)?.click();
      toast.remove();
    });
    byId("toasts").replaceChildren(toast);
    show(toast);
  });

  // --- trouble on the way: said once, gone when the server answers again
  const trouble = (text) => {
    const note = byId("trouble");
    if (!note) return;
    note.hidden = !text;
    if (note.lastElementChild.textContent !== text) note.lastElementChild.textContent = text;
  };
  document.addEventListener("htmx:sendError", () => trouble(document.body.dataset.wordSilent));
  document.addEventListener("htmx:responseError", (event) => {
    const xhr = event.detail.xhr;
    const plain = (xhr.getResponseHeader("Content-Type") ?? "").startsWith("text/plain");
    trouble(plain ? xhr.responseText.slice(0, 600) : document.body.dataset.wordError.replace("{n}", xhr.status));
  });
  document.addEventListener("htmx:afterRequest", (event) => event.detail.successful && trouble(""));

  // --- leaving with something unsaved asks
  let unsaved = false;
  document.addEventListener("input", (event) => {
    if (event.target.closest("[data-unsaved]") && !event.target.matches("[data-not-saved]")) unsaved = true;
  });
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-unsaved]")) unsaved = false;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt.matches?.("[data-unsaved]") && event.detail.xhr.status >= 400) unsaved = true;
  });
  addEventListener("beforeunload", (event) => {
    if (unsaved) event.preventDefault();
  });
})();
