/*
 * Not a module: it runs before the first paint, and where modules do not arrive.
 */
// @ts-check
{
  // Frames of other sites may be denied the browser's storage.
  class ForgetfulStorage {
    /** @type {Map<string, string>} */
    #items = new Map();

    /** @param {string} name */
    getItem(name) {
      return this.#items.get(name) ?? null;
    }

    /**
     * @param {string} name
     * @param {string} text
     */
    setItem(name, text) {
      this.#items.set(name, String(text));
    }

    /** @param {string} name */
    removeItem(name) {
      this.#items.delete(name);
    }
  }

  for (const name of /** @type {const} */ (["localStorage", "sessionStorage"])) {
    try {
      window[name].getItem("");
    } catch {
      Object.defineProperty(window, name, { value: new ForgetfulStorage() });
    }
  }

  // The other theme is never visible.
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
}
{
  // Modules may not arrive, as while the machine changes its network: the page would stay empty. It
  // is loaded once more, and if that was no use, says what happened.
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
