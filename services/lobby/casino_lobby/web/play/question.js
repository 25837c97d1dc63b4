/**
 * The controls of one question: a button for each choice, and a field where one needs an amount.
 */
// @ts-check

/** @import { MySeat } from "./my_seat.js" */
/** @import { Choice, Offer, Price } from "./offers.js" */

import { h, mark, say } from "../dom.js";
import { brief, chips } from "../words.js";
import { commandOf, hasAmount, keyOf, presetsOf, priceOf, typedAmount } from "./offers.js";

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
      ? `${brief(toCall)} to call, pot ${brief(pot)}`
      : `Nothing to call, pot ${brief(pot)}`;
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
      if (choice.kind === "call" && this.#price) say(words, `Call ${brief(this.#price.toCall)}`);
      else say(words, amount ? `${shown} ${brief(amount)}` : shown);
    }
    this.update();
  }
}

/** A slider, a number to type, and shares of the pot to press. */
class AmountField {
  #choice;
  /** @type {HTMLSelectElement | null} */
  #select = null;
  #range = h("input", { type: "range", "aria-label": "Amount", oninput: () => this.#slid() });
  #number = h("input", {
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    class: "amount",
    "aria-label": "Amount",
    oninput: () => this.#typed(),
  });
  #presets = h("div", { class: "presets" });
  #price;
  #onChange;

  /**
   * @param {Choice} choice Its offers have amounts.
   * @param {Price | null} price
   * @param {() => void} onChange
   * @param {() => void} onSend Called when Enter is pressed.
   */
  constructor(choice, price, onChange, onSend) {
    this.#choice = choice;
    this.#price = price;
    this.#onChange = onChange;
    const { offers, words } = choice;
    if (offers.length > 1)
      this.#select = h(
        "select",
        { "aria-label": words, onchange: () => this.#fit() },
        offers.map((offer, index) => h("option", { value: index }, offer.words)),
      );
    this.element = h(
      "form",
      {
        class: "raise",
        novalidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          onSend();
        },
      },
      this.#select,
      this.#range,
      this.#number,
      this.#presets,
    );
    this.#fit();
  }

  /** The offer that is chosen. */
  get offer() {
    const offer = this.#choice.offers[Number(this.#select?.value ?? 0)];
    return /** @type {Offer} */ (offer);
  }

  /** The amount; null while what is typed is none of the offer. */
  get amount() {
    return typedAmount(this.#number.value, this.offer);
  }

  /**
   * Begin to type an amount with a digit.
   * @param {string} digit
   */
  type(digit) {
    this.#number.value = digit;
    this.#number.focus();
    this.#typed();
  }

  /** Set the range and the presets of the offer. */
  #fit() {
    const { min, max } = this.offer;
    mark(this.#range, "min", min);
    mark(this.#range, "max", max);
    this.#presets.replaceChildren(
      ...presetsOf(this.offer, this.#price).map(({ words, amount }) =>
        h("button", { type: "button", class: "quiet", onclick: () => this.#set(amount) }, words),
      ),
    );
    this.#set(this.amount ?? min ?? 0);
  }

  /** @param {number} amount */
  #set(amount) {
    this.#range.value = String(amount);
    this.#number.value = chips(amount);
    this.#changed();
  }

  #slid() {
    this.#set(Number(this.#range.value));
  }

  #typed() {
    const { amount } = this;
    if (amount !== null) this.#range.value = String(amount);
    this.#changed();
  }

  #changed() {
    mark(this.#number, "aria-invalid", this.amount === null ? "true" : null);
    this.#onChange();
  }
}
