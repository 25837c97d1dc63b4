/** The list of past hands, each a link to its replay; the newest first. */

import { h, mark } from "./dom.js";
import { chips } from "./money.js";
import { handLink } from "./router.js";

const SHOWN = 50;

export class HandsView {
  #list = h("ol", { class: "hands", reversed: true });
  #empty = h("p", { class: "hint" }, "No hand is over yet.");
  #lines = new Map();
  #room;

  constructor(room) {
    this.#room = room;
    this.element = h(
      "div",
      { class: "scroll hands-box", tabindex: "0", role: "region", "aria-label": "Past hands" },
      this.#empty,
      this.#list,
    );
  }

  /** Show the newest hands; `current` is the one in replay, or null. */
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
      else mark(line.firstElementChild, "aria-current", number === current ? "true" : null);
    }
  }

  #line(hand) {
    const known = this.#lines.get(hand.number);
    if (known) return known;
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
