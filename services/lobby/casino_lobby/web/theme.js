/* Not a module: it runs before the first paint, so that nobody sees the other theme flash by. */
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // no storage: the system's choice it is
}
