/** The dialog that opens a room, with rules to begin with. */
// @ts-check

/** @import { FieldOptions } from "./forms.js" */
/** @import { Option } from "./types.js" */

import { api, Problem } from "./api.js";
import { button, h } from "./dom.js";
import { Form } from "./forms.js";
import { HOLDEM } from "./game_state.js";
import { go, roomLink } from "./router.js";

/** @typedef {Record<string, string | number>} Rules Values of a room's config by name. */

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
  maxTimeouts: 3,
  ante: 0,
  rebuy: "none",
};
/** @type {[keyof typeof RULES, string, string?][]} */
const FIELDS = [
  ["startingStack", "Starting stack", "From the smallest to the largest buy-in"],
  ["smallBlind", "Small blind"],
  ["bigBlind", "Big blind"],
  ["minBuyIn", "Smallest buy-in"],
  ["maxBuyIn", "Largest buy-in"],
  ["ante", "Ante"],
  ["maxSeats", "Seats"],
  ["maxHands", "Hands", "Of one session"],
];
/** @type {[name: string, label: string, hint: string, value?: number][]} */
const RARE = [
  ["actionTimeoutMs", "Clock (ms)", "For one decision; up to an hour", RULES.actionTimeoutMs],
  ["maxTimeouts", "Failures in a row", "Then the player sits out", RULES.maxTimeouts],
  ["maxActionTimeoutMs", "Longest clock (ms)", "What a player may ask for; empty: the clock"],
  ["timeBankMs", "Time bank (ms)", "For long decisions of a session; empty: none"],
  ["paceMs", "Pace (ms)", "Least time between two decisions, for people; empty: none"],
  ["resultMs", "Result (ms)", "How long it stays; empty: 2500 with people, else 4 paces"],
];
/** Refusals that name no field. */
const PLACES = {
  "room-exists": "roomId",
  "agent-unreachable": "tableAgentCardUrl",
  "agent-timed-out": "tableAgentCardUrl",
  "agent-contract-violation": "tableAgentCardUrl",
  "agent-refused": "tableAgentCardUrl",
  "table-busy": "tableAgentCardUrl",
  "no-table": "tableAgentCardUrl",
};
/** The field that is no part of the order. */
const PRESET = "preset";
const FEWEST_SEATS = 2;
const MOST_SEATS = 10;

/** The lobby's own rules, which every preset changes a part of. */
const OWN = "own";

const HUNDRED_BLINDS = { startingStack: 200, smallBlind: 1, bigBlind: 2, ante: 0 };

/** @type {{ key: string, name: string, rules: Rules }[]} */
const PRESETS = [
  {
    key: "heads-up",
    name: "Heads-up: two players, 100 big blinds",
    rules: { ...HUNDRED_BLINDS, minBuyIn: 200, maxBuyIn: 200, maxSeats: 2, rebuy: "auto" },
  },
  {
    key: "six",
    name: "Six seats, 100 big blinds",
    rules: { ...HUNDRED_BLINDS, minBuyIn: 40, maxBuyIn: 200, maxSeats: 6, rebuy: "auto" },
  },
  {
    key: "tournament",
    name: "Tournament: who is broke is out, the last one wins",
    rules: {
      startingStack: 1_500,
      smallBlind: 10,
      bigBlind: 20,
      ante: 0,
      minBuyIn: 1_500,
      maxBuyIn: 1_500,
      maxSeats: 6,
      maxHands: 10_000,
      rebuy: "none",
    },
  },
];

/** @type {[value: string, text: string][]} */
export const PRESET_OPTIONS = [
  [OWN, "The lobby’s own rules"],
  ...PRESETS.map(({ key, name }) => /** @type {[string, string]} */ ([key, name])),
];

export class CreateDialog {
  #form;
  #most = new Map([[HOLDEM, MOST_SEATS]]);
  /** @type {Rules} The lobby's own rules. */
  #own = { ...RULES };

  constructor() {
    const cancel = button("Cancel", () => this.element.close(), { class: "quiet" });
    this.#form = new Form(
      "create",
      [
        {
          name: "roomId",
          label: "Name (optional)",
          hint: "Up to 128 visible characters; empty: the lobby chooses one",
          wide: true,
        },
        {
          name: PRESET,
          label: "Begin with",
          options: PRESET_OPTIONS,
          value: OWN,
          wide: true,
          change: () => this.#choosePreset(),
        },
        {
          name: "gameType",
          label: "Game",
          options: [[HOLDEM, "Texas hold’em"]],
          value: HOLDEM,
          wide: true,
          change: () => this.#limitSeats(),
        },
        ...FIELDS.map(([name, label, hint]) => ({
          name: `config.${name}`,
          label,
          ...(hint ? { hint } : {}),
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
        ...RARE.map(rareField),
        {
          name: "config.seed",
          label: "Seed",
          hint: "The same seed deals the same cards. Whoever has it can know every card: the room is marked “seeded”. Empty: the table’s own",
          isRare: true,
          wide: true,
        },
      ],
      {
        submit: "Open the room",
        more: [cancel],
        places: PLACES,
        rare: "Clocks, pace and seed",
        send: async ({ [PRESET]: _, ...body }) => {
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
   * Fill in the lobby's own defaults. They come with a reply: what was typed before stays.
   * @param {Record<string, string | number> | undefined} config
   */
  propose(config) {
    this.#own = { ...this.#own, ...config };
    for (const [name, value] of this.#rules()) this.#form.propose(name, value);
    this.#limitSeats();
  }

  /** Fill in the rules of the chosen preset. */
  #choosePreset() {
    for (const [name, value] of this.#rules()) this.#form.fill(name, value);
    this.#limitSeats();
  }

  /**
   * Return the values of the chosen rules by field.
   * @returns {[name: string, value: string | number][]}
   */
  #rules() {
    const rules = rulesOf(this.#form.value(PRESET), this.#own);
    return Object.entries(rules).map(([name, value]) => [`config.${name}`, value]);
  }

  /** Show the dialog, without what was said of an earlier attempt. */
  open() {
    this.#form.clear();
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
 * Return a field of the folded part.
 * @param {typeof RARE[number]} field
 * @returns {FieldOptions}
 */
function rareField([name, label, hint, value]) {
  return {
    name: `config.${name}`,
    label,
    hint,
    type: "number",
    value: String(value ?? ""),
    isRare: true,
  };
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

/**
 * Return the rules of a preset.
 * @param {string} key
 * @param {Rules} own The lobby's own rules.
 * @returns {Rules}
 */
export function rulesOf(key, own) {
  return { ...own, ...PRESETS.find((preset) => preset.key === key)?.rules };
}
