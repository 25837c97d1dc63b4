/**
 * The replay of a past hand, step by step and at a chosen speed: the same fold over the same events.
 */
// @ts-check

/** @import { Child, HandRecord, Insight, TableEvent, TableState } from "./types.js" */

import { api, Problem } from "./api.js";
import { keep, kept } from "./chrome.js";
import { h, mark, say, svg } from "./dom.js";
import { insightOf, shownLater } from "./insight.js";
import { handText } from "./log.js";
import { EMPTY, reduce } from "./reducer.js";
import { marksOf, StepMarks, stepOfLine } from "./replay_links.js";
import { sharedAddress } from "./router.js";
import { Showdown } from "./showdown.js";

/**
 * @typedef {object} HandSource Where a hand comes from; each throws Problem.
 * @property {() => Promise<{ events: TableEvent[] }>} events
 * @property {() => Promise<HandRecord>} record
 * @property {() => string} address The link that others can use.
 */

const STEP_MS = 900;
const LAST_STEP_MS = 2200;
const PARTIAL =
  "The beginning of this hand is no longer stored: blinds and stacks of the start are unknown.";
const ICONS = new Map([
  ["first", "M5.500 5h2v14h-2zM17 5l1.400 1.400-5.600 5.600 5.600 5.600L17 19l-7-7z"],
  ["back", "M15.5 5l1.400 1.400L11.300 12l5.600 5.600-1.400 1.400-7-7z"],
  ["play", "M8 5v14l11-7z"],
  ["pause", "M7 5h4v14H7zm6 0h4v14h-4z"],
  ["forward", "M8.500 5l7 7-7 7-1.400-1.400 5.600-5.600-5.600-5.600z"],
  ["last", "M16.500 5h2v14h-2zM7 5l7 7-7 7-1.400-1.400 5.600-5.600-5.600-5.600z"],
]);

/** Times the usual speed. */
const SPEEDS = [0.5, 1, 2, 4];

export class Replay {
  /** @type {TableState[]} The state after each event. */
  states = [EMPTY];
  /** @type {Insight | null} What an operator may see. */
  insight = null;
  /** @type {Insight | null} The cards that everybody sees by the end. */
  shown = null;
  /** @type {string | null} Why the hand cannot be shown. */
  fault = null;
  step = 0;
  /** The furthest step that was shown. */
  #seen = 0;
  /** @type {TableEvent[]} */
  #events = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {Map<string, HTMLElement>} */
  #buttons = new Map();
  #slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step" });
  #message = h("p", { class: "step-told", "aria-live": "polite" });
  #marks = new StepMarks(this.#slider, (step) => this.go(step));
  #speed = new Speed();
  #copied = h("span", { class: "hint", role: "status" });
  #partial = h("p", { class: "hint partial", hidden: true }, PARTIAL);
  #room;
  /** @type {HandSource} */
  #source;
  #show;
  #showdown;
  #moved;
  #onEnd;
  /** @type {Map<string, () => void>} */
  #keys = new Map([
    ["ArrowLeft", () => this.go(this.step - 1)],
    ["ArrowRight", () => this.go(this.step + 1)],
    ["Home", () => this.go(0)],
    ["End", () => this.go(this.end)],
    [" ", () => this.toggle()],
    ["+", () => this.#speed.change(1)],
    ["-", () => this.#speed.change(-1)],
  ]);

