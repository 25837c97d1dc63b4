/** Where a hand's parts begin among the steps of its replay: streets, the end, lines of the log. */
// @ts-check

/** @import { TableEvent, TableState } from "./types.js" */

import { h, mark, style } from "./dom.js";

/** @typedef {{ step: number, label: string }} Mark A step where a part of the hand begins. */

/**
 * Return the beginnings of the parts of a hand.
 * @param {TableEvent[]} events
 */
export function marksOf(events) {
  /** @type {Mark[]} */
  const marks = [];
  events.forEach(({ eventType, payload }, step) => {
    const street = String(payload?.bettingRound ?? "");
    if (eventType === "hand_started") marks.push({ step, label: "Start" });
    else if (payload?.kind === "street_dealt" && street !== "")
      marks.push({ step, label: `${street.slice(0, 1).toUpperCase()}${street.slice(1)}` });
    else if (eventType === "hand_completed") marks.push({ step, label: "Result" });
  });
  return marks;
}

/**
 * Return the first step at which a line of the log is there; null if none has it.
 * @param {TableState[]} states The state at every step.
 * @param {number} line The number of the line, from 0.
 */
export function stepOfLine(states, line) {
  const step = states.findIndex(({ hand }) => (hand?.log.length ?? 0) > line);
  return step < 0 ? null : step;
}

/** The marks of a replay: ticks below its slider, and a button for each. */
export class StepMarks {
  #ticks = h("div", { class: "ticks", "aria-hidden": "true" });
  #buttons = h("div", { class: "jumps", role: "group", "aria-label": "Parts of the hand" });
  /** @type {{ mark: Mark, button: HTMLElement }[]} */
  #parts = [];
  #go;

  /**
   * @param {HTMLElement} slider
   * @param {(step: number) => void} go
   */
  constructor(slider, go) {
    this.#go = go;
    this.slider = h("div", { class: "slider" }, slider, this.#ticks);
    this.element = this.#buttons;
  }

  /**
   * Set the marks.
   * @param {Mark[]} marks
   * @param {number} end The last step.
   */
  set(marks, end) {
    this.#ticks.replaceChildren(
      ...marks.map(({ step }) => {
        const tick = h("i");
        style(tick, { "--at": end > 0 ? step / end : 0 });
        return tick;
      }),
    );
    this.#parts = marks.map((one) => {
      const act = () => this.#go(one.step);
      return {
        mark: one,
        button: h("button", { type: "button", class: "jump", onclick: act }, one.label),
      };
    });
    this.#buttons.replaceChildren(...this.#parts.map(({ button }) => button));
  }

  /**
   * Mark the part that a step is in.
   * @param {number} step
   */
  show(step) {
    const now = this.#parts.findLast(({ mark: { step: begin } }) => begin <= step);
    for (const part of this.#parts) mark(part.button, "aria-current", part === now ? "step" : null);
  }
}
