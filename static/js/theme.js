// The theme before anything is painted: what the cookie says is in the page already, what the system says only we can ask.
(() => {
  const root = document.documentElement;
  root.classList.add("js"); // what only works with scripts is shown from the first paint on
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => {
    const chosen = root.dataset.theme;
    root.dataset.bsTheme = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
  };
  dark.addEventListener("change", paint);
  paint();

  // The zone that dates are in; the server writes them, from the next page on.
  const secure = location.protocol === "https:" ? "; secure" : "";
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone) document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax${secure}`;

  // Changed without a new page, so that nothing typed is lost. Without scripts the form is posted.
  document.addEventListener("submit", (event) => {
    const other = event.submitter?.matches("[data-other-theme]");
    const value = other ? (root.dataset.bsTheme === "dark" ? "light" : "dark") : event.submitter?.value;
    if (!event.target.matches("[data-theme-form]") || !value) return;
    event.preventDefault();
    document.cookie = `theme=${value}; path=/; max-age=31536000; samesite=lax${secure}`;
    root.dataset.theme = value;
    paint();
    for (const button of document.querySelectorAll("[data-theme-form] button:not([data-other-theme])")) {
      button.toggleAttribute("aria-current", button.value === value);
      if (button.value === value) button.setAttribute("aria-current", "true");
    }
  });
})();