  /**
   * @param {string} room
   * @param {number} hand
   * @param {object} options
   * @param {() => void} options.show Draws the current step.
   * @param {(step: number) => void} options.moved Called with every new step.
   * @param {() => void} options.onEnd Called when it has played to its end.
   * @param {Child[]} options.links Links to other hands.
   * @param {number | null} [options.epoch] Which of several hands with this number.
   * @param {HandSource} [options.source] By default the room's.
   */
  constructor(room, hand, { show, moved, onEnd, links, epoch = null, source }) {
    this.hand = hand;
    this.epoch = epoch;
    this.#room = room;
    this.#source = source ?? {
      events: () => api.hand(room, hand, epoch),
      record: () => api.record(room, hand, epoch),
      address: sharedAddress,
    };
    this.#moved = moved;
    this.#show = show;
    this.#showdown = new Showdown(show);
    this.#onEnd = onEnd;
    this.#slider.addEventListener("input", () => this.go(Number(this.#slider.value)));
    this.element = h(
      "div",
      { class: "replay", role: "group", "aria-label": `Replay of hand ${hand}` },
      h(
        "div",
        { class: "buttons" },
        this.#button("first", "First step (Home)", () => this.go(0)),
        this.#button("back", "Back (←)", () => this.go(this.step - 1)),
        this.#button("play", "Play or pause (space)", () => this.toggle()),
        this.#button("forward", "Forward (→)", () => this.go(this.step + 1)),
        this.#button("last", "Last step (End)", () => this.go(this.end)),
      ),
      this.#marks.slider,
      h("div", { class: "where" }, links),
      h(
        "div",
        { class: "tools" },
        this.#marks.element,
        this.#speed.element,
        h("button", { type: "button", class: "quiet", onclick: () => this.#copy() }, "Copy text"),
        this.#copied,
      ),
      this.#message,
      this.#partial,
    );
  }

  /**
   * What is shown of the hand besides its events.
   * @param {boolean} areCardsOpen Whether the cards that are shown later are open already.
   */
  insightAt(areCardsOpen) {
    return areCardsOpen ? (this.insight ?? this.shown) : null;
  }

  /** The last step. */
  get end() {
    return this.states.length - 1;
  }

  /** The state of the table at the current step; its last one is shown in acts. */
  get state() {
    const state = this.states[this.step] ?? EMPTY;
    return this.#showdown.seen(state, () => LAST_STEP_MS / this.#speed.value);
  }

  /**
   * Load the hand, with its record for an operator; throws Problem if there is no such hand.
   * @param {number | null} step
   * @param {boolean} isOperators
   */
  async load(step, isOperators) {
    const events = await this.#loadEvents();
    this.#events = events;
    mark(this.#partial, "hidden", events[0]?.eventType === "hand_started");
    let state = EMPTY;
    this.states = events.map((event) => {
      state = reduce(state, event);
      return state;
    });
    this.shown = shownLater(this.states.at(-1));
    mark(this.#slider, "max", this.end);
    this.#marks.set(marksOf(events), this.end);
    this.#set(step ?? 0);
    if (isOperators) await this.reveal();
  }

  /** The state at the furthest step that was shown: its log has every line that is known. */
  get seen() {
    return this.states[this.#seen] ?? EMPTY;
  }

  /**
   * Go to where a line of the log came in.
   * @param {number} line The number of the line, from 0.
   */
  goToLine(line) {
    const step = stepOfLine(this.states, line);
    if (step !== null) this.go(step);
  }

  async #copy() {
    try {
      const text = handText(this.#room, this.states.at(-1) ?? EMPTY, this.#source.address());
      await navigator.clipboard.writeText(text);
      say(this.#copied, "Copied");
    } catch {
      // Browsers offer the clipboard only at localhost and over HTTPS.
      say(this.#copied, "The browser allows no copy here.");
    }
  }

  async #loadEvents() {
    try {
      const { events } = await this.#source.events();
      if (events.length > 0) return events;
      throw new Problem(404, { detail: "None of its events is stored." });
    } catch (error) {
      if (error instanceof Problem) {
        this.fault = error.message;
        mark(this.element, "hidden", true);
        this.#show();
      }
      throw error;
    }
  }

  /** Load the hand's record, which only an operator may see; throws Problem. */
  async reveal() {
    this.insight = insightOf(await this.#source.record());
    this.#show();
  }

  /**
   * Go to a step, and stop playing.
   * @param {number} step
   */
  go(step) {
    this.pause();
    this.#set(step);
  }

  /** Play, or pause. */
  toggle() {
    if (this.#timer !== undefined) return this.pause();
    if (this.step === this.end) this.#set(0);
    return this.#plan();
  }

  pause() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drawPlay();
  }

  stop() {
    this.pause();
    this.#showdown.stop();
  }

  /**
   * React to a key; returns whether the replay uses it.
   * @param {string} key
   */
  press(key) {
    const act = this.#keys.get(key);
    act?.();
    return act !== undefined;
  }

  #plan() {
    const isAtEnd = this.step === this.end;
    const wait = isAtEnd ? LAST_STEP_MS : STEP_MS;
    this.#timer = setTimeout(() => {
      if (isAtEnd) {
        this.pause();
        return this.#onEnd();
      }
      this.#set(this.step + 1);
      return this.#plan();
    }, wait / this.#speed.value);
    this.#drawPlay();
  }

  /**
   * Show a step.
   * @param {number} step
   */
  #set(step) {
    this.step = Math.min(this.end, Math.max(0, step));
    this.#seen = Math.max(this.#seen, this.step);
    this.#marks.show(this.step);
    this.#slider.value = String(this.step);
    const message = this.#events[this.step]?.message ?? "";
    mark(this.#slider, "aria-valuetext", `step ${this.step + 1} of ${this.end + 1}: ${message}`);
    say(this.#message, `${this.step + 1} / ${this.end + 1} · ${message}`);
    for (const [name, button] of this.#buttons) {
      const isUseless =
        (this.step === 0 && ["first", "back"].includes(name)) ||
        (this.step === this.end && ["forward", "last"].includes(name));
      mark(button, "aria-disabled", isUseless ? "true" : null);
    }
    this.#moved(this.step);
    this.#show();
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {() => void} act
   */
  #button(name, label, act) {
    const button = h(
      "button",
      { type: "button", class: "quiet icon", "aria-label": label, title: label, onclick: act },
      icon(name),
    );
    this.#buttons.set(name, button);
    return button;
  }

  #drawPlay() {
    this.#buttons.get("play")?.replaceChildren(icon(this.#timer === undefined ? "play" : "pause"));
  }
}

/** @param {string} name */
function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: ICONS.get(name) }),
  );
}

/**
 * Return the speed beside another one, itself at either end.
 * @param {number} speed
 * @param {1 | -1} direction
 */
export function beside(speed, direction) {
  return SPEEDS[SPEEDS.indexOf(speed) + direction] ?? speed;
}

/** How fast a replay plays; the choice is kept. */
class Speed {
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
