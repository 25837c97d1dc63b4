/** A room in the lobby's list; its table is loaded when it is first shown. */
// @ts-check

/** @import { RoomConfig, RoomSummary, TableEvent, TableState } from "./types.js" */

import { api, Problem } from "./api.js";
import { MiniBoard } from "./miniboard.js";
import { fromSnapshot, reduce } from "./reducer.js";
import { RecentSize, sizeOf } from "./top_table.js";

export class Entry {
  board;
  summary;
  /** @type {TableState | null} */
  #state = null;
  /** @type {RoomConfig | null} */
  #config = null;
  /** @type {TableEvent[]} Events that came while the table was loaded. */
  #pending = [];
  /** The largest hand of the last minute. */
  recent = new RecentSize();
  #bigBlind = 0;
  #isRequested = false;
  #isStale = true;

  /** @param {RoomSummary} summary */
  constructor(summary) {
    this.summary = summary;
    this.board = new MiniBoard(summary.roomId);
  }

  /**
   * Take a newer summary.
   * @param {RoomSummary} summary
   */
  update(summary) {
    this.summary = summary;
    this.#isStale = true;
    // The room's own snapshot has what was missed between two summaries.
    this.#isRequested = false;
  }

  /**
   * Apply an event, or keep it until the table is loaded.
   * @param {TableEvent} event
   */
  add(event) {
    this.#isStale = true;
    this.#measure(event);
    if (this.#isRequested) this.#pending.push(event);
    if (!this.#state) return;
    this.#pending = [];
    this.#take(reduce(this.#state, event));
  }

  /**
   * Note the size of a hand when it is over.
   * @param {TableEvent} event
   */
  #measure({ eventType, payload }) {
    if (eventType === "hand_started") this.#bigBlind = Number(payload?.bigBlind) || 0;
    if (eventType !== "hand_completed") return;
    const bigBlind = this.#bigBlind || this.#config?.bigBlind || 0;
    const startingStack = this.#config?.startingStack ?? 0;
    this.recent.note(sizeOf(payload ?? {}, { bigBlind, startingStack }));
  }

  /** @param {TableState} state */
  #take(state) {
    this.#state = state;
    const { status, handCount, seats } = state;
    const { state: _, ...summary } = this.summary;
    this.summary = { ...summary, status, handCount, playerCount: seats.size };
    if (state.state !== null) this.summary.state = state.state;
  }

  /**
   * Load the table, unless that was done already.
   * @param {() => void} onChange Called when the table is there.
   */
  async load(onChange) {
    if (this.#isRequested) return;
    this.#isRequested = true;
    try {
      const room = await api.room(this.summary.roomId);
      this.#config = room.config;
      this.#take(this.#pending.splice(0).reduce(reduce, fromSnapshot(room)));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return; // the summary has to be enough
    }
    this.#isStale = true;
    onChange();
  }

  /** Draw the board, if something changed. */
  draw() {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.board.show(this.summary, this.#state, this.#config);
  }
}
