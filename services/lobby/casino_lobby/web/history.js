/** The completed hands of a room: loaded once, and added to when a hand ends. */
// @ts-check

/** @import { CompletedHand, PastHand, TableEvent } from "./types.js" */

import { api } from "./api.js";
import { exact } from "./betting.js";
import { records, wholeOr } from "./reading.js";

const MOST_HANDS = 1000;

export class History {
  /** @type {Map<number, PastHand>} */
  #hands = new Map();
  /** @type {PastHand[] | null} */
  #sorted = null;
  #room;

  /** @param {string} room */
  constructor(room) {
    this.#room = room;
  }

  /** All hands that are loaded, the oldest first. */
  get hands() {
    this.#sorted ??= [...this.#hands.values()].sort((left, right) => left.number - right.number);
    return this.#sorted;
  }

  /** Load the newest hands; throws Problem. */
  async load() {
    /** @type {string | null} */
    let cursor = null;
    do {
      const page = await api.hands(this.#room, cursor);
      for (const hand of page.hands) this.#put(hand, hand.message);
      cursor = page.next ?? null;
    } while (cursor && this.#hands.size < MOST_HANDS);
  }

  /**
   * Add a hand by its `hand_completed`.
   * @param {TableEvent} event
   */
  add(event) {
    this.#put(event.payload ?? {}, event.message);
  }

  /**
   * @param {CompletedHand} hand
   * @param {unknown} message
   */
  #put({ handNumber, pots, stacks }, message) {
    const number = wholeOr(handNumber, null);
    if (number === null) return;
    this.#hands.set(number, {
      number,
      message: String(message ?? "").replace(/^hand \d+: /, ""),
      pot: exact(records(pots).reduce((sum, pot) => sum + (Number(pot.amount) || 0), 0)),
      stacks: new Map(
        records(stacks).map(({ playerId, stack }) => [String(playerId), Number(stack) || 0]),
      ),
    });
    if (this.#hands.size > MOST_HANDS) this.#hands.delete(Math.min(...this.#hands.keys()));
    this.#sorted = null;
  }
}
