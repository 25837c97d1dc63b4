/** The dialog that opens a room. */
// @ts-check

/** @import { Option } from "./types.js" */

import { api, Problem } from "./api.js";
import { h } from "./dom.js";
import { Form } from "./forms.js";
import { HOLDEM } from "./game_state.js";
import { go } from "./navigation.js";
import { roomLink } from "./router.js";

/** The values that the form proposes until the lobby's own are there. */
const RULES = {
  startingStack: 200,
  smallBlind: 1,
  bigBlind: 2,
  minBuyIn: 40,
  maxBuyIn: 400,
  maxHands: 100,
  maxSeats: 6,
  actionTimeoutMs: 10_000,
  ante: 0,
};
/** @type {[keyof typeof RULES, string][]} */
const FIELDS = [
  ["startingStack", "Starting stack"],
  ["smallBlind", "Small blind"],
  ["bigBlind", "Big blind"],
  ["minBuyIn", "Smallest buy-in"],
  ["maxBuyIn", "Largest buy-in"],
  ["ante", "Ante"],
  ["maxSeats", "Seats"],
  ["maxHands", "Hands"],
  ["actionTimeoutMs", "Clock (ms)"],
];
const FEWEST_SEATS = 2;
const MOST_SEATS = 10;

export class CreateDialog {
  #form;
  #most = new Map([[HOLDEM, MOST_SEATS]]);

  constructor() {
    const cancel = h(
      "button",
      { type: "button", class: "quiet", onclick: () => this.element.close() },
      "Cancel",
    );
    this.#form = new Form(
      "create",
      [
        {
          name: "roomId",
          label: "Name (optional)",
          hint: "Any text of up to 128 characters",
          wide: true,
        },
        {
          name: "gameType",
          label: "Game",
          options: [[HOLDEM, "Texas hold’em"]],
          value: HOLDEM,
          wide: true,
          change: () => this.#limitSeats(),
        },
        ...FIELDS.map(([name, label]) => ({
          name: `config.${name}`,
          label,
          type: "number",
          value: String(RULES[name]),
          options: name === "maxSeats" ? seats(MOST_SEATS) : null,
        })),
        {
          name: "config.rebuy",
          label: "Who is broke",
          options: [
            ["none", "is out"],
            ["auto", "buys in again"],
          ],
        },
        {
          name: "tableAgentCardUrl",
          label: "Table agent’s card (optional)",
          type: "url",
          hint: "Empty: the lobby provides a table.",
          wide: true,
        },
      ],
      {
        submit: "Open the room",
        more: [cancel],
        send: async (body) => {
          const room = await api.createRoom(body);
          this.element.close();
          go(roomLink(room.roomId));
        },
      },
    );
    this.element = h(
      "dialog",
      { class: "dialog wide", "aria-labelledby": "create-title" },
      h("h2", { id: "create-title" }, "Open a room"),
      this.#form.element,
    );
  }

  /**
   * Fill in the lobby's own defaults.
   * @param {Record<string, string | number> | undefined} config
   */
  propose(config) {
    for (const [name, value] of Object.entries(config ?? {}))
      this.#form.fill(`config.${name}`, value);
  }

  /** Show the dialog. */
  open() {
    this.element.showModal();
    this.#offerGames();
  }

  /** Offer the games that the tables play; if that fails, Hold'em, which every table plays. */
  async #offerGames() {
    try {
      const { games } = await api.games();
      if (games.length === 0) return;
      this.#most = new Map(games.map(({ gameType, players }) => [gameType, players.max]));
      this.#form.offer(
        "gameType",
        games.map(({ gameType, name }) => [gameType, name]),
      );
      this.#limitSeats();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  /** Offer as many seats as the game has players. */
  #limitSeats() {
    const most = this.#most.get(this.#form.value("gameType")) ?? MOST_SEATS;
    this.#form.offer("config.maxSeats", seats(Math.min(MOST_SEATS, most)));
  }
}

/**
 * Return the options for the number of seats.
 * @param {number} most
 * @returns {Option[]}
 */
function seats(most) {
  const count = Math.max(1, most - FEWEST_SEATS + 1);
  return Array.from({ length: count }, (_, index) => [
    FEWEST_SEATS + index,
    String(FEWEST_SEATS + index),
  ]);
}
