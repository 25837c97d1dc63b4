/** The dialog that seats a bot: a sample bot, a card that was used before, or another one. */
// @ts-check

/** @import { SampleBot, TakenSeat } from "./types.js" */

import { api } from "./api.js";
import { h, mark } from "./dom.js";
import { Form } from "./forms.js";
import { forgetCards, recentCards, rememberCard } from "./recent_cards.js";

/** Refusals that are about the card, although they name no field. */
export const CARD_PROBLEMS = {
  "agent-unreachable": "agentCardUrl",
  "agent-timed-out": "agentCardUrl",
  "agent-contract-violation": "agentCardUrl",
  "agent-refused": "agentCardUrl",
};

/**
 * Open the dialog.
 * @param {string} room
 * @param {number} number The seat's number, from 0.
 * @param {object} options
 * @param {SampleBot[]} options.samples What the lobby offers.
 * @param {boolean} options.isKeyMissing Whether the lobby will ask for its operator's key.
 * @param {(seat: TakenSeat) => void} options.onSeated
 */
export function openSeatBot(room, number, { samples, isKeyMissing, onSeated }) {
  const form = new Form(
    "seat-bot",
    [
      {
        name: "agentCardUrl",
        label: "Agent card",
        type: "url",
        hint: "The address at which the bot serves its card, such as http://127.0.0.1:9000",
        wide: true,
      },
    ],
    {
      submit: "Seat the bot",
      places: CARD_PROBLEMS,
      send: async (body) => {
        const url = String(body.agentCardUrl ?? "");
        const seat = await api.register(room, { ...body, preferredSeat: number });
        rememberCard({ name: seat.displayName, agentCardUrl: url });
        dialog.close();
        onSeated(seat);
      },
      more: [
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel"),
      ],
    },
  );
  /** @param {SampleBot} bot */
  const seat = ({ agentCardUrl }) => {
    form.fill("agentCardUrl", agentCardUrl);
    form.element.requestSubmit();
  };
  const offered = new Set(samples.map(({ agentCardUrl }) => agentCardUrl));
  const recent = recentCards().filter(({ agentCardUrl }) => !offered.has(agentCardUrl));
  const used = list("Used before", recent, seat);
  used?.append(
    h(
      "button",
      {
        type: "button",
        class: "quiet",
        onclick: () => {
          forgetCards();
          mark(used, "hidden", true);
          form.focus();
        },
      },
      "Forget these",
    ),
  );
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": "seat-bot-title", onclose: () => dialog.remove() },
    h("h2", { id: "seat-bot-title" }, "Seat a bot"),
    isKeyMissing ? h("p", { class: "hint" }, "This lobby will ask for its operator’s key.") : null,
    list("Sample bots", samples, seat),
    used,
    form.element,
  );
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Return a list of bots to choose from; null without any.
 * @param {string} title
 * @param {SampleBot[]} bots
 * @param {(bot: SampleBot) => void} choose
 */
function list(title, bots, choose) {
  if (bots.length === 0) return null;
  return h(
    "fieldset",
    { class: "bots" },
    h("legend", {}, title),
    bots.map((bot) =>
      h(
        "button",
        { type: "button", class: "quiet", title: bot.agentCardUrl, onclick: () => choose(bot) },
        bot.name,
      ),
    ),
  );
}
