/** The commands of a room's operator: seat a player, start, remove a player, close. */
// @ts-check

/** @import { Seats } from "./types.js" */

import { api, Problem } from "./api.js";
import { h, mark, say } from "./dom.js";
import { Form } from "./forms.js";
import { chips } from "./money.js";

export class Commands {
  #room;
  #players = h("ul", { class: "seated" });
  #done = h("p", { class: "done", role: "status" });
  #fault = h("p", { class: "fault", role: "alert" });
  #confirmation;
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
        { name: "preferredSeat", label: "Seat (optional)", type: "number" },
      ],
      {
        submit: "Seat the player",
        main: "agentCardUrl",
        send: async (body) => {
          const seat = await api.register(room, body);
          register.fill("agentCardUrl", "");
          return `${seat.displayName} has seat ${seat.seatNumber} with ${chips(seat.stack)}.`;
        },
      },
    );
    const start = new Form(
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
      { type: "button", class: "danger", onclick: () => this.#confirm(true) },
      "Close the room…",
    );
    this.#confirmation = h(
      "div",
      { class: "row", hidden: true },
      h("span", {}, "The running hand is finished first. Close it?"),
      h(
        "button",
        {
          type: "button",
          class: "danger",
          onclick: () => this.#run(() => api.close(room), "The room is closing."),
        },
        "Close",
      ),
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => this.#confirm(false) },
        "Keep it open",
      ),
    );
    this.element = h(
      "details",
      { class: "panel operate" },
      h("summary", {}, h("h2", {}, "Run this room")),
      h(
        "div",
        { class: "columns" },
        h("section", {}, h("h3", {}, "Seat a player"), register.element),
        h("section", {}, h("h3", {}, "Start a session"), start.element),
        h(
          "section",
          {},
          h("h3", {}, "Players"),
          this.#players,
          this.#fault,
          this.#done,
          close,
          this.#confirmation,
        ),
      ),
    );
  }

  /**
   * List the players who can be removed.
   * @param {Seats} seats
   */
  show(seats) {
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
              onclick: () =>
                this.#run(
                  () => api.leave(this.#room, seat.id),
                  `${seat.name} leaves after the running hand.`,
                ),
            },
            "Leave",
          ),
        ),
      ),
    );
  }

  /** @param {boolean} isAsking Whether to ask if the room shall be closed. */
  #confirm(isAsking) {
    mark(this.#confirmation, "hidden", !isAsking);
  }

  /**
   * Run a command and show its outcome.
   * @param {() => Promise<unknown>} command
   * @param {string} done The sentence for success.
   */
  async #run(command, done) {
    say(this.#fault, "");
    say(this.#done, "");
    this.#confirm(false);
    try {
      await command();
      say(this.#done, done);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(this.#fault, error.message);
    }
  }
}
