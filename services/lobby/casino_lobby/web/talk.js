/** What a player said last, below the table: there it covers neither cards nor bets. */
// @ts-check

/** @import { Seat, TableState } from "./types.js" */

import { h, mark, say } from "./dom.js";

/**
 * Return the seat that spoke last in the running round, null if none did.
 * @param {TableState} state
 * @returns {Seat | null}
 */
export function speakerOf({ hand, seats }) {
  const entry = hand?.log.findLast((line) => line.kind === "action" && line.says !== "");
  const seat = entry?.kind === "action" ? seats.get(entry.id) : undefined;
  return seat?.says ? seat : null;
}

export class Talk {
  #name = h("b");
  #words = h("q");
  element = h("p", { class: "talk" }, this.#name, " ", this.#words);

  /**
   * Show who spoke last.
   * @param {TableState} state
   * @param {Map<string, number>} colors Players' places in the palette, by id.
   */
  show(state, colors) {
    const seat = speakerOf(state);
    mark(this.element, "data-quiet", seat === null);
    mark(this.element, "data-color", seat ? (colors.get(seat.id) ?? 0) : null);
    say(this.#name, seat?.name ?? "");
    say(this.#words, seat?.says ?? "");
  }
}
