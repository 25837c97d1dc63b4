/** Everybody who has played in a room: names and colours, which stay after a player has left. */
// @ts-check

/** @import { PastHand, Seats, Standing } from "./types.js" */

const COLORS = 10;

export class Cast {
  /** @type {Map<string, number>} Players' places in the palette, by id. */
  colors = new Map();
  /** @type {Map<string, string>} Players' names, by id. */
  names = new Map();

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
    for (const [id, name] of names) if (!this.names.has(id)) this.#take(id, name);
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
    this.names.set(id, name);
  }

  /** @param {string} id */
  #paint(id) {
    if (!this.colors.has(id)) this.colors.set(id, this.colors.size % COLORS);
  }
}
