/** How the cards of a room are dealt, who had a part in it, and what of it is checked: a dialog. */
// @ts-check

/** @import { LiveRoom } from "../live.js" */
/** @import { FairMark, LeftOut, PastHand } from "../types.js" */

import { api, Problem, proofPath, url } from "../api.js";
import { button, h, hint, linkTo, mark, openDialog, say } from "../dom.js";
import { handsWords } from "../room_facts.js";

const FAIR = [
  "The table shuffles two decks for each hand of a block, and publishes a hash of them all. From then on it can change no card.",
  "Only then the lobby and the players that want a part reveal random bytes, to which each was bound before.",
  "All these bytes together decide which of a hand’s two decks is played, and as which card each of its numbers counts.",
  "So if one of them is honest, every hand is random, whatever the table and all others agreed on.",
  "After the hand the table opens the board and the hands that were shown. Your browser computes whether they are those of the hash.",
  "The deck that was not played is opened as a whole: a table that prepares a wrong deck is caught in every second hand.",
  "Cards that nobody showed stay closed for ever.",
  "✓ says that this page computed all that for a hand, ✗ that something does not fit.",
  "It does not keep a table from telling somebody the cards.",
  "The command `casino verify` checks whole sessions, without this page.",
];
const SEEDED =
  "This room is seeded: its cards follow from a seed, so that the same session can be played again. Whoever knows the seed knows the cards.";
const UNFAIR =
  "Nobody committed to the decks of this room before they were dealt, so nobody can check its cards.";
const LIST = new Intl.ListFormat("en-GB");

/**
 * Open the dialog; returns what shows in it how many hands are checked by now.
 * @param {string} room
 * @param {LiveRoom} live
 * @param {number | null} current The hand in replay.
 */
export function explainDeal(room, live, current) {
  const paragraphs = live.isSeeded ? [SEEDED] : live.isFair ? FAIR : [UNFAIR];
  const { facts, showCount } = factsOf(room, live, current);
  const dialog = openDialog(
    { "aria-labelledby": "deal-title", class: "dialog wide deal-dialog" },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "deal-title" }, "How the cards are dealt"),
      live.isFair ? facts : null,
      h(
        live.isFair ? "ol" : "div",
        {},
        paragraphs.map((line) => h(live.isFair ? "li" : "p", {}, line)),
      ),
      h("div", { class: "row end" }, h("button", { type: "submit", class: "main" }, "Close")),
    ),
  );
  return () => dialog.open && showCount();
}

/**
 * Return who had a part in the deal, which hands are checked, and where the proof is; and what shows
 * how many are checked by now.
 * @param {string} room
 * @param {LiveRoom} live
 * @param {number | null} current
 */
function factsOf(room, live, current) {
  const parts = hint("");
  const checked = h("p", { role: "status" });
  const rest = button("Check all listed hands", () => checkRest());
  const last = live.history.hands.at(-1);
  const shown = current ?? last?.number ?? null;
  api.room(room).then(
    ({ fair }) => say(parts, fair ? marksLine(fair, live.names) : ""),
    (/** @type {unknown} */ error) => {
      if (!(error instanceof Problem)) throw error;
      say(parts, error.message);
    },
  );
  const showCount = () => {
    const { checks } = live;
    say(checked, checks ? checkedLine(checks) : "No hand is checked yet.");
    mark(rest, "hidden", unchecked().length === 0);
  };
  const unchecked = () =>
    live.history.hands.filter(({ epoch, number }) => !live.checks?.of(epoch, number));
  const checkRest = async () => {
    const checks = await live.loadChecks();
    mark(rest, "disabled", true);
    await checkAll(
      unchecked().reverse(),
      (hand) => checks.checkPast(hand.number, hand.epoch),
      () => checks.problem === "" && checked.isConnected,
    );
    mark(rest, "disabled", false);
  };
  showCount();
  const proof =
    shown === null
      ? null
      : linkTo(url(proofPath(room, shown)), `The proof of hand ${shown} (JSON)`);
  const lines = [parts, checked, h("p", {}, rest), h("p", {}, proof)];
  return { facts: h("div", { class: "deal-facts" }, lines), showCount };
}

/**
 * Check one hand after the other, the newest first.
 * @param {PastHand[]} hands
 * @param {(hand: PastHand) => Promise<void>} check
 * @param {() => boolean} goesOn Called after each.
 */
async function checkAll(hands, check, goesOn) {
  for (const hand of hands) {
    await check(hand);
    if (!goesOn()) return;
  }
}

/**
 * Return how many hands are checked, and the first that failed.
 * @param {import("./hand_checks.js").HandChecks} checks
 */
export function checkedLine({ count, failed, unsigned, problem }) {
  if (failed) return `Hand ${failed.number} fails: ${failed.fault}.`;
  const checked = `${handsWords(count)} checked here`;
  return [
    count > 0 && unsigned ? `${checked}, without a signature: ${unsigned}.` : `${checked}.`,
    problem,
  ]
    .filter(Boolean)
    .join(" ");
}

/**
 * Return who had a part in the current block, and who is left out.
 * @param {FairMark} fair
 * @param {Map<string, string>} names By player id.
 */
export function marksLine({ block, contributors, missing = [] }, names) {
  /** @type {(id: string) => string} */
  const nameOf = (id) => (id === "lobby" ? "the lobby" : (names.get(id) ?? id));
  const all = LIST.format(contributors.map(nameOf));
  /** @type {(one: LeftOut) => string} */
  const why = ({ playerId, reason }) =>
    `${nameOf(playerId ?? "lobby")} (${reason === "wrong" ? "sent something else" : "no answer in time"})`;
  const left = missing.length > 0 ? ` Left out: ${LIST.format(missing.map(why))}.` : "";
  return `Block ${block}: ${all || "nobody"} contributed.${left}`;
}
