/** The clock at a seat: a ring that runs down; with reduced motion the seconds as a number. */
// @ts-check

/** @import { Clock } from "./types.js" */

import { h, mark, say, svg } from "./dom.js";

const SECOND_MS = 1000;

/**
 * Return the seconds that are left, as a person counts them: 1 is the last.
 * @param {Pick<Clock, "lengthMs" | "elapsedMs">} clock
 */
export function secondsLeft({ lengthMs, elapsedMs }) {
  return Math.max(0, Math.ceil((lengthMs - elapsedMs) / SECOND_MS));
}

export class ClockFace {
  #ring = svg("rect", { pathLength: "100", rx: "12", width: "100%", height: "100%" });
  element = svg("svg", { class: "clock", "aria-hidden": "true" }, this.#ring);
  /** Seconds; the ring says the same to whoever wants motion. */
  seconds = h("span", { class: "seconds", hidden: true, title: "seconds left" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #key = "";

  /**
   * Let the clock run; null stops it.
   * @param {Clock | null} clock
   */
  show(clock) {
    const key = clock ? `${clock.key} ${clock.isRunning}` : "";
    if (key === this.#key) return;
    this.#key = key;
    clearTimeout(this.#timer);
    for (const animation of this.#ring.getAnimations()) animation.cancel();
    const isReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const isRunning = clock?.isRunning === true;
    mark(this.seconds, "hidden", !isRunning || !isReduced);
    if (!clock || !isRunning) return;
    if (isReduced) this.#count(performance.now() - clock.elapsedMs, clock.lengthMs);
    else
      this.#ring.animate([{ strokeDashoffset: 0 }, { strokeDashoffset: 100 }], {
        duration: clock.lengthMs,
        delay: -clock.elapsedMs,
        fill: "forwards",
      });
  }

  /**
   * Show the seconds, and the next ones when they change.
   * @param {number} since
   * @param {number} lengthMs
   */
  #count(since, lengthMs) {
    const elapsedMs = performance.now() - since;
    const left = secondsLeft({ lengthMs, elapsedMs });
    say(this.seconds, `${left} s`);
    if (left === 0 || (elapsedMs > SECOND_MS && !this.seconds.isConnected)) return;
    const next = lengthMs - elapsedMs - (left - 1) * SECOND_MS;
    this.#timer = setTimeout(() => this.#count(since, lengthMs), Math.max(20, next));
  }
}
