/** The completed hands of a room: all that were loaded or ended since, and lists of chosen ones. */
// @ts-check

/** @import { CompletedHand, PastHand, TableEvent } from "./types.js" */

import { api, Problem } from "./api.js";
import { exact } from "./betting.js";
import { records, wholeOr } from "./reading.js";

const MOST_HANDS = 1000;
/** Of a list of chosen hands. */
const PAGE = 50;
/** People read no faster. */
const FRESH_MS = 10_000;

/**
 * Return a hand, or null if it has no number.
 * @param {CompletedHand} hand
 * @param {unknown} message
 * @param {number} [epoch]
 * @returns {PastHand | null}
 */
export function pastHand({ handNumber, pots, stacks, kinds }, message, epoch = 1) {
  const number = wholeOr(handNumber, null);
  if (number === null) return null;
  return {
    number,
    epoch,
    message: String(message ?? "").replace(/^hand \d+: /, ""),
    pot: exact(records(pots).reduce((sum, pot) => sum + (Number(pot.amount) || 0), 0)),
    stacks: new Map(
      records(stacks).map(({ playerId, stack }) => [String(playerId), Number(stack) || 0]),
    ),
    kinds: Array.isArray(kinds) ? kinds.map(String) : [],
  };
}

/** The completed hands of a room: loaded once, and added to when a hand ends. */
export class History {
  /** Whether the lobby has older hands than those that are loaded. */
  hasOlder = false;
  /** @type {Map<number, PastHand>} */
  #hands = new Map();
  /** @type {PastHand[] | null} */
  #sorted = null;
  #most = MOST_HANDS;
  #isLoading = false;
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
    do cursor = await this.#loadPage(cursor);
    while (cursor && this.#hands.size < MOST_HANDS);
    this.hasOlder ||= cursor !== null;
  }

  /** Load a page of older hands, and keep as many more from then on; throws Problem. */
  async loadOlder() {
    const oldest = this.hands[0];
    if (!oldest || this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#most = Infinity;
      this.hasOlder = (await this.#loadPage(`${oldest.epoch}.${oldest.number}`)) !== null;
    } finally {
      this.#most = Math.max(MOST_HANDS, this.#hands.size);
      this.#isLoading = false;
    }
  }

  /**
   * Add a hand by its `hand_completed`.
   * @param {TableEvent} event
   */
  add({ payload, message, epoch }) {
    this.#put(pastHand(payload ?? {}, message, epoch));
  }

  /**
   * Load a page; returns where the next one begins, null if there is none.
   * @param {string | null} cursor
   */
  async #loadPage(cursor) {
    const page = await api.hands(this.#room, cursor);
    for (const hand of page.hands) this.#put(pastHand(hand, hand.message, hand.epoch));
    return page.next ?? null;
  }

  /** @param {PastHand | null} hand */
  #put(hand) {
    if (hand === null) return;
    this.#hands.set(hand.number, hand);
    if (this.#hands.size > this.#most) {
      this.#hands.delete(Math.min(...this.#hands.keys()));
      this.hasOlder = true;
    }
    this.#sorted = null;
  }
}

/** A list of chosen hands, as the lobby sorts them; it grows by pages. */
export class BestHands {
  /** @type {PastHand[]} */
  hands = [];
  /** Why there is no list; "" if there is one. */
  fault = "";
  isLoaded = false;
  /** @type {string | null} */
  #next = null;
  #isLoading = false;
  #loadedAt = -Infinity;
  #newest = 0;
  #room;
  #query;

  /**
   * @param {string} room
   * @param {Record<string, string>} query What the lobby is asked for.
   */
  constructor(room, query) {
    this.#room = room;
    this.#query = query;
  }

  /** Whether the lobby has more of them. */
  get hasMore() {
    return this.#next !== null;
  }

  /**
   * Load as many as there were, if hands were completed since then, but not more often than people
   * read; returns whether there is something new to show.
   * @param {number} newest The number of the newest hand.
   */
  async refresh(newest) {
    const isFresh = performance.now() - this.#loadedAt < FRESH_MS;
    if (this.isLoaded && (isFresh || newest === this.#newest)) return false;
    this.#newest = newest;
    return this.#load(null, Math.max(PAGE, Math.min(this.hands.length, 1000)));
  }

  /** Load the next page; returns whether there is something new to show. */
  more() {
    return this.#next === null ? false : this.#load(this.#next, PAGE);
  }

  /**
   * @param {string | null} after
   * @param {number} limit
   */
  async #load(after, limit) {
    if (this.#isLoading) return false;
    this.#isLoading = true;
    try {
      const place = after === null ? {} : { after };
      const query = { ...this.#query, ...place, limit: String(limit) };
      const page = await api.chosenHands(this.#room, query);
      const hands = page.hands.map((hand) => pastHand(hand, hand.message, hand.epoch));
      const found = hands.filter((hand) => hand !== null);
      this.hands = after === null ? found : [...this.hands, ...found];
      this.#next = page.next ?? null;
      this.fault = "";
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.fault = error.message;
    } finally {
      this.#isLoading = false;
      this.#loadedAt = performance.now();
      this.isLoaded = true;
    }
    return true;
  }
}
