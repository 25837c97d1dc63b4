/** Stands in for the browser's storage where that is denied, as in frames of other sites. */
// @ts-check

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
