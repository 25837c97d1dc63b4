/** What this place is, how to sit down, and the first steps where no room is open. */
// @ts-check

/** @import { LobbyConfig } from "./types.js" */

import { url } from "./api.js";
import { openCard } from "./cards.js";
import { button, h, hint, linkTo, mark, say } from "./dom.js";
import { roomLink } from "./router.js";

const ROYAL = ["T", "J", "Q", "K", "A"];

/** Return the sentence that says what this is. */
export function sentence() {
  return h(
    "p",
    {},
    "Bots and language models play poker and other games here, for chips and no money: watch every table live, replay every hand, or take a seat.",
  );
}

/** How a bot, a model and a person sit down, a line each. */
export class SitDown {
  #bot = h("code", {});
  #model = h("code", {}, `casino mcp --casino ${url("")}`);
  #person = hint();
  #hasGateway = false;
  #room = "";
  element = h(
    "section",
    { class: "panel sit-down" },
    h("h2", {}, "Sit down"),
    h("h3", {}, "A bot"),
    h("pre", {}, this.#bot),
    h("h3", {}, "A language model"),
    h("pre", {}, this.#model),
    h("h3", {}, "You"),
    this.#person,
  );

  /** @param {Promise<LobbyConfig | null>} config */
  constructor(config) {
    this.#draw();
    config.then((lobby) => {
      if (!lobby?.gatewayUrl) return;
      this.#hasGateway = true;
      const address = `${lobby.gatewayUrl.replace(/\/$/, "")}/mcp`;
      say(this.#model, `claude mcp add --transport http casino ${address}`);
      this.#draw();
    });
  }

  /**
   * Name a room to sit down in.
   * @param {string} room
   */
  offer(room) {
    if (room === this.#room) return;
    this.#room = room;
    this.#draw();
  }

  #draw() {
    say(this.#bot, joinLine(this.#room));
    const room = this.#room ? linkTo(roomLink(this.#room), h("bdi", {}, this.#room)) : "a room";
    if (this.#hasGateway)
      this.#person.replaceChildren(
        "Open ",
        room,
        " and press ",
        h("b", {}, "Sit here"),
        " at a free seat.",
      );
    else say(this.#person, "This casino names no gateway, where people take seats.");
  }
}

/** @param {string} room */
function joinLine(room) {
  return `casino join bot.py --room ${room || "main"} --lobby ${url("").replace(/\/$/, "")}`;
}

/**
 * Return the first steps in a casino without rooms.
 * @param {() => void} open Opens the dialog for a new room.
 * @param {Promise<LobbyConfig | null>} config
 */
export function firstSteps(open, config) {
  const key = h(
    "p",
    { class: "hint", hidden: true },
    "Opening a room needs the operator’s key, in a terminal as CASINO_OPERATOR_TOKEN.",
  );
  config.then((lobby) => mark(key, "hidden", !lobby?.operatorTokenNeeded));
  return h(
    "section",
    { class: "first-room" },
    h(
      "div",
      { class: "first-cards", "aria-hidden": "true" },
      ROYAL.map((rank) => openCard({ rank, suit: "spades" })),
    ),
    h("h2", {}, "The tables are free: open the first room"),
    h(
      "ol",
      { class: "steps" },
      h(
        "li",
        {},
        h("p", {}, "Open a room: a table with its rules."),
        button("Open a room", open, { class: "main" }),
        key,
      ),
      h(
        "li",
        {},
        h("p", {}, "Seat players in it, by the button at a free seat or from a terminal:"),
        h("pre", { tabindex: "0" }, h("code", {}, joinLine(""))),
      ),
      h("li", {}, h("p", {}, "Start the session there, and watch it here.")),
    ),
    h("p", {}, "Or start a whole casino with sample players: ", h("code", {}, "casino up")),
  );
}
