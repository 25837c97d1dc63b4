/** The lobby's top table: the room with the largest hand of the last minute. */
// @ts-check

/** @import { Fields } from "./types.js" */

import { records } from "./reading.js";

const RECENT_MS = 60_000;
const STAYS_MS = 30_000;

/**
 * Return how large a completed hand is: the pot in big blinds; in games without blinds the largest
 * win in percent of the starting stack.
 * @param {Fields} payload That of its `hand_completed`.
 * @param {{ bigBlind: number, startingStack: number }} rules
 */
export function sizeOf({ pots, scores }, { bigBlind, startingStack }) {
  const pot = records(pots).reduce((sum, { amount }) => sum + (Number(amount) || 0), 0);
  if (bigBlind > 0 && pot > 0) return pot / bigBlind;
  const wins = scores && typeof scores === "object" ? Object.values(scores) : [];
  const win = Math.max(0, ...wins.map((score) => Number(score) || 0));
  return startingStack > 0 ? (100 * win) / startingStack : 0;
}

/** The largest hand of a room in the last minute. */
export class RecentSize {
  /** @type {{ at: number, size: number }[]} Each smaller than the ones before it. */
  #hands = [];

  /** @param {number} size */
  note(size) {
    while ((this.#hands.at(-1)?.size ?? Infinity) <= size) this.#hands.pop();
    if (size > 0) this.#hands.push({ at: performance.now(), size });
  }

  /** The size of the largest; 0 without one. */
  get largest() {
    const since = performance.now() - RECENT_MS;
    while ((this.#hands[0]?.at ?? Infinity) < since) this.#hands.shift();
    return this.#hands[0]?.size ?? 0;
  }
}

export class TopTable {
  /** @type {string | null} The room's id. */
  #room = null;
  #since = -Infinity;

  /**
   * Return the id of the top table, null if no hand was completed lately. A table stays at the top
   * for 30 seconds, and then until another one has a larger hand.
   * @param {{ id: string, largest: number }[]} rooms Those that play.
   */
  choose(rooms) {
    const now = performance.now();
    const current = rooms.find(({ id }) => id === this.#room);
    if (current && now - this.#since < STAYS_MS) return this.#room;
    const best = rooms.reduce(
      (top, room) => (room.largest > top.largest ? room : top),
      current ?? { id: "", largest: 0 },
    );
    const id = best.largest > 0 ? best.id : null;
    if (id !== this.#room) [this.#room, this.#since] = [id, now];
    return this.#room;
  }
}
