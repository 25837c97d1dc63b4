/* Not a module: it runs before the first paint, so that the other theme is never visible. */
// @ts-check
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // no storage: the system's choice stays
}
