/** How fast a room is, and when what of it is drawn: many events a second need fewer drawings. */
// @ts-check

const BUSY = 20; // events a second
const SECOND_MS = 1000;
/** The least time between two drawings of a busy table. */
export const TABLE_MS = 100;
/** The least time between two drawings of what is beside a busy table. */
export const BESIDE_MS = 500;

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
