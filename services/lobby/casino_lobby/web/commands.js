/** What an operator does with a room: seat a player, start, let a player go, close. */

import { api, Problem } from "./api.js";
import { h, mark, say } from "./dom.js";
import { Form } from "./forms.js";
import { chips } from "./money.js";

export class Commands {
  #room;
  #players = h("ul", { class: "seated" });
  #told = h("p", { class: "done", role: "status" });
  #fault = h("p", { class: "fault", role: "alert" });
  #sure;
  #last = null;

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
    const ask = h(
      "button",
      { type: "button", class: "danger", onclick: () => this.#ask(true) },
      "Close the room…",
    );
    this.#sure = h(
      "div",
      { class: "row", hidden: true },
      h("span", {}, "The running hand is finished first. Close it?"),
      h(
        "button",
        {
          type: "button",
          class: "danger",
          onclick: () => this.#do(() => api.close(room), "The room is closing."),
        },
        "Close",
      ),
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => this.#ask(false) },
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
          this.#told,
          ask,
          this.#sure,
        ),
      ),
    );
  }

  /** Show who can be let go. */
  show(seats) {
    const key = [...seats.values()].map((seat) => `${seat.id}\n${seat.name}`).join("\n\n");
    if (key === this.#last) return;
    this.#last = key;
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
                this.#do(
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

  #ask(isAsked) {
    mark(this.#sure, "hidden", !isAsked);
  }

  async #do(act, done) {
    say(this.#fault, "");
    say(this.#told, "");
    this.#ask(false);
    try {
      await act();
      say(this.#told, done);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(this.#fault, error.message);
    }
  }
}
