/** The replay of a session: its frames one after the other, with command and reasoning beside. */
// @ts-check

/** @import { Command } from "./types.js" */

import { api, Refusal } from "./api.js";
import { h, say } from "./dom.js";
import { cardLink } from "./router.js";
import { commandName, reasoningText, stateWords } from "./words.js";

/**
 * One frame of a command.
 * @typedef {object} Step
 * @property {Command} command
 * @property {string} frame
 * @property {number} place Its place among the command's frames, from 1.
 */

const STEP_MS = 500;
const LOAD_PAUSE_MS = 150;

export const SIDE = 64;

/** The sixteen colours, as the evaluator's `frames/frame_canvas.py` has them. */
export const COLORS = [
  "#ffffff",
  "#cccccc",
  "#999999",
  "#666666",
  "#333333",
  "#000000",
  "#e53aa3",
  "#ff7bcc",
  "#f93c31",
  "#1e93ff",
  "#88d8f1",
  "#ffdc00",
  "#ff851b",
  "#921231",
  "#4fcc30",
  "#a356d6",
];

/** Red, green, blue of each colour. */
const VALUES = COLORS.map((color) =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)),
);

export class ReplayView {
  /** @type {Step[]} */
  #steps = [];
  #step = 0;
  #next = 1;
  #isStopped = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #loading;
  #guid;
  #announce;
  #canvas = h("canvas", { width: SIDE, height: SIDE, class: "frame", role: "img" });
  #slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Frame" });
  #play = h("button", { type: "button", class: "main", onclick: () => this.toggle() }, "Play");
  #where = h("p", { class: "where" });
  #command = h("h2", {});
  #outcome = h("p", {});
  #reasoning = h("pre", { class: "reasoning", tabindex: 0, "aria-label": "Reasoning" });
  #hint = h("p", { class: "hint" });
  #card = h("a", { href: "#/" }, "Scorecard");
  /** @type {Map<string, () => void>} */
  #keys = new Map([
    ["ArrowLeft", () => this.go(this.#step - 1)],
    ["ArrowRight", () => this.go(this.#step + 1)],
    ["Home", () => this.go(0)],
    ["End", () => this.go(this.#steps.length - 1)],
    [" ", () => this.toggle()],
  ]);

  /**
   * @param {string} guid
   * @param {(text: string) => void} announce Says a step to screen readers.
   */
  constructor(guid, announce) {
    this.#guid = guid;
    this.#announce = announce;
    this.#slider.addEventListener("input", () => this.go(Number(this.#slider.value)));
    this.element = h(
      "section",
      { class: "replay" },
      h("h1", {}, `Replay of ${guid}`),
      h("p", {}, this.#card),
      this.#hint,
      h(
        "div",
        { class: "stage" },
        h(
          "div",
          {},
          this.#canvas,
          this.#slider,
          h(
            "div",
            { class: "row", role: "group", "aria-label": "Replay" },
            this.#button("First", "Home", 0),
            this.#button("Back", "←", -1),
            this.#play,
            this.#button("Forward", "→", 1),
            this.#button("Last", "End", Number.POSITIVE_INFINITY),
          ),
        ),
        h("div", { class: "beside" }, this.#where, this.#command, this.#outcome, this.#reasoning),
      ),
    );
  }

  /** Load the first commands; the others follow. Throws Refusal. */
  async load() {
    await this.#loadPart();
    this.#draw();
  }

  /** Stop playing and loading. */
  stop() {
    this.#isStopped = true;
    clearTimeout(this.#loading);
    this.pause();
  }

  /**
   * Go to a frame, and stop playing.
   * @param {number} step
   */
  go(step) {
    this.pause();
    this.#set(step);
    this.#announce(this.#label());
  }

  /** Play, or pause. */
  toggle() {
    if (this.#timer !== undefined) {
      this.pause();
      return;
    }
    if (this.#step >= this.#steps.length - 1) this.#set(0);
    say(this.#play, "Pause");
    this.#plan();
  }

  pause() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    say(this.#play, "Play");
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

  /**
   * @param {string} text
   * @param {string} key
   * @param {number} by Steps to move; 0 for the first one.
   */
  #button(text, key, by) {
    const onclick = () => this.go(by === 0 ? 0 : this.#step + by);
    const title = `${text} (${key})`;
    return h("button", { type: "button", class: "quiet", title, onclick }, text);
  }

  #plan() {
    this.#timer = setTimeout(() => {
      this.#set(this.#step + 1);
      if (this.#step < this.#steps.length - 1) this.#plan();
      else this.pause();
    }, STEP_MS);
  }

  async #loadPart() {
    const part = await api.replay(this.#guid, this.#next);
    if (this.#isStopped) return;
    this.#card.href = cardLink(part.card_id);
    const last = part.commands.at(-1);
    this.#steps.push(...stepsOf(part.commands));
    this.#slider.max = String(Math.max(0, this.#steps.length - 1));
    const isAll = last === undefined || last.number >= part.commands_total;
    say(this.#hint, hintOf(part.dropped, last?.number ?? 0, isAll ? null : part.commands_total));
    if (isAll) return;
    this.#next = last.number + 1;
    this.#loading = setTimeout(() => this.#loadMore(), LOAD_PAUSE_MS);
  }

  async #loadMore() {
    try {
      await this.#loadPart();
      this.#tell();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!this.#isStopped) say(this.#hint, `The rest could not be loaded: ${error.message}`);
    }
  }

  /** @param {number} step */
  #set(step) {
    this.#step = Math.max(0, Math.min(this.#steps.length - 1, step));
    this.#draw();
  }

  #draw() {
    const step = this.#steps[this.#step];
    this.#slider.value = String(this.#step);
    this.#tell();
    if (step === undefined) {
      say(this.#command, "Nothing is recorded");
      return;
    }
    const image = new ImageData(pixelsOf(step.frame), SIDE, SIDE);
    this.#canvas.getContext("2d")?.putImageData(image, 0, 0);
    const { command } = step;
    say(this.#command, commandName(command));
    say(
      this.#outcome,
      `After it: ${stateWords(command.state)}, ${command.score} levels completed;` +
        ` available: ${command.available_actions.join(", ") || "none"}`,
    );
    const text = reasoningText(command.action_input.reasoning);
    say(this.#reasoning, text);
    this.#reasoning.hidden = text === "";
  }

  #tell() {
    say(this.#where, this.#label());
    this.#canvas.setAttribute("aria-label", this.#label());
    this.#slider.setAttribute("aria-valuetext", this.#label());
  }

  #label() {
    const step = this.#steps[this.#step];
    if (step === undefined) return "No frame";
    const { command, place } = step;
    const frame = `Frame ${this.#step + 1} of ${this.#steps.length}`;
    return `${frame}: command ${command.number}, ${place} of its ${command.frames.length}`;
  }
}

/**
 * Return what is missing of a replay.
 * @param {number} dropped
 * @param {number} loaded
 * @param {number | null} total Of the commands, while there are more to load.
 */
function hintOf(dropped, loaded, total) {
  const lost = dropped > 0 ? `The oldest ${dropped} commands are not kept any more. ` : "";
  return lost + (total === null ? "" : `Loaded ${loaded} of ${total} commands…`);
}

/**
 * Return the steps of commands: one for each of their frames.
 * @param {Command[]} commands
 * @returns {Step[]}
 */
export function stepsOf(commands) {
  return commands.flatMap((command) =>
    command.frames.map((frame, index) => ({ command, frame, place: index + 1 })),
  );
}

/**
 * Return the pixels of a frame: red, green, blue and opacity of each, row by row.
 * @param {string} frame 4096 hexadecimal digits; what is none of them is black.
 */
export function pixelsOf(frame) {
  const pixels = new Uint8ClampedArray(SIDE * SIDE * 4);
  for (let place = 0; place < SIDE * SIDE; place += 1) {
    const value = VALUES[Number.parseInt(frame.charAt(place), 16)] ?? [0, 0, 0];
    pixels.set([...value, 255], place * 4);
  }
  return pixels;
}
