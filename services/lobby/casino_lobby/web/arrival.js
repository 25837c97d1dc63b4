/*
 * Not a module: it runs where modules do not arrive, as while the machine changes its network. The
 * page would stay empty; it is loaded once more, and if that was no use, says what happened.
 */
// @ts-check
{
  const AGAIN_MS = 1000;
  let isKnown = false;

  const missed = () => {
    if (isKnown) return;
    isKnown = true;
    setTimeout(() => {
      const [entry] = performance.getEntriesByType("navigation");
      if (/** @type {PerformanceNavigationTiming} */ (entry).type !== "reload") location.reload();
      else document.getElementById("main")?.before(fault());
    }, AGAIN_MS);
  };

  const fault = () => {
    const words = document.createElement("p");
    words.className = "hint locked";
    words.role = "alert";
    words.textContent = "A part of this page did not arrive. Please load it again.";
    return words;
  };

  addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLScriptElement || target instanceof HTMLLinkElement) missed();
    },
    true,
  );
  addEventListener("unhandledrejection", (event) => {
    // Each browser has its own sentence for a module that was imported later and did not arrive.
    if (!(event.reason instanceof TypeError && /module/.test(event.reason.message))) return;
    event.preventDefault();
    missed();
  });
}
