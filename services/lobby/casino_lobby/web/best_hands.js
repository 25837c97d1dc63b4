/** A list of chosen hands, as the lobby sorts them; it grows by pages. */
// @ts-check

/** @import { PastHand } from "./types.js" */

import { api, Problem } from "./api.js";
import { pastHand } from "./past_hand.js";

const PAGE = 50;
const FRESH_MS = 10_000;

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
