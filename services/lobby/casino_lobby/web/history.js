/** The hands of a room that are over: loaded once, then added to as they end. */

import { api } from "./api.js";
import { exact } from "./betting.js";

const MOST_HANDS = 1000;

export class History {
  #hands = new Map();
  #sorted = null;
  #room;

  constructor(room) {
    this.#room = room;
  }

  /** All known hands, the oldest first: {number, message, pot, stacks}. */
  get hands() {
    this.#sorted ??= [...this.#hands.values()].sort((one, other) => one.number - other.number);
    return this.#sorted;
  }

  /** Load the newest hands; raises Problem. */
  async load() {
    let after = null;
    do {
      const page = await api.hands(this.#room, after);
      for (const hand of page.hands) this.#put(hand, hand.message);
      after = page.next ?? null;
    } while (after && this.#hands.size < MOST_HANDS);
  }

  /** Add a hand by its `hand_completed`. */
  add(event) {
    this.#put(event.payload ?? {}, event.message);
  }

  #put(hand, message) {
    if (!Number.isInteger(hand.handNumber)) return;
    const pots = Array.isArray(hand.pots) ? hand.pots : [];
    this.#hands.set(hand.handNumber, {
      number: hand.handNumber,
      message: String(message ?? "").replace(/^hand \d+: /, ""),
      pot: exact(pots.reduce((sum, pot) => sum + (Number(pot.amount) || 0), 0)),
      stacks: new Map(
        (hand.stacks ?? []).map(({ playerId, stack }) => [String(playerId), Number(stack) || 0]),
      ),
    });
    if (this.#hands.size > MOST_HANDS) this.#hands.delete(Math.min(...this.#hands.keys()));
    this.#sorted = null;
  }
}
