/** One hand of a bot: its cards, each question and answer as they went over the wire. */
// @ts-check

/** @import { Answered, OwnDetail } from "./me_api.js" */
/** @import { Child } from "./types.js" */

import { CardRow } from "./cards.js";
import { h, say } from "./dom.js";
import { myLink } from "./me_address.js";
import { curlOf, decisionLine, netWords } from "./me_words.js";
import { handLink } from "./router.js";

/**
 * Return the view of a hand.
 * @param {string} room
 * @param {string} player
 * @param {OwnDetail} detail
 */
export function ownHandView(room, player, { hand, decisions, privateState, recordMissing }) {
  const title = [`Hand ${hand.handNumber}`, hand.position, netWords(hand)].filter(Boolean);
  return h(
    "section",
    { class: "panel my-hand", "aria-labelledby": "my-hand-title" },
    h("h2", { id: "my-hand-title", tabindex: "-1" }, title.join(" · ")),
    h("p", {}, hand.message),
    hand.holeCards ? cardLine("Own cards", hand.holeCards) : null,
    hand.communityCards.length > 0 ? cardLine("Board", hand.communityCards) : null,
    privateState ? wire("Own state at the end", privateState) : null,
    recordMissing
      ? h("p", { class: "hint" }, `No cards, questions and answers: ${recordMissing}`)
      : null,
    h("ol", { class: "my-decisions" }, decisions.map(decisionItem)),
    h(
      "p",
      { class: "row" },
      h("a", { href: myLink(room, player) }, "All hands of the bot"),
      h("a", { href: handLink(room, hand.handNumber) }, "Replay of the hand"),
    ),
  );
}

/**
 * @param {string} label
 * @param {import("./types.js").Card[]} cards
 */
function cardLine(label, cards) {
  const row = new CardRow(h("span", { class: "cards" }));
  row.show(cards);
  return h("p", { class: "my-cards" }, h("span", { class: "hint" }, label), row.element);
}

/** @param {Answered} decision */
function decisionItem(decision) {
  const { question, answer, reason, reasoning, refused } = decision;
  /** @type {Child[]} */
  const parts = [h("p", { class: "line" }, decisionLine(decision))];
  if (reason) parts.push(h("p", {}, "Why it failed: ", h("q", { class: "said" }, reason)));
  if (refused) parts.push(h("p", {}, "Refused answer: ", h("code", {}, refused)));
  if (reasoning) parts.push(h("p", {}, "Reasoning: ", h("q", { class: "said" }, reasoning)));
  if (answer) parts.push(wire("Answer that counted", answer));
  if (question) parts.push(wire("Question", question), copyButton(curlOf(question)));
  return h("li", {}, parts);
}

/**
 * Return a message of the wire that can be unfolded.
 * @param {string} label
 * @param {import("./types.js").Fields} message
 */
function wire(label, message) {
  return h(
    "details",
    {},
    h("summary", {}, label),
    h(
      "pre",
      { tabindex: "0", role: "region", "aria-label": label },
      JSON.stringify(message, null, 2),
    ),
  );
}

/** @param {string} command */
function copyButton(command) {
  const done = h("span", { class: "hint", role: "status" });
  const shown = h("pre", { hidden: true, tabindex: "0" }, command);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      say(done, "Copied; put your bot’s address in.");
    } catch {
      // no right to the clipboard, as over plain HTTP: the command can be marked by hand
      shown.hidden = false;
      say(done, "Copy it from here:");
    }
  };
  return h(
    "div",
    {},
    h(
      "p",
      { class: "row" },
      h("button", { type: "button", class: "quiet", onclick: copy }, "Copy this question as curl"),
      done,
    ),
    shown,
  );
}
