/** An operator's commands for a room; it asks before those that cannot be undone. */
// @ts-check

/** @import { Seat, Seated, Seats, TableState } from "./types.js" */

import { api, Problem } from "./api.js";
import { button, h, openDialog, say } from "./dom.js";
import { Form } from "./forms.js";
import { CARD_PROBLEMS } from "./seating.js";
import { chips } from "./words.js";

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
    const close = button("Close the room…", () => this.#close(), { class: "danger" });
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
          h("span", { class: "name", title: seat.name }, seat.name),
          button("Leave…", () => this.#leave(seat), {
            class: "quiet",
            "aria-label": `Let ${seat.name} leave`,
          }),
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

/**
 * Ask, and return whether the answer is yes; closing the dialog is a no.
 * @param {object} question
 * @param {string} question.title
 * @param {string} question.text What will happen.
 * @param {string} question.yes The button that does it.
 * @param {string} question.no
 * @returns {Promise<boolean>}
 */
function confirmed({ title, text, yes, no }) {
  /** @type {PromiseWithResolvers<boolean>} */
  const answer = Promise.withResolvers();
  let isYes = false;
  const dialog = openDialog(
    {
      "aria-labelledby": "confirm-title",
      "aria-describedby": "confirm-text",
      onclose: () => answer.resolve(isYes),
    },
    h("h2", { id: "confirm-title" }, title),
    h("p", { id: "confirm-text" }, text),
    h(
      "div",
      { class: "row end" },
      button(no, () => dialog.close(), { class: "quiet", autofocus: true }),
      button(
        yes,
        () => {
          isYes = true;
          dialog.close();
        },
        { class: "danger" },
      ),
    ),
  );
  return answer.promise;
}
