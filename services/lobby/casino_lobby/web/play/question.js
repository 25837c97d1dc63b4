/** The controls of one question: a button for each choice, and the amount where one is needed. */
// @ts-check

/** @import { Choice } from "./offers.js" */
/** @import { MySeat } from "./my_seat.js" */

import { h, mark, say } from "../dom.js";
import { chips } from "../money.js";
import { AmountField } from "./amount_field.js";
import { priceOf } from "./amounts.js";
import { commandOf, keyOf } from "./keys.js";
import { hasAmount } from "./offers.js";

/** Words for kinds of actions whose amount is a total; the amount follows. */
const TOTALS = new Map([["raise", "raise to"]]);
/** Kinds that go on with the hand without a new bet. */
const MAIN = new Set(["check", "call", "stand", "pass"]);

export class QuestionView {
  #seat;
  #choices;
  #price;
  /** @type {{ choice: Choice, button: HTMLButtonElement, words: HTMLElement }[]} */
  #buttons = [];
  /** @type {Map<Choice, AmountField>} */
  #fields = new Map();

  /** @param {MySeat} seat With an open request. */
  constructor(seat) {
    this.#seat = seat;
    this.#choices = seat.choices;
    this.#price = priceOf(seat.request?.payload.public, seat.seated?.playerId ?? "");
    for (const choice of this.#choices) this.#add(choice);
    this.element = h(
      "div",
      { class: "question" },
      h(
        "div",
        { class: "acts" },
        this.#buttons.map(({ button }) => button),
      ),
      [...this.#fields.values()].map(({ element }) => element),
    );
    this.#draw();
  }

  /** What there is to pay, as a sentence; empty in games without bets to match. */
  get words() {
    if (!this.#price) return "";
    const { toCall, pot } = this.#price;
    return toCall > 0
      ? `${chips(toCall)} to call, pot ${chips(pot)}`
      : `Nothing to call, pot ${chips(pot)}`;
  }

  /** Show whether an action is on its way. */
  update() {
    for (const { button, choice } of this.#buttons)
      button.disabled = this.#seat.isSent || this.#amountOf(choice) === null;
  }

  /**
   * Act on a key; returns whether it means something here.
   * @param {string} key
   */
  press(key) {
    const command = commandOf(key, this.#choices);
    if (command === null || this.#seat.isSent) return false;
    if (command.do === "choose") this.#take(command.choice);
    else [...this.#fields.values()][0]?.type(command.digit);
    return true;
  }

  /** @param {Choice} choice */
  #add(choice) {
    if (hasAmount(choice) || choice.offers.length > 1) {
      const field = new AmountField(
        choice,
        this.#price,
        () => this.#draw(),
        () => this.#take(choice),
      );
      this.#fields.set(choice, field);
    }
    const words = h("span");
    const key = keyOf(choice, this.#choices);
    const look = MAIN.has(choice.kind) ? "main" : hasAmount(choice) ? "bold" : "quiet";
    const button = h(
      "button",
      { type: "button", class: look, "data-kind": choice.kind, onclick: () => this.#take(choice) },
      words,
      key ? h("kbd", { "aria-hidden": "true" }, key) : null,
    );
    if (key) mark(button, "aria-keyshortcuts", key);
    this.#buttons.push({ choice, button, words });
  }

  /** @param {Choice} choice */
  #take(choice) {
    const field = this.#fields.get(choice);
    const offer = field?.offer ?? choice.offers[0];
    const amount = this.#amountOf(choice);
    if (offer && amount !== null) this.#seat.act(offer, amount);
  }

  /**
   * Return the amount of a choice: 0 if it has none to choose, null while none is given.
   * @param {Choice} choice
   */
  #amountOf(choice) {
    const field = this.#fields.get(choice);
    return field && field.offer.min !== null ? field.amount : 0;
  }

  /** Write the amounts on the buttons. */
  #draw() {
    for (const { choice, words } of this.#buttons) {
      const amount = this.#amountOf(choice);
      const text = TOTALS.get(choice.kind) ?? choice.words;
      const shown = text.charAt(0).toUpperCase() + text.slice(1);
      if (choice.kind === "call" && this.#price) say(words, `Call ${chips(this.#price.toCall)}`);
      else say(words, amount ? `${shown} ${chips(amount)}` : shown);
    }
    this.update();
  }
}
