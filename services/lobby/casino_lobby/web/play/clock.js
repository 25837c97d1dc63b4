/** The clock of a question: a ring that runs down, and the seconds that are left. */
// @ts-check

import { h, mark, say, svg } from "../dom.js";

const TICK_MS = 200;
const SOON_MS = 5_000;

export class ClockView {
  #arc = svg("circle", { class: "arc", cx: "22", cy: "22", r: "19", pathLength: "100" });
  #seconds = h("span", { class: "seconds" });
  #leftMs;
  #onEnd;
  #totalMs = 1;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /**
   * @param {() => number} leftMs Returns the time that is left.
   * @param {() => void} onEnd Called once when the time is over.
   */
  constructor(leftMs, onEnd) {
    this.#leftMs = leftMs;
    this.#onEnd = onEnd;
    const ring = svg(
      "svg",
      { viewBox: "0 0 44 44", "aria-hidden": "true" },
      svg("circle", { class: "rim", cx: "22", cy: "22", r: "19" }),
      this.#arc,
    );
    this.element = h(
      "div",
      { class: "turn-clock", role: "timer", "aria-label": "Time left" },
      ring,
      this.#seconds,
    );
  }

  /**
   * Run down from now on.
   * @param {number} totalMs What the whole ring stands for.
   */
  start(totalMs) {
    clearInterval(this.#timer);
    this.#totalMs = Math.max(1, totalMs);
    this.#timer = setInterval(() => this.#draw(), TICK_MS);
    this.#draw();
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #draw() {
    const left = this.#leftMs();
    const share = Math.min(1, left / this.#totalMs);
    mark(this.#arc, "stroke-dashoffset", (100 - 100 * share).toFixed(1));
    say(this.#seconds, `${Math.ceil(left / 1000)}`);
    mark(this.element, "data-soon", left < SOON_MS);
    if (left > 0 || this.#timer === undefined) return;
    this.stop();
    this.#onEnd();
  }
}
