/** One hand of a bot: its cards, each question and answer, and commands that ask again. */
// @ts-check

/** @import { Answered, Card, Child, Fields, OwnDetail, OwnHand } from "./types.js" */

import { CardRow } from "./cards.js";
import { button, h, hint, linkTo, say } from "./dom.js";
import { decisionOf, whyOf } from "./reading.js";
import { handLink, myLink } from "./router.js";
import { change, chips, costWords, faultWords } from "./words.js";

const PLACE = "http://127.0.0.1:9000/";
const TYPED = "urn:a2a-casino:typed-entrypoints:v1";

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
    recordMissing ? hint(`No cards, questions and answers: ${recordMissing}`) : null,
    h("ol", { class: "my-decisions" }, decisions.map(decisionItem)),
    h(
      "p",
      { class: "row" },
      linkTo(myLink(room, player), "All hands of the bot"),
      linkTo(handLink(room, hand.handNumber), "Replay of the hand"),
    ),
  );
}

/**
 * @param {string} label
 * @param {Card[]} cards
 */
function cardLine(label, cards) {
  const row = new CardRow(h("span", { class: "cards" }));
  row.show(cards);
  return h("p", { class: "my-cards" }, h("span", { class: "hint" }, label), row.element);
}

/** @param {Answered} decision */
function decisionItem(decision) {
  const { question, answer, refused } = decision;
  const { detail, reasoning, cost } = decisionOf({ ...decision });
  /** @type {Child[]} */
  const parts = [h("p", { class: "line" }, decisionLine(decision))];
  if (detail) parts.push(h("p", {}, "Why it failed: ", h("q", { class: "said" }, detail)));
  if (refused) parts.push(h("p", {}, "Refused answer: ", h("code", {}, refused)));
  if (reasoning) parts.push(h("p", {}, "Reasoning: ", h("q", { class: "said" }, reasoning)));
  if (cost) parts.push(h("p", {}, `Cost: ${costWords(cost)}`));
  if (answer) parts.push(wire("Answer that counted", answer));
  if (question) parts.push(wire("Question", question), copyButton(curlOf(question)));
  return h("li", {}, parts);
}

/**
 * Return a message of the wire that can be unfolded.
 * @param {string} label
 * @param {Fields} message
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
    h("p", { class: "row" }, button("Copy this question as curl", copy, { class: "quiet" }), done),
    shown,
  );
}

/**
 * Return what was done, how it came about, and how long it took.
 * @param {Answered} decision
 */
export function decisionLine({ bettingRound, action, amount, outcome, defaulted, latencyMs }) {
  const fault =
    outcome === "retried" ? "second try" : faultWords(outcome ?? "ok", whyOf(defaulted));
  return [
    bettingRound,
    [action, typeof amount === "number" ? chips(amount) : null].filter(Boolean).join(" "),
    fault,
    typeof latencyMs === "number" ? `${chips(latencyMs)} ms` : "not asked",
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * Return a hand's facts beside its cards.
 * @param {OwnHand} hand
 */
export function handFacts({ decisions, faults, slowestMs }) {
  return [
    `${decisions} ${decisions === 1 ? "decision" : "decisions"}`,
    faults ? `${faults} failed` : null,
    typeof slowestMs === "number" ? `${chips(slowestMs)} ms` : null,
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * Return what a hand brought: "+12", or nothing in a game for points.
 * @param {OwnHand} hand
 */
export function netWords({ net }) {
  return typeof net === "number" ? change(net) : "";
}

/**
 * Return a command for a POSIX shell that asks a bot at an address a question, as a table does.
 * @param {Fields} question
 */
export function curlOf(question) {
  const message = {
    messageId: "again-1",
    role: "ROLE_USER",
    extensions: [TYPED],
    metadata: { [TYPED]: { skill: "act" } },
    parts: [{ mediaType: "application/json", data: question }],
  };
  const call = { jsonrpc: "2.0", id: "1", method: "SendMessage", params: { message } };
  return [
    `curl -s ${PLACE}`,
    "-H 'Content-Type: application/json'",
    "-H 'A2A-Version: 1.0'",
    `-H 'A2A-Extensions: ${TYPED}'`,
    `-d ${quoted(JSON.stringify(call))}`,
  ].join(" \\\n  ");
}

/**
 * Return JSON as one word of a POSIX shell in plain ASCII: a question may quote strangers.
 * @param {string} json
 */
function quoted(json) {
  const ascii = json.replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `'${ascii.replaceAll("'", "'\\''")}'`;
}
