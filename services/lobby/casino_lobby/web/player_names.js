/** Everybody who has played in a room: names and colours, which stay after a player has left. */
// @ts-check

/** @import { PastHand, Seats, Standing } from "./types.js" */

const COLORS = 10;

export class PlayerNames {
  /** @type {Map<string, number>} Players' places in the palette, by id. */
  colors = new Map();
  /** @type {Map<string, string>} */
  #own = new Map();
  /** @type {Map<string, string> | null} */
  #distinct = null;

  /** Players' names, by id; those that are equal end in a part of the id. */
  get names() {
    this.#distinct ??= distinct(this.#own);
    return this.#distinct;
  }

  /**
   * Take the players at a table; colours go round it.
   * @param {Seats} seats
   */
  seat(seats) {
    const sorted = [...seats.values()].sort(
      (left, right) => (left.number ?? 99) - (right.number ?? 99),
    );
    for (const { id, name } of sorted) this.#take(id, name);
  }

  /**
   * Take those who were here earlier; a name that is there already is newer, and stays.
   * @param {Iterable<[id: string, name: string]>} names
   */
  recall(names) {
    for (const [id, name] of names) if (!this.#own.has(id)) this.#take(id, name);
  }

  /**
   * Take the players of standings, in an order that does not change with them.
   * @param {Standing[]} players
   */
  rank(players) {
    const pairs = players.map(
      ({ playerId, displayName }) => /** @type {[string, string]} */ ([playerId, displayName]),
    );
    this.recall(pairs.sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /**
   * Take the players of a past hand, whose names may never come.
   * @param {PastHand | undefined} hand
   */
  pass(hand) {
    for (const id of hand?.stacks.keys() ?? []) this.#paint(id);
  }

  /**
   * @param {string} id
   * @param {string} name
   */
  #take(id, name) {
    this.#paint(id);
    if (this.#own.get(id) === name) return;
    this.#own.set(id, name);
    this.#distinct = null;
  }

  /** @param {string} id */
  #paint(id) {
    if (!this.colors.has(id)) this.colors.set(id, this.colors.size % COLORS);
  }
}

/**
 * Return the names with " #3" behind each that is not the only one of its kind: the number at the
 * end of the id, or the whole id where that is not enough.
 * @param {Map<string, string>} names
 */
function distinct(names) {
  /** @type {Map<string, string[]>} */
  const ids = new Map();
  for (const [id, name] of names) ids.set(name, [...(ids.get(name) ?? []), id]);
  return new Map(
    [...names].map(([id, name]) => {
      const same = ids.get(name) ?? [];
      if (same.length < 2) return [id, name];
      const numbers = same.map(numberOf);
      const isEnough = new Set(numbers).size === same.length && !numbers.includes("");
      return [id, `${name} #${isEnough ? numberOf(id) : id}`];
    }),
  );
}

/** @param {string} id */
function numberOf(id) {
  return /\d+$/.exec(id)?.[0] ?? "";
}
