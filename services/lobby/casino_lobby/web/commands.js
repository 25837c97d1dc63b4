/** The commands of a room's operator: seat a player, start, remove a player, close. */
// @ts-check

/** @import { Seat, Seated, Seats, TableState } from "./types.js" */

import { api, Problem } from "./api.js";
import { confirmed } from "./confirm.js";
import { h, say } from "./dom.js";
import { Form } from "./forms.js";
import { chips } from "./money.js";
import { CARD_PROBLEMS } from "./seat_dialog.js";

/**
 * Return what became of a player who was to leave.
 * @param {string} name
 * @param {string} id
 * @param {Seated} summary Who sits at the table now.
 */
export function leaveWords(name, id, { players = [] }) {
  const isHere = players.some(({ playerId }) => playerId === id);
  return isHere ? `${name} leaves after the running hand.` : `${name} has left.`;
}

export class Commands {
  #room;
  #players = h("ul", { class: "seated" });
  #done = h("p", { class: "done", role: "status" });
  #fault = h("p", { class: "fault", role: "alert" });
  #start;
  #statusKey = "";
  /** @type {string | null} */
  #shownKey = null;

  /** @param {string} room */
  constructor(room) {
    this.#room = room;
    const register = new Form(
      "register",
      [
        {
          name: "agentCardUrl",
          label: "Agent card",
          type: "url",
          hint: "Such as http://127.0.0.1:4101",
          wide: true,
        },
        { name: "preferredSeat", label: "Seat (optional)", type: "number", hint: "From 0" },
      ],
      {
        submit: "Seat the player",
        places: CARD_PROBLEMS,
        send: async (body) => {
          const seat = await api.register(room, body);
          register.fill("agentCardUrl", "");
          return `${seat.displayName} has seat ${seat.seatNumber} with ${chips(seat.stack)}.`;
        },
      },
    );
    this.#start = new Form(
      "start",
      [
        {
          name: "maxHands",
          label: "Hands (optional)",
          type: "number",
          hint: "Empty: as the room was opened.",
        },
      ],
      {
        submit: "Start",
        send: async (body) => {
          await api.start(room, body);
          return "The session begins.";
        },
      },
    );
    const close = h(
      "button",
      { type: "button", class: "danger", onclick: () => this.#close() },
      "Close the room…",
    );
    this.element = h(
      "details",
      { class: "panel operate" },
      h("summary", {}, h("h2", {}, "Run this room")),
      h(
        "div",
        { class: "columns" },
        h("section", {}, h("h3", {}, "Seat a player"), register.element),
        h("section", {}, h("h3", {}, "Start a session"), this.#start.element),
        h("section", {}, h("h3", {}, "Players"), this.#players, this.#fault, this.#done, close),
      ),
    );
  }

  /**
   * List the players who can be removed, and forget refusals of a state that is over.
   * @param {TableState} state
   */
  show({ seats, status, state }) {
    const statusKey = `${status} ${state} ${seats.size}`;
    if (statusKey !== this.#statusKey && this.#statusKey !== "") {
      this.#start.clear();
      say(this.#fault, "");
    }
    this.#statusKey = statusKey;
    this.#list(seats);
  }

  /** @param {Seats} seats */
  #list(seats) {
    const key = [...seats.values()].map((seat) => `${seat.id}\n${seat.name}`).join("\n\n");
    if (key === this.#shownKey) return;
    this.#shownKey = key;
    this.#players.replaceChildren(
      ...[...seats.values()].map((seat) =>
        h(
          "li",
          {},
          h("span", { class: "name" }, seat.name),
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              "aria-label": `Let ${seat.name} leave`,
              onclick: () => this.#leave(seat),
            },
            "Leave…",
          ),
        ),
      ),
    );
  }

  /** @param {Seat} seat */
  async #leave({ id, name }) {
    const isSure = await confirmed({
      title: `Let ${name} leave?`,
      text: "The player goes with their chips: at once between two hands, else after the running one.",
      yes: "Let leave",
      no: "Keep the player",
    });
    if (isSure) await this.#run(async () => leaveWords(name, id, await api.leave(this.#room, id)));
  }

  async #close() {
    const isSure = await confirmed({
      title: "Close the room?",
      text: "The running hand is finished first. Then all players leave with their chips, and nothing more is played here; the hands can still be read.",
      yes: "Close the room",
      no: "Keep it open",
    });
    if (!isSure) return;
    await this.#run(async () => {
      await api.close(this.#room);
      return "The room is closing.";
    });
  }

  /**
   * Run a command and show its outcome.
   * @param {() => Promise<string>} command Returns the sentence for success.
   */
  async #run(command) {
    say(this.#fault, "");
    say(this.#done, "");
    try {
      say(this.#done, await command());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(this.#fault, error.message);
    }
  }
}
