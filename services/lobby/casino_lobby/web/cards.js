/** Playing cards in four colours; each suit has a shape of its own, so nobody needs the colour. */
// @ts-check

/** @import { Card } from "./types.js" */

import { h, mark, svg } from "./dom.js";

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

/**
 * Return the name of a card: "T" + "spades" → "Ten of spades".
 * @param {Card} card
 */
export function nameOf(card) {
  if (card.suit === "") return NAMES.get(card.rank) ?? card.rank;
  return `${NAMES.get(card.rank) ?? "?"} of ${PIPS.has(card.suit) ? card.suit : "?"}`;
}

/**
 * Return a text that is the same for equal cards.
 * @param {Card} card
 */
export function keyOf(card) {
  return card.rank + card.suit;
}

/**
 * Return a card as everybody sees it.
 * @param {Card} card
 */
export function openCard(card) {
  const suit = PIPS.has(card.suit) ? card.suit : "unknown";
  const rank = card.rank === "T" ? "10" : card.rank;
  return h(
    "span",
    { class: `card ${suit}`, role: "img", "aria-label": nameOf(card) },
    h("span", { class: "rank" }, rank),
    card.suit === "" ? null : pip(suit),
  );
}

/** Return a card that lies face down. */
function hiddenCard() {
  return h("span", { class: "card back", "aria-hidden": "true" });
}

/**
 * Return the sign of a suit.
 * @param {string} suit
 */
function pip(suit) {
  return svg(
    "svg",
    { class: "pip", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: PIPS.get(suit) ?? "" }),
  );
}

/** A row of cards; only what changed is drawn, and only new cards are animated. */
export class CardRow {
  /** @type {string[]} */
  #shown = [];
  #best = "";

  /** @param {HTMLElement} element The element for the cards. */
  constructor(element) {
    this.element = element;
  }

  /**
   * Show cards.
   * @param {(Card | null)[]} cards Null is a card that lies face down.
   * @param {Card[] | null} [best] The cards of the winner's best five, which are highlighted.
   */
  show(cards, best = null) {
    const shown = cards.map((card) => (card ? keyOf(card) : ""));
    const chosen = best?.map(keyOf);
    const [before, key] = [this.#shown, `${chosen}`];
    const isSame = shown.join() === before.join();
    if (isSame && key === this.#best) return;
    [this.#shown, this.#best] = [shown, key];
    const isLonger = shown.length >= before.length && before.every((one, i) => one === shown[i]);
    if (!isLonger) {
      mark(this.element, "data-turned", before.includes("") && !shown.includes(""));
      this.element.replaceChildren();
    }
    const added = cards.slice(isLonger ? before.length : 0);
    this.element.append(...added.map((card) => (card ? openCard(card) : hiddenCard())));
    [...this.element.children].forEach((element, index) => {
      const isChosen = chosen?.includes(shown[index] ?? "");
      element.classList.toggle("chosen", isChosen === true);
      element.classList.toggle("spare", isChosen === false && shown[index] !== "");
    });
  }
}
