/** The field for an amount: a slider, a number to type, and shares of the pot to press. */
// @ts-check

/** @import { Choice, Offer } from "./offers.js" */
/** @import { Price } from "./amounts.js" */

import { h, mark } from "../dom.js";
import { chips } from "../money.js";
import { presetsOf, typedAmount } from "./amounts.js";

export class AmountField {
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
