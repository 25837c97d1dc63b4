/**
 * The bar below the table for the person who sits there: the question with its clock, or what
 * comes before it.
 */
// @ts-check

/** @import { Request } from "../a2g/client.js" */
/** @import { MySeat } from "./my_seat.js" */
/** @import { Result } from "./room_seat.js" */

import { openCard } from "../cards.js";
import { button, h, mark, say, svg } from "../dom.js";
import { PRE_ACTIONS } from "./offers.js";
import { QuestionView } from "./question.js";

const CONNECTIONS = new Map([
  ["connecting", "Connecting…"],
  ["waiting", "Connection lost, trying again…"],
]);

const TICK_MS = 200;
const SOON_MS = 5_000;

export class SeatBar {
  #seat;
  #clock;
  /** @type {QuestionView | null} */
  #question = null;
  /** @type {Request | null} */
  #shownRequest = null;
  #shownCards = "";
  /** @type {Result | null} */
  #result = null;
  #cards = h("div", { class: "mine", "aria-label": "Your cards", role: "group" });
  #status = h("p", { class: "told", role: "status" });
  #hand = h("a", {}, "This hand again");
  #fault = h("p", { class: "fault", role: "alert" });
  #place = h("div", { class: "place" });
  #talk = h("input", {
    type: "text",
    class: "talk",
    maxlength: 200,
    autocomplete: "off",
    placeholder: "Say something with your next move",
    "aria-label": "Table talk",
    oninput: () => {
      this.#seat.talk = this.#talk.value;
    },
  });
  #out = h("button", {
    type: "button",
    class: "quiet",
    onclick: () => this.#seat.sitOut(!this.#seat.isSittingOut),
  });
  #leave;
  #pre;

  /**
   * @param {MySeat} seat
   * @param {() => Promise<void>} leave Gives the seat back.
   */
  constructor(seat, leave) {
    this.#seat = seat;
    this.#clock = new ClockView(
      () => seat.leftMs,
      () => this.show(),
    );
    this.#leave = button("Leave", leave, { class: "quiet" });
    this.#pre = h(
      "fieldset",
      { class: "pre" },
      h("legend", { class: "unseen" }, "Before your turn"),
      PRE_ACTIONS.map(([preAction, words]) =>
        h(
          "label",
          {},
          h("input", {
            type: "checkbox",
            value: preAction,
            onchange: (event) => {
              const isChosen = /** @type {HTMLInputElement} */ (event.target).checked;
              seat.prepare(isChosen ? preAction : null);
            },
          }),
          words,
        ),
      ),
    );
    this.element = h(
      "section",
      { class: "my-seat", "aria-label": "Your seat" },
      h("div", { class: "line" }, this.#clock.element, this.#cards, this.#status, this.#hand),
      this.#fault,
      this.#place,
      h("div", { class: "line aside" }, this.#pre, this.#talk, this.#out, this.#leave),
    );
  }

  /**
   * Show the seat as it is now.
   * @param {Result | null} [result] How the latest hand ended; by default as it was told last.
   */
  show(result = this.#result) {
    this.#result = result;
    const { seated, request, fault, isSittingOut, talk } = this.#seat;
    mark(this.element, "hidden", seated === null);
    if (!seated) return this.#clock.stop();
    if (request !== this.#shownRequest) this.#ask(request);
    this.#question?.update();
    mark(this.element, "data-asked", this.isAsked);
    mark(this.element, "data-request", request?.messageId);
    mark(this.#clock.element, "hidden", request === null);
    this.#showCards();
    say(this.#status, this.#words());
    mark(this.#hand, "href", result?.href);
    mark(this.#hand, "hidden", !result?.href);
    say(this.#fault, fault);
    say(this.#out, isSittingOut ? "I am back" : "Sit out");
    mark(this.#out, "aria-pressed", String(isSittingOut));
    if (this.#talk.value !== talk) this.#talk.value = talk;
    this.#showPreActions();
    return undefined;
  }

  /** Whether a question waits for the person. */
  get isAsked() {
    const { request, isSent, leftMs } = this.#seat;
    return request !== null && !isSent && leftMs > 0;
  }

  /** End the clock. */
  stop() {
    this.#clock.stop();
  }

  /**
   * Act on a key; returns whether it means something here.
   * @param {string} key
   */
  press(key) {
    return this.isAsked && (this.#question?.press(key) ?? false);
  }

  /** @param {Request | null} request */
  #ask(request) {
    this.#shownRequest = request;
    const hadFocus = this.#place.contains(document.activeElement);
    this.#question = request ? new QuestionView(this.#seat) : null;
    this.#place.replaceChildren(...(this.#question ? [this.#question.element] : []));
    if (hadFocus) {
      // The keys of the next question work from here.
      this.element.tabIndex = -1;
      this.element.focus({ preventScroll: true });
    }
    if (request) this.#clock.start((request.timeoutSeconds ?? 0) * 1000);
    else this.#clock.stop();
  }

  #words() {
    const { seated, connection, isSent, request, isSittingOut, note } = this.#seat;
    const trouble = CONNECTIONS.get(connection);
    if (trouble) return trouble;
    if (request && isSent) return "Sent.";
    if (request && !this.isAsked) return "Your time is over.";
    if (request) return ["Your turn.", this.#question?.words].filter(Boolean).join(" ");
    if (isSittingOut) return "You sit out. The table does not wait for you.";
    return (
      this.#result?.words ||
      note ||
      `You are ${seated?.name}, seat ${(seated?.seatNumber ?? 0) + 1}.`
    );
  }

  #showCards() {
    const { cards } = this.#seat.own;
    const key = JSON.stringify(cards);
    mark(this.#cards, "hidden", cards.length === 0);
    if (key === this.#shownCards) return;
    this.#shownCards = key;
    this.#cards.replaceChildren(...cards.map(openCard));
  }

  #showPreActions() {
    const { hasPreActions, preAction } = this.#seat;
    mark(this.#pre, "hidden", !hasPreActions);
    for (const input of this.#pre.querySelectorAll("input"))
      input.checked = input.value === preAction;
  }
}

/** The clock of a question: a ring that runs down, and the seconds that are left. */
class ClockView {
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
