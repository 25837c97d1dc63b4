/**
 * Shows events no faster than people can follow. Agents decide in milliseconds; a spectator wants
 * to see the winner. A table that is slower than this is shown as it is, without any delay.
 *
 * Nothing is left out: whoever falls behind by a hand jumps over whole hands, which are handed on
 * in one go. `isLive` tells whether all that has arrived is shown.
 */

const DWELL_MS = new Map([
  ["hand_started", 500],
  ["action_taken", 450],
  ["hand_completed", 2600],
]);
const STREET_MS = 650;

export class Pace {
  #queue = [];
  #timer = null;
  #freeAt = 0;
  #show;
  #isCalm;

  /** `show(items)` gets items `{name, data}` in their order, one or many at once. */
  constructor(show, { isCalm }) {
    this.#show = show;
    this.#isCalm = isCalm;
  }

  get isLive() {
    return this.#queue.length === 0;
  }

  get isCalm() {
    return this.#isCalm;
  }

  set isCalm(isCalm) {
    this.#isCalm = isCalm;
    if (!isCalm) this.flush();
  }

  push(item) {
    this.#queue.push(item);
    if (!this.#isCalm || document.hidden) this.flush();
    else if (this.#timer === null) this.#schedule();
  }

  /** Show everything now. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const items = this.#queue.splice(0);
    this.#freeAt = 0;
    if (items.length > 0) this.#show(items);
  }

  /** Forget what was not shown. */
  clear() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#queue = [];
    this.#freeAt = 0;
  }

  #schedule() {
    const wait = this.#freeAt - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#next(), wait);
    else this.#next();
  }

  #next() {
    this.#timer = null;
    const items = this.#queue.splice(0, this.#step());
    this.#freeAt = performance.now() + dwellOf(items.at(-1));
    this.#show(items);
    if (this.#queue.length > 0) this.#schedule();
  }

  /** Return how many items are shown at once: one, or all before the newest hand. */
  #step() {
    if (!isStart(this.#queue[0])) return 1;
    const newest = this.#queue.findLastIndex(isStart);
    return newest > 0 ? newest + 1 : 1;
  }
}

function isStart(item) {
  return item.data.event?.eventType === "hand_started";
}

function dwellOf({ data }) {
  const event = data.event;
  if (event?.payload?.kind === "street_dealt") return STREET_MS;
  return DWELL_MS.get(event?.eventType) ?? 0;
}
