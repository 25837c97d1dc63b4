/** The dialog in which a person takes a seat: a name and a buy-in. */
// @ts-check

/** @import { RoomConfig } from "../types.js" */
/** @import { MySeat } from "./my_seat.js" */

import { A2GError } from "../a2g/client.js";
import { Problem } from "../api.js";
import { keep, kept } from "../chrome.js";
import { h } from "../dom.js";
import { Form } from "../forms.js";
import { chips } from "../money.js";

const KEPT_AS = "guest-name";
const LONGEST_NAME = 40;

/**
 * Open the dialog.
 * @param {MySeat} seat
 * @param {number} number The seat's number, from 0.
 * @param {object} options
 * @param {RoomConfig | null} options.config
 * @param {(number: number) => void} options.seatBot Seats a bot instead.
 */
export function openSitDown(seat, number, { config, seatBot }) {
  const [least, most] = [config?.minBuyIn, config?.maxBuyIn];
  const form = new Form(
    "sit-down",
    [
      { name: "name", label: "Your name", value: kept(localStorage, KEPT_AS) ?? "" },
      {
        name: "buyIn",
        label: "Buy-in",
        type: "number",
        value: String(config?.startingStack ?? ""),
        ...(least && most ? { hint: `${chips(least)} to ${chips(most)} play chips` } : {}),
      },
    ],
    {
      submit: "Sit down",
      send: async (body) => {
        const name = String(body.name ?? "").trim();
        refuse(name === "" || name.length > LONGEST_NAME, "name", "1 to 40 characters");
        const buyIn = typeof body.buyIn === "number" ? body.buyIn : null;
        refuse(body.buyIn !== undefined && buyIn === null, "buyIn", "must be a number");
        keep(localStorage, KEPT_AS, name);
        try {
          await seat.sit({ name, buyIn, seat: number });
        } catch (error) {
          if (error instanceof A2GError) throw problemOf(error);
          throw error;
        }
        dialog.close();
      },
      more: [
        h(
          "button",
          { type: "button", class: "quiet", onclick: () => other() },
          "Seat a bot instead",
        ),
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel"),
      ],
    },
  );
  const other = () => {
    dialog.close();
    seatBot(number);
  };
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": "sit-down-title", onclose: () => dialog.remove() },
    h("h2", { id: "sit-down-title" }, `Sit down at seat ${number + 1}`),
    h("p", { class: "hint" }, "You play against software agents, for play chips only."),
    form.element,
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** @type {(isWrong: boolean, field: string, detail: string) => void} */
function refuse(isWrong, field, detail) {
  if (isWrong) throw new Problem(422, { detail, errors: [{ pointer: `#/${field}`, detail }] });
}

/**
 * Return a refusal of the gateway as a problem of the form.
 * @param {A2GError} error
 */
function problemOf(error) {
  const field = /^(displayName|buyIn)\b/.exec(error.message)?.[1];
  const pointer = field === "displayName" ? "#/name" : "#/buyIn";
  const errors = field ? [{ pointer, detail: error.message }] : [];
  return new Problem(error.status, { detail: error.message, errors });
}
