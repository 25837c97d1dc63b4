/**
 * Shows events no faster than people can follow. Agents decide in milliseconds; spectators want to
 * see who wins. A table that is slower than this pace is shown without delay.
 *
 * No event is left out: a view that is behind by a hand or more gets the missed hands all at once.
 */
// @ts-check

/** @import { PaceItem } from "./types.js" */

const DWELL_MS = new Map([
  ["hand_started", 500],
  ["action_taken", 450],
  ["hand_completed", 2600],
]);
const STREET_MS = 650;

export class Pace {
  /** @type {PaceItem[]} */
  #queue = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #freeAt = 0;
  #show;
  #isCalm;

  /**
   * @param {(items: PaceItem[]) => void} show Shows items in their order, one or several at once.
   * @param {{ isCalm: boolean }} options Whether to wait between items.
   */
  constructor(show, { isCalm }) {
    this.#show = show;
    this.#isCalm = isCalm;
  }

  /** Whether everything that has arrived is shown. */
  get isLive() {
    return this.#queue.length === 0;
  }

  /** The number of hands that have begun and are not shown yet. */
  get behind() {
    return this.#queue.filter(isStart).length;
  }

  get isCalm() {
    return this.#isCalm;
  }

  set isCalm(isCalm) {
    this.#isCalm = isCalm;
    if (!isCalm) this.flush();
  }

  /**
   * Add an item; it is shown when its turn comes.
   * @param {PaceItem} item
   */
  push(item) {
    this.#queue.push(item);
    if (!this.#isCalm || document.hidden) this.flush();
    else if (this.#timer === undefined) this.#schedule();
  }

  /** Show everything now. */
  flush() {
    this.#stopTimer();
    const items = this.#queue.splice(0);
    this.#freeAt = 0;
    if (items.length > 0) this.#show(items);
  }

  /** Drop what was not shown. */
  clear() {
    this.#stopTimer();
    this.#queue = [];
    this.#freeAt = 0;
  }

  #stopTimer() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule() {
    const waitMs = this.#freeAt - performance.now();
    if (waitMs > 0) this.#timer = setTimeout(() => this.#next(), waitMs);
    else this.#next();
  }

  #next() {
    this.#timer = undefined;
    const items = this.#queue.splice(0, this.#batchSize());
    this.#freeAt = performance.now() + dwellOf(items.at(-1));
    this.#show(items);
    if (this.#queue.length > 0) this.#schedule();
  }

  /** Return how many items to show at once: a single one, or all up to the newest hand. */
  #batchSize() {
    if (!isStart(this.#queue[0])) return 1;
    const newest = this.#queue.findLastIndex(isStart);
    return newest > 0 ? newest + 1 : 1;
  }
}

/** @param {PaceItem | undefined} item */
function isStart(item) {
  return item?.name === "table_event" && item.data.event.eventType === "hand_started";
}

/**
 * Return for how many milliseconds an item stays before the next one.
 * @param {PaceItem | undefined} item
 */
export function dwellOf(item) {
  if (item?.name !== "table_event") return 0;
  const { eventType, payload } = item.data.event;
  if (payload?.kind === "street_dealt") return STREET_MS;
  return DWELL_MS.get(eventType) ?? 0;
}
