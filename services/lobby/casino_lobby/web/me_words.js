/** A bot's decisions in words, and its questions as commands for a terminal. Pure. */
// @ts-check

/** @import { Answered, OwnHand } from "./me_api.js" */
/** @import { Fields } from "./types.js" */

import { change, chips } from "./money.js";
import { faultWords } from "./seats.js";

const PLACE = "http://127.0.0.1:9000/";
const TYPED = "urn:a2a-casino:typed-entrypoints:v1";

/**
 * Return what was done, how it came about, and how long it took.
 * @param {Answered} decision
 */
export function decisionLine({ bettingRound, action, amount, outcome, latencyMs }) {
  const fault = outcome === "retried" ? "second try" : faultWords(outcome ?? "ok");
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
