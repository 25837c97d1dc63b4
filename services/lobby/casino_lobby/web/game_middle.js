/** The middle of the table in a game other than Hold'em: its public state, cards first. */
// @ts-check

/** @import { GameState, Hand, Seats } from "./types.js" */

import { openCard } from "./cards.js";
import { h, mark } from "./dom.js";
import { factsOf } from "./game_state.js";

export class GameMiddle {
  element = h("dl", { class: "game-state", hidden: true });
  /** @type {GameState | null} */
  #shown = null;

  /**
   * Show a hand's public state; without a hand, and in Hold'em, it is hidden.
   * @param {Hand | null} hand
   * @param {Seats} seats
   */
  show(hand, seats) {
    const game = hand?.game && hand.phase !== "cancelled" ? hand.game : null;
    mark(this.element, "hidden", game === null);
    if (game === this.#shown) return;
    this.#shown = game;
    this.element.replaceChildren(...(game ? factsOf(game, seats) : []).map(factElement));
  }
}

/** @param {import("./game_state.js").Fact} fact */
function factElement({ label, parts, of }) {
  return h(
    "div",
    { "data-of": of },
    h("dt", {}, label),
    h(
      "dd",
      {},
      parts.map((part) => (typeof part === "string" ? h("span", {}, part) : openCard(part))),
    ),
  );
}
