/** What the lobby shows without any room: how to open the first one. */
// @ts-check

/** @import { LobbyConfig } from "./types.js" */

import { url } from "./api.js";
import { h, mark } from "./dom.js";

/**
 * Return the elements of the section.
 * @param {() => void} open Opens the dialog for a new room.
 * @param {Promise<LobbyConfig | null>} config
 */
export function firstRoom(open, config) {
  const key = h(
    "p",
    { class: "hint", hidden: true },
    "Each curl also needs the operator’s key: ",
    h("code", {}, '-H "Authorization: Bearer $CASINO_OPERATOR_TOKEN"'),
  );
  config.then((lobby) => mark(key, "hidden", !lobby?.operatorTokenNeeded));
  const body =
    '{"roomId": "green", "config": {"startingStack": 200, "smallBlind": 1, "bigBlind": 2,\n  "minBuyIn": 40, "maxBuyIn": 400, "maxHands": 100, "maxSeats": 6}}';
  return [
    h("h2", {}, "No room is open"),
    h("p", {}, "A room is a table with its rules. Open one here, or from a terminal:"),
    h("p", {}, h("button", { type: "button", class: "main", onclick: open }, "Open a room")),
    h("h3", {}, "A whole casino with six players"),
    h("pre", { tabindex: "0" }, h("code", {}, "casino up")),
    h("h3", {}, "A room at this lobby"),
    key,
    h(
      "pre",
      { tabindex: "0" },
      h("code", {}, `curl ${url("v1/rooms")} -H 'content-type: application/json' -d '${body}'`),
    ),
    h("h3", {}, "An example player for it"),
    h(
      "pre",
      { tabindex: "0" },
      h(
        "code",
        {},
        `python -m casino_player_example tight\ncurl ${url("v1/rooms/green/players")} -d '{"agentCardUrl": "http://127.0.0.1:4101"}'`,
      ),
    ),
  ];
}
