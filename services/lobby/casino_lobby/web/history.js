/** The completed hands of a room: loaded once, and added to when a hand ends. */
// @ts-check

/** @import { PastHand, TableEvent } from "./types.js" */

import { api } from "./api.js";
import { pastHand } from "./past_hand.js";

const MOST_HANDS = 1000;

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
