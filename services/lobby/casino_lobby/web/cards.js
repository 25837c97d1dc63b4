/** Playing cards in four colours, each suit with a shape of its own: nobody needs the colour. */

import { h, svg } from "./dom.js";

const PIPS = new Map([
  ["hearts", "M12 21C5 15.5 2 12 2 8a5 5 0 0 1 10-1.5A5 5 0 0 1 22 8c0 4-3 7.500-10 13z"],
  ["diamonds", "M12 2l8 10-8 10-8-10z"],
  [
    "clubs",
    "M12 2a4.700 4.700 0 0 1 4.200 6.800A4.800 4.800 0 1 1 13.200 15c.2 3 1 5 2.800 7H8c1.800-2 2.600-4 2.800-7a4.800 4.800 0 1 1-3-6.200A4.700 4.700 0 0 1 12 2z",
  ],
  [
    "spades",
    "M12 2c6 5.500 9 8.500 9 12a4.500 4.500 0 0 1-7.800 3c.3 2 1.100 3.500 2.800 5H8c1.700-1.500 2.500-3 2.800-5A4.500 4.500 0 0 1 3 14c0-3.500 3-6.500 9-12z",
  ],
]);
const NAMES = new Map([
  ["A", "Ace"],
  ["K", "King"],
  ["Q", "Queen"],
  ["J", "Jack"],
  ["T", "Ten"],
  ["9", "Nine"],
  ["8", "Eight"],
  ["7", "Seven"],
  ["6", "Six"],
  ["5", "Five"],
  ["4", "Four"],
  ["3", "Three"],
  ["2", "Two"],
]);

/** A name of a card that is one: "T" + "spades" → "Ten of spades". */
export function nameOf(card) {
  if (card.suit === "") return NAMES.get(card.rank) ?? card.rank;
  return `${NAMES.get(card.rank) ?? "?"} of ${PIPS.has(card.suit) ? card.suit : "?"}`;
}

export function keyOf(card) {
  return card.rank + card.suit;
}

/** Return a card's face. */
export function face(card) {
  const suit = PIPS.has(card.suit) ? card.suit : "unknown";
  const rank = card.rank === "T" ? "10" : card.rank;
  return h(
    "span",
    { class: `card ${suit}`, role: "img", "aria-label": nameOf(card) },
    h("span", { class: "rank" }, rank),
    card.suit === "" ? null : pip(suit),
  );
}

/** Return a card's back. */
export function back() {
  return h("span", { class: "card back", "aria-hidden": "true" });
}

/** Return the sign of a suit. */
export function pip(suit) {
  return svg(
    "svg",
    { class: "pip", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: PIPS.get(suit) ?? "" }),
  );
}

/** A row of cards that is drawn anew only where it changed. */
export class CardRow {
  #key = null;

  constructor(element) {
    this.element = element;
  }

  /** Show cards (`null` is a back); `best` are those of the winner's five, or null. */
  show(cards, best = null) {
    const chosen = best ? new Set(best.map(keyOf)) : null;
    const key =
      cards.map((card) => (card ? keyOf(card) : "back")).join() +
      (chosen ? [...chosen].join() : "");
    if (key === this.#key) return;
    const kept = chosen === null && this.#key !== null ? this.element.children.length : 0;
    const isLonger = kept > 0 && key.startsWith(this.#key) && this.#key !== "";
    this.#key = key;
    const faces = cards.map((card) => (card ? face(card) : back()));
    faces.forEach((element, index) => {
      if (chosen && cards[index])
        element.classList.add(chosen.has(keyOf(cards[index])) ? "chosen" : "spare");
    });
    // A street is added to what lies there; only the new cards come in.
    if (isLonger) this.element.append(...faces.slice(kept));
    else this.element.replaceChildren(...faces);
  }
}
