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

  // Changed without a new page, so that nothing typed is lost. Without scripts the form is posted.
  document.addEventListener("submit", (event) => {
    const value = event.submitter?.value;
    if (!event.target.matches("[data-theme-form]") || !value) return;
    event.preventDefault();
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `theme=${value}; path=/; max-age=31536000; samesite=lax${secure}`;
    root.dataset.theme = value;
    paint();
    for (const button of event.target.querySelectorAll("button")) {
      button.toggleAttribute("aria-current", button.value === value);
      if (button.value === value) button.setAttribute("aria-current", "true");
    }
  });
})();
