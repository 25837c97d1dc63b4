/** The places of a replay: streets and lines among its steps, and the hands and links beside it. */
// @ts-check

/** @import { TableEvent, TableState } from "./types.js" */

import { h, mark, say, style } from "./dom.js";
import { openHelp } from "./room_keys.js";
import { go, handLink, roomLink, sharedAddress } from "./router.js";

/** @typedef {{ step: number, label: string }} Mark A step where a part of the hand begins. */

/**
 * Return the hands beside a hand, null where there is none.
 * @param {number} hand
 * @param {{ first: number, last: number } | null} stored The hands that can be shown, if known.
 */
export function neighbours(hand, stored) {
  const before = hand > Math.max(1, stored?.first ?? 1) ? hand - 1 : null;
  const after = stored && hand < stored.last ? hand + 1 : null;
  return { before, after };
}

/** What stands beside a replay's controls: other hands, open cards, the link, the keys. */
export class ReplayLinks {
  #room;
  #hand;
  #before = h("a", { hidden: true });
  #back;
  #after = h("a", { hidden: true });
  #cards;
  #copied = h("span", { class: "hint", role: "status" });
  /** @type {{ first: number, last: number } | null} */
  #stored = null;

  /**
   * @param {string} room
   * @param {number} hand
   * @param {() => void} toggleCards
   */
  constructor(room, hand, toggleCards) {
    this.#room = room;
    this.#hand = hand;
    this.#back = h("a", { href: roomLink(room), class: "to-live" }, "Back to live");
    this.#cards = h("button", { type: "button", class: "quiet", onclick: toggleCards }, "Cards");
    this.parts = [
      this.#before,
      this.#back,
      this.#after,
      this.#cards,
      h("button", { type: "button", class: "quiet", onclick: () => this.#copy() }, "Copy link"),
      h(
        "button",
        { type: "button", class: "quiet", "aria-label": "Keys (?)", onclick: openHelp },
        "?",
      ),
      this.#copied,
    ];
  }

  /**
   * Show the links that lead somewhere.
   * @param {object} context
   * @param {{ first: number, last: number } | null} context.stored
   * @param {boolean} context.isOver Whether the room is closed.
   * @param {boolean} context.areCardsOpen
   */
  show({ stored, isOver, areCardsOpen }) {
    this.#stored = stored;
    const { before, after } = neighbours(this.#hand, stored);
    this.#link(this.#before, before, "‹ Hand ");
    this.#link(this.#after, after, "Hand ", " ›");
    say(this.#back, isOver ? "Back to the results" : "Back to live");
    say(this.#cards, areCardsOpen ? "Hide cards" : "Open cards");
    mark(this.#cards, "title", "Cards that are shown at the end (O)");
  }

  /**
   * Go to the hand before (-1) or after (+1), if there is one.
   * @param {number} step
   */
  go(step) {
    const { before, after } = neighbours(this.#hand, this.#stored);
    const hand = step < 0 ? before : after;
    if (hand !== null) go(handLink(this.#room, hand));
  }

  /**
   * @param {HTMLElement} link
   * @param {number | null} hand
   * @param {string} lead
   * @param {string} [tail]
   */
  #link(link, hand, lead, tail = "") {
    mark(link, "hidden", hand === null);
    if (hand === null) return;
    mark(link, "href", handLink(this.#room, hand));
    say(link, `${lead}${hand}${tail}`);
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(sharedAddress());
      say(this.#copied, "Copied");
    } catch {
      // Browsers offer the clipboard only at localhost and over HTTPS.
      say(this.#copied, "The link is in the address bar.");
    }
  }
}

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
