/** Hands worth looking at, each with its history, which can be saved and replayed. */
// @ts-check

/** @import { MatchResult, NotableHand } from "./types.js" */

import { h } from "../dom.js";
import { change, chips } from "../money.js";

/** @type {Record<string, string>} */
const KINDS = { biggest: "Biggest pot", decisive: "Decisive deck" };

/**
 * Return the panel of the hands; null without any.
 * @param {MatchResult} match
 */
export function notableHands({ notableHands = [] }) {
  if (notableHands.length === 0) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Notable hands"),
    h(
      "p",
      { class: "hint" },
      "Save a hand and step through it with ",
      h("code", {}, "casino replay FILE"),
      ".",
    ),
    h("ul", { class: "notable" }, notableHands.map(entry)),
  );
}

/** @param {NotableHand} hand */
function entry(hand) {
  const nets = hand.players.map((name) => `${name} ${change(hand.net[name] ?? 0)}`).join(", ");
  const save = h(
    "button",
    { type: "button", class: "quiet", onclick: () => saveHand(hand) },
    "Save",
  );
  const name = `Deck ${hand.deck}, seating ${hand.seating}`;
  return h(
    "li",
    {},
    h(
      "details",
      {},
      h(
        "summary",
        {},
        h("b", {}, KINDS[hand.kind] ?? hand.kind),
        h("span", {}, ` ${name}: pot ${chips(hand.pot)}, ${nets}`),
      ),
      h("pre", { tabindex: "0", "aria-label": name }, hand.history),
      save,
    ),
  );
}

/**
 * Save a hand as a file.
 * @param {NotableHand} hand
 */
function saveHand({ deck, seating, history }) {
  const address = URL.createObjectURL(new Blob([history], { type: "text/plain" }));
  h("a", { href: address, download: `deck-${deck}-${seating}.phh` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}
