/** How fast a replay plays; the choice is kept. */
// @ts-check

import { keep, kept } from "./chrome.js";
import { h, say } from "./dom.js";

/** Times the usual speed. */
export const SPEEDS = [0.5, 1, 2, 4];

/**
 * Return the speed beside another one, itself at either end.
 * @param {number} speed
 * @param {1 | -1} direction
 */
export function beside(speed, direction) {
  return SPEEDS[SPEEDS.indexOf(speed) + direction] ?? speed;
}

export class Speed {
  #speed;
  #button;

  constructor() {
    const stored = Number(kept(localStorage, "speed"));
    this.#speed = SPEEDS.includes(stored) ? stored : 1;
    this.#button = h("button", {
      type: "button",
      class: "quiet speed",
      title: "Speed (+ and −)",
      onclick: () => this.#set(SPEEDS[(SPEEDS.indexOf(this.#speed) + 1) % SPEEDS.length] ?? 1),
    });
    this.element = this.#button;
    this.#draw();
  }

  /** Times the usual speed. */
  get value() {
    return this.#speed;
  }

  /** @param {1 | -1} direction */
  change(direction) {
    this.#set(beside(this.#speed, direction));
  }

  /** @param {number} speed */
  #set(speed) {
    this.#speed = speed;
    keep(localStorage, "speed", speed === 1 ? null : String(speed));
    this.#draw();
  }

  #draw() {
    say(this.#button, `${this.#speed}× speed`);
  }
}
