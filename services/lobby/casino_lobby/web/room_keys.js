/** The keys of a room: which presses are for the view, the list of them, and the full view. */
// @ts-check

import { h, mark, openDialog } from "./dom.js";

/** @type {[keys: string[], what: string][]} */
const KEYS = [
  [["←", "→"], "one step back, one forward"],
  [["Home", "End"], "first and last step"],
  [["Space"], "play, pause"],
  [["+", "−"], "faster, slower"],
  [["↑", "↓"], "the next hand, the one before"],
  [["O"], "open or hide the cards that are shown later"],
  [["Esc"], "back to the table"],
  [["F"], "theatre: the table alone (not while you sit at it)"],
  [["?"], "this list"],
];

/**
 * Return whether a pressed key is for the view as a whole.
 * @param {KeyboardEvent} event
 */
export function isForView({ key, target, altKey, ctrlKey, metaKey }) {
  if (altKey || ctrlKey || metaKey) return false;
  let element = target instanceof Element ? target : null;
  // A dialog that has just closed holds the focus until the next frame: its keys are the view's.
  if (element?.closest("dialog:not([open])")) element = null;
  if (element?.closest("input:not([type=range], [type=checkbox]), select, textarea, dialog"))
    return false;
  if (key === " " && element?.closest("button, summary, input")) return false;
  return !(key.startsWith("Arrow") && element?.matches(".scroll"));
}

/** Open the list of keys. */
export function openHelp() {
  openDialog(
    { "aria-labelledby": "help-title" },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "help-title" }, "Keys"),
      h(
        "dl",
        { class: "keys" },
        KEYS.flatMap(([keys, what]) => [
          h(
            "dt",
            {},
            keys.map((key) => h("kbd", {}, key)),
          ),
          h("dd", {}, what),
        ]),
      ),
      h("div", { class: "row end" }, h("button", { type: "submit", class: "main" }, "Close")),
    ),
  );
}

/** A room's table alone, as large as the window allows. */
export class FullView {
  #element;
  #isOn = false;

  /** @param {HTMLElement} element The room's view. */
  constructor(element) {
    this.#element = element;
  }

  /**
   * React to a key, in lower case; returns whether the full view uses it.
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
