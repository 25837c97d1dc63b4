/** The theatre: a room's table alone, as large as the window allows. */
// @ts-check

import { mark } from "./dom.js";

export class Theatre {
  #element;
  #isOn = false;

  /** @param {HTMLElement} element The room's view. */
  constructor(element) {
    this.#element = element;
  }

  /**
   * React to a key, in lower case; returns whether the theatre uses it.
   * @param {string} key
   * @param {boolean} isSeated Whether the person sits in the room, where F folds.
   */
  press(key, isSeated) {
    const isToggled = (key === "f" && !isSeated) || (key === "escape" && this.#isOn);
    if (isToggled) {
      this.#isOn = !this.#isOn;
      mark(this.#element, "data-theatre", this.#isOn);
    }
    return isToggled;
  }
}
