/** The middle of the table in a game that the page does not know: its public state, cards first. */

import { face } from "./cards.js";
import { h, mark } from "./dom.js";
import { factsOf } from "./game_state.js";

export class GameMiddle {
  element = h("dl", { class: "game-state", hidden: true });
  #shown = null;

  /** Show a hand's public state; a hand of Hold'em, or none, hides it. */
  show(hand, seats) {
    const game = hand?.game && hand.phase !== "cancelled" ? hand.game : null;
    mark(this.element, "hidden", game === null);
    if (game === this.#shown) return;
    this.#shown = game;
    this.element.replaceChildren(...(game ? factsOf(game, seats) : []).map(fact));
  }
}

function fact({ label, parts, of }) {
  return h(
    "div",
    { "data-of": of },
    h("dt", {}, label),
    h(
      "dd",
      {},
      parts.map((part) => (typeof part === "string" ? h("span", {}, part) : face(part))),
    ),
  );
}
