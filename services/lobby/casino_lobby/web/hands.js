/** The list of past hands, the newest first; each is a link to its replay. */
// @ts-check

/** @import { PastHand } from "./types.js" */

import { h, mark } from "./dom.js";
import { chips } from "./money.js";
import { handLink } from "./router.js";

const SHOWN = 50;

export class HandsView {
  #list = h("ol", { class: "hands", reversed: true });
  #empty = h("p", { class: "hint" }, "No hand is over yet.");
  /** @type {Map<number, HTMLElement>} */
  #lines = new Map();
  #room;

  /** @param {string} room */
  constructor(room) {
    this.#room = room;
    this.element = h(
      "div",
      { class: "scroll hands-box", tabindex: "0", role: "region", "aria-label": "Past hands" },
      this.#empty,
      this.#list,
    );
  }

  /**
   * Show the newest hands.
   * @param {PastHand[]} hands
   * @param {number | null} current The hand in replay.
   */
  show(hands, current) {
    const newest = hands.slice(-SHOWN).reverse();
    mark(this.#empty, "hidden", newest.length > 0);
    const lines = newest.map((hand) => this.#line(hand));
    const isSame =
      lines.length === this.#list.children.length &&
      lines.every((line, index) => line === this.#list.children[index]);
    if (!isSame) this.#list.replaceChildren(...lines);
    for (const [number, line] of this.#lines) {
      if (!line.isConnected) this.#lines.delete(number);
      else if (line.firstElementChild)
        mark(line.firstElementChild, "aria-current", number === current ? "true" : null);
    }
  }

  /**
   * Return the line of a hand.
   * @param {PastHand} hand
   */
  #line(hand) {
    const cached = this.#lines.get(hand.number);
    if (cached) return cached;
    const line = h(
      "li",
      {},
      h(
        "a",
        { href: handLink(this.#room, hand.number) },
        h("span", { class: "number" }, `#${hand.number}`),
        h("span", { class: "told" }, hand.message),
        h("span", { class: "amount" }, hand.pot > 0 ? chips(hand.pot) : ""),
      ),
    );
    this.#lines.set(hand.number, line);
    return line;
  }
}
