/** Hands worth looking at, each with its history, which can be saved and replayed. */
// @ts-check

/** @import { MatchResult, NotableHand } from "./types.js" */

import { h } from "../dom.js";
import { change, chips } from "../money.js";
import { matchHandLink } from "./address.js";

/** @type {Record<string, string>} */
const KINDS = { biggest: "Biggest pot", decisive: "Decisive deck" };

/**
 * Return the panel of the hands; null without any.
 * @param {string} id The match's.
 * @param {MatchResult} match
 */
export function notableHands(id, { notableHands = [] }) {
  if (notableHands.length === 0) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Notable hands"),
    h(
      "p",
      { class: "hint" },
      "Each can be replayed here, or saved and opened by any program that reads PHH.",
    ),
    h(
      "ul",
      { class: "notable" },
      notableHands.map((hand, index) => entry(hand, matchHandLink(id, index + 1))),
    ),
  );
}

/**
 * @param {NotableHand} hand
 * @param {string} link
 */
function entry(hand, link) {
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
    h("a", { href: link, "aria-label": `Replay ${name}` }, kindWords(hand.kind)),
    h("span", {}, ` ${name}: pot ${chips(hand.pot)}, ${nets}`),
    h(
      "details",
      {},
      h("summary", {}, "As text"),
      h("pre", { tabindex: "0", "aria-label": name }, hand.history),
      save,
    ),
  );
}

/**
 * Return why a hand is worth looking at.
 * @param {string} kind
 */
export function kindWords(kind) {
  return KINDS[kind] ?? kind;
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
