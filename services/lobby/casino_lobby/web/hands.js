/** The list of past hands, the newest first; each is a link to its replay. */
// @ts-check

/** @import { PastHand } from "./types.js" */

import { h, mark, say } from "./dom.js";
import { chips } from "./money.js";
import { handLink } from "./router.js";

const SHOWN = 50;

/**
 * Return what stands below the list about hands that it does not have; "" if it has all.
 * @param {number} first The number of the oldest hand that is loaded.
 */
export function beforeLine(first) {
  return first > 1
    ? `Hands before ${chips(first)} are not listed; their address may still work.`
    : "";
}

export class HandsView {
  #list = h("ol", { class: "hands", reversed: true });
  #limit = SHOWN;
  #more = h(
    "button",
    { type: "button", class: "quiet", hidden: true, onclick: () => this.#showMore() },
    "Show older hands",
  );
  #before = h("p", { class: "hint" });
  /** @type {{ hands: PastHand[], current: number | null }} */
  #shown = { hands: [], current: null };
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
      this.#more,
      this.#before,
    );
  }

  /**
   * Show the newest hands.
   * @param {PastHand[]} hands
   * @param {number | null} current The hand in replay.
   */
  show(hands, current) {
    this.#shown = { hands, current };
    const newest = hands.slice(-this.#limit).reverse();
    mark(this.#more, "hidden", newest.length === hands.length);
    say(this.#before, newest.length === hands.length ? beforeLine(hands[0]?.number ?? 0) : "");
    mark(this.#empty, "hidden", newest.length > 0);
    const lines = newest.map((hand) => this.#line(hand));
    this.#put(lines);
    for (const [number, line] of this.#lines) {
      if (!line.isConnected) this.#lines.delete(number);
      else if (line.firstElementChild)
        mark(line.firstElementChild, "aria-current", number === current ? "true" : null);
    }
  }

  #showMore() {
    this.#limit += SHOWN;
    this.show(this.#shown.hands, this.#shown.current);
  }

  /**
   * Put lines into the list. Lines that stay are not moved, so the focus stays in them.
   * @param {HTMLElement[]} lines
   */
  #put(lines) {
    const staying = new Set(lines);
    for (const line of /** @type {HTMLElement[]} */ ([...this.#list.children])) {
      if (staying.has(line)) continue;
      if (line.contains(document.activeElement)) this.element.focus();
      line.remove();
    }
    lines.forEach((line, index) => {
      const there = this.#list.children[index];
      if (there !== line) this.#list.insertBefore(line, there ?? null);
    });
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
        h("span", { class: "told", title: hand.message }, hand.message),
        h("span", { class: "amount" }, hand.pot > 0 ? chips(hand.pot) : ""),
      ),
    );
    this.#lines.set(hand.number, line);
    return line;
  }
}
