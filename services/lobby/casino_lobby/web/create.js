/** The dialog that opens a room. */

import { api } from "./api.js";
import { h } from "./dom.js";
import { Form } from "./forms.js";
import { roomLink } from "./router.js";

const RULES = {
  startingStack: 200, smallBlind: 1, bigBlind: 2, minBuyIn: 40, maxBuyIn: 400, maxHands: 100,
  maxSeats: 6, actionTimeoutMs: 10_000, ante: 0, rebuy: "none",
};
const FIELDS = [
  ["startingStack", "Starting stack"], ["smallBlind", "Small blind"], ["bigBlind", "Big blind"],
  ["minBuyIn", "Smallest buy-in"], ["maxBuyIn", "Largest buy-in"], ["ante", "Ante"], ["maxSeats", "Seats"],
  ["maxHands", "Hands"], ["actionTimeoutMs", "Clock (ms)"],
];

export class CreateDialog {
  #form;

  constructor() {
    const cancel = h("button", { type: "button", class: "quiet", onclick: () => this.element.close() }, "Cancel");
    this.#form = new Form("create", [
      { name: "roomId", label: "Name (optional)", hint: "Letters, digits and . _ : ~ -", wide: true },
      ...FIELDS.map(([name, label]) => ({ name: `config.${name}`, label, type: "number", value: String(RULES[name]) })),
      { name: "config.rebuy", label: "Who is broke", options: [["none", "is out"], ["auto", "buys in again"]] },
      { name: "tableAgentCardUrl", label: "Table agent’s card (optional)", type: "url", hint: "Empty: the lobby provides a table.", wide: true },
    ], { submit: "Open the room", more: [cancel], send: async (body) => {
      const room = await api.createRoom(body);
      this.element.close();
      location.hash = roomLink(room.roomId);
    } });
    this.element = h("dialog", { class: "dialog wide", "aria-labelledby": "create-title" },
      h("h2", { id: "create-title" }, "Open a room"), this.#form.element);
  }

  /** Take the lobby's own defaults. */
  propose(config) {
    for (const [name, value] of Object.entries(config ?? {})) this.#form.fill(`config.${name}`, value);
  }

  open() {
    this.element.showModal();
  }
}
