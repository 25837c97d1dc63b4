/** Which table is shown first: how much its hands, players and stakes are worth watching. */
// @ts-check

/** @import { Fields } from "./types.js" */

import { records } from "./reading.js";

const RECENT_MS = 60_000;
const STAYS_MS = 30_000;
/** A larger pot, in big blinds, is not more worth watching. */
const MOST_SIZE = 300;
const PERSON = 100;
const MOST_PEOPLE = 3;
const NAMED = 8;
const DOUBLE_STAKES = 4;
/** A table that plays goes before any that does not. */
const PLAYS = 10_000;
/** By how much another table must be worth more to take the place of the one that is shown. */
const BETTER_BY = 5;
/** A name that is only a kind of player with a number: "Caller 2", "player-3". */
const NUMBERED = /[\s#_-]\d+$/;

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

/**
 * @typedef {object} Watchable A table that may be shown first.
 * @property {string} id
 * @property {boolean} isPlaying
 * @property {number} largest The largest hand of the last minute, as `sizeOf` measures it.
 * @property {number} closeness How even the two largest stacks are, from 0 to 1.
 * @property {number} bigBlind 0 in games without blinds.
 * @property {{ name: string, isGuest: boolean }[]} players
 */

/**
 * Return how much a table is worth watching. A hand counts fully between equal stacks, and half
 * where one player has all; a person counts as a pot of 100 big blinds, at most three of them; a bot
 * with a name of its own as 8, doubled stakes as 4.
 * @param {Watchable} table
 */
export function worthOf({ isPlaying, largest, closeness, bigBlind, players }) {
  const people = players.filter(({ isGuest }) => isGuest).length;
  const named = players.filter(({ name, isGuest }) => !isGuest && !NUMBERED.test(name)).length;
  return (
    (isPlaying ? PLAYS : 0) +
    (Math.min(largest, MOST_SIZE) * (1 + closeness)) / 2 +
    PERSON * Math.min(people, MOST_PEOPLE) +
    NAMED * named +
    DOUBLE_STAKES * Math.log2(1 + Math.max(0, bigBlind)) +
    players.length
  );
}

/** The table that is most worth watching; it stays for a while. */
export class TopTable {
  /** @type {string | null} The room's id. */
  #room = null;
  #since = -Infinity;

  /**
   * Return the id of the top table, null without tables. A table that plays stays at the top for 30
   * seconds, and then until another one is clearly more worth watching.
   * @param {Watchable[]} tables
   */
  choose(tables) {
    const now = performance.now();
    const current = tables.find(({ id }) => id === this.#room);
    if (current?.isPlaying && now - this.#since < STAYS_MS) return this.#room;
    /** @type {{ id: string | null, worth: number }} */
    let best = { id: null, worth: -Infinity };
    if (current) best = { id: current.id, worth: worthOf(current) + BETTER_BY };
    for (const table of tables) {
      const worth = worthOf(table);
      if (worth > best.worth) best = { id: table.id, worth };
    }
    if (best.id !== this.#room) [this.#room, this.#since] = [best.id, now];
    return this.#room;
  }
}
