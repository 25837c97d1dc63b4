/** A past hand, step by step: the same fold over the same events, with a hand on the clock. */

import { api } from "./api.js";
import { h, mark, say, svg } from "./dom.js";
import { insightOf } from "./insight.js";
import { EMPTY, reduce } from "./reducer.js";

const STEP_MS = 900;
const LAST_STEP_MS = 2200;
const ICONS = new Map([
  ["first", "M5.500 5h2v14h-2zM17 5l1.400 1.400-5.600 5.600 5.600 5.600L17 19l-7-7z"],
  ["back", "M15.5 5l1.400 1.400L11.300 12l5.600 5.600-1.400 1.400-7-7z"],
  ["play", "M8 5v14l11-7z"],
  ["pause", "M7 5h4v14H7zm6 0h4v14h-4z"],
  ["forward", "M8.500 5l7 7-7 7-1.400-1.400 5.600-5.600-5.600-5.600z"],
  ["last", "M16.500 5h2v14h-2zM7 5l7 7-7 7-1.400-1.400 5.600-5.600-5.600-5.600z"],
]);

export class Replay {
  states = [EMPTY];
  insight = null;
  step = 0;
  #events = [];
  #timer = null;
  #buttons = new Map();
  #slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step" });
  #told = h("p", { class: "step-told" });
  #show;

  /** `show()` draws; `moved(step)` keeps the link in step. */
  constructor(room, hand, { show, moved, lastHand, links }) {
    [this.room, this.hand, this.moved, this.lastHand] = [room, hand, moved, lastHand];
    this.#show = show;
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
      this.#slider,
      h("div", { class: "where" }, links),
      this.#told,
    );
  }

  get end() {
    return this.states.length - 1;
  }

  get state() {
    return this.states[this.step];
  }

  /** Load the hand, for an operator the whole of it; raises Problem when there is no such hand. */
  async load(step, isOperators) {
    const { events } = await api.hand(this.room, this.hand);
    this.#events = events;
    this.states = events
      .slice(1)
      .reduce(
        (states, event) => [...states, reduce(states.at(-1), event)],
        [reduce(EMPTY, events[0])],
      );
    mark(this.#slider, "max", this.end);
    this.#set(step ?? 0);
    if (isOperators) await this.reveal();
  }

  /** Fetch what only an operator may see; raises Problem. */
  async reveal() {
    this.insight = insightOf(await api.record(this.room, this.hand));
    this.#show();
  }

  /** Go to a step; it stops whatever plays. */
  go(step) {
    this.pause();
    this.#set(step);
  }

  toggle() {
    if (this.#timer !== null) return this.pause();
    if (this.step === this.end) this.#set(0);
    return this.#plan();
  }

  pause() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#drawPlay();
  }

  stop() {
    this.pause();
  }

  /** Take a key; returns whether it was one of ours. */
  press(key) {
    const act = {
      ArrowLeft: () => this.go(this.step - 1),
      ArrowRight: () => this.go(this.step + 1),
      Home: () => this.go(0),
      End: () => this.go(this.end),
      " ": () => this.toggle(),
    }[key];
    act?.();
    return act !== undefined;
  }

  #plan() {
    const wait = this.step === this.end - 1 ? LAST_STEP_MS / 2 : STEP_MS;
    this.#timer = setTimeout(() => {
      this.#set(this.step + 1);
      if (this.step < this.end) this.#plan();
      else this.pause();
    }, wait);
    this.#drawPlay();
  }

  #set(step) {
    this.step = Math.min(this.end, Math.max(0, step));
    this.#slider.value = this.step;
    const told = this.#events[this.step]?.message ?? "";
    mark(this.#slider, "aria-valuetext", `step ${this.step + 1} of ${this.end + 1}: ${told}`);
    say(this.#told, `${this.step + 1} / ${this.end + 1} · ${told}`);
    for (const name of ["first", "back"])
      mark(this.#buttons.get(name), "aria-disabled", this.step === 0 ? "true" : null);
    for (const name of ["forward", "last"])
      mark(this.#buttons.get(name), "aria-disabled", this.step === this.end ? "true" : null);
    this.moved(this.step);
    this.#show();
  }

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
    this.#buttons.get("play").replaceChildren(icon(this.#timer === null ? "play" : "pause"));
  }
}

function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: ICONS.get(name) }),
  );
}
