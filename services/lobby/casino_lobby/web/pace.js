/**
 * How fast events are shown and drawn.
 *
 * Agents decide in milliseconds; spectators want to see who wins. A table that is slower than this
 * pace is shown without delay. No event is left out: a view that is behind by a hand or more gets the
 * missed hands all at once. Many events a second need fewer drawings.
 */
// @ts-check

/** @import { PaceItem, TableEvent } from "./types.js" */

const DWELL_MS = new Map([
  ["hand_started", 500],
  ["action_taken", 450],
  ["hand_completed", 2600],
]);
const STREET_MS = 650;

const BUSY = 20; // events a second
const SECOND_MS = 1000;
/** The least time between two drawings of a busy table. */
const TABLE_MS = 100;
/** The least time between two drawings of what is beside a busy table. */
const BESIDE_MS = 500;

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

  /** For how many milliseconds more what is shown stays. */
  get restMs() {
    return Math.max(0, this.#freeAt - performance.now());
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
    const waitMs = this.restMs;
    if (waitMs > 0) this.#timer = setTimeout(() => this.#next(), waitMs);
    else this.#next();
  }

  #next() {
    this.#timer = undefined;
    const items = this.#queue.splice(0, this.#batchSize());
    const shown = isStart(items[0]) ? items.slice(-1) : items;
    this.#freeAt = performance.now() + shown.reduce((sum, item) => sum + dwellOf(eventOf(item)), 0);
    this.#show(items);
    if (this.#queue.length > 0) this.#schedule();
  }

  /** Return how many items to show at once: one, a hand's end, or all up to the newest hand. */
  #batchSize() {
    if (!isStart(this.#queue[0])) return runOutOf(this.#queue.map(eventOf));
    const newest = this.#queue.findLastIndex(isStart);
    return newest > 0 ? newest + 1 : 1;
  }
}

/** @param {PaceItem | undefined} item */
function isStart(item) {
  return eventOf(item)?.eventType === "hand_started";
}

/** @param {PaceItem | undefined} item */
function eventOf(item) {
  return item?.name === "table_event" ? item.data.event : undefined;
}

/**
 * Return how many events to show at once: the last streets of a hand in which all are all-in come
 * together with its end, whose cards they need; all others by themselves.
 * @param {(TableEvent | undefined)[]} events
 */
export function runOutOf(events) {
  const first = events.findIndex((event) => event?.payload?.kind !== "street_dealt");
  return events[first]?.eventType === "hand_completed" ? first + 1 : 1;
}

/**
 * Return for how many milliseconds an event stays before what comes next.
 * @param {TableEvent | undefined} event
 */
export function dwellOf(event) {
  if (event?.payload?.kind === "street_dealt") return STREET_MS;
  return DWELL_MS.get(event?.eventType ?? "") ?? 0;
}

export class Rate {
  /** @type {number[]} The times of the newest events. */
  #times = [];

  /**
   * Count an event.
   * @param {number} now Milliseconds.
   */
  count(now) {
    this.#times.push(now);
    if (this.#times.length > BUSY) this.#times.shift();
  }

  /**
   * Return whether the last second had more events than people can follow.
   * @param {number} now Milliseconds.
   */
  isBusy(now) {
    return this.#times.length === BUSY && now - (this.#times[0] ?? 0) < SECOND_MS;
  }
}

/** Plans the drawings of a room: at once in the next frame, or later while the room is busy. */
export class Drawings {
  #draw;
  #isBusy;
  #isDue = false;
  #drawnAt = 0;
  #besideAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} Draws again when it is quiet. */
  #settle;

  /**
   * @param {(isAll: boolean) => void} draw Draws the table; `isAll`: also what is beside it.
   * @param {() => boolean} isBusy
   */
  constructor(draw, isBusy) {
    this.#draw = draw;
    this.#isBusy = isBusy;
  }

  /** Draw soon. */
  plan() {
    if (this.#isDue) return;
    this.#isDue = true;
    const wait = this.#isBusy() ? TABLE_MS - (performance.now() - this.#drawnAt) : 0;
    const inFrame = () => requestAnimationFrame((now) => this.#run(now));
    if (wait > 0) setTimeout(inFrame, wait);
    else inFrame();
  }

  /** Draw nothing more. */
  stop() {
    clearTimeout(this.#settle);
    this.#isDue = true;
  }

  /** @param {number} now */
  #run(now) {
    this.#isDue = false;
    clearTimeout(this.#settle);
    const isBusy = this.#isBusy();
    const isAll = !isBusy || now - this.#besideAt >= BESIDE_MS;
    this.#drawnAt = performance.now();
    if (isAll) this.#besideAt = now;
    if (isBusy) this.#settle = setTimeout(() => this.plan(), SECOND_MS);
    this.#draw(isAll);
  }
}
