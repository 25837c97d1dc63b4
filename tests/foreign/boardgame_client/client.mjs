// A Boardgame Protocol client by push: it takes a seat, looks at the state after each push, and
// performs one of the available actions at random.
//
//   client.mjs --url ORIGIN --match MATCH --game GAME --name NAME
//
// Ends with the match, or after --hands; prints one line of JSON.

import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Connection } from "./connection.mjs";
import { Dump } from "./dump.mjs";
import { Messages } from "./messages.mjs";

/** How long a push is waited for before the state is looked at without one. */
const QUIET_MS = 250;

const { values: options } = parseArgs({
  options: {
    url: { type: "string" },
    match: { type: "string" },
    game: { type: "string" },
    name: { type: "string", default: "Push" },
    type: { type: "string", default: "ai" },
    hands: { type: "string", default: "0" },
    dialect: { type: "string", default: "seed" },
    schemas: { type: "string" },
    subprotocol: { type: "boolean", default: false },
    "drop-every": { type: "string", default: "0" },
    patience: { type: "string", default: "60" },
    dump: { type: "string" },
  },
});
const isStrict = options.dialect === "strict";
const messages = new Messages(options.dialect, options.schemas);
const dump = new Dump(options.dump);
const dropEvery = Number(options["drop-every"]);

const statistics = {
  validated: {},
  violations: [],
  decisions: 0,
  refused: {},
  errors: {},
  pushes: 0,
  gaps: 0,
  quiet: 0,
  hands: 0,
  status: "",
};
let lastSequence;
let wake = () => {};
let hasNews = true;

function note(message) {
  const name = messages.nameOf(message);
  statistics.validated[name] = (statistics.validated[name] ?? 0) + 1;
  const faults = messages.faults(message);
  if (faults !== "" && statistics.violations.length < 10) statistics.violations.push(faults);
}

function count(kind, name) {
  statistics[kind][name] = (statistics[kind][name] ?? 0) + 1;
}

function onPush(message) {
  statistics.pushes += 1;
  const { event, sequence } = (message.message_response ?? message.event).data;
  if (typeof sequence === "number") {
    if (lastSequence !== undefined && sequence !== lastSequence + 1) statistics.gaps += 1;
    lastSequence = sequence;
  }
  if (event === "hand_completed") statistics.hands += 1;
  hasNews = true;
  wake();
}

async function takeSeat() {
  const body = JSON.stringify({ match_id: options.match, name: options.name, type: options.type });
  dump.sent("http", body);
  const url = `${options.url.replace(/\/$/, "")}/bgp/seats`;
  const headers = { "content-type": "application/json" };
  const reply = await fetch(url, { method: "POST", headers, body });
  const text = await reply.text();
  dump.received("http", text);
  if (reply.status !== 201) throw new Error(`no seat: ${reply.status} ${text}`);
  return JSON.parse(text);
}

/** A number between `min` and `max` where the offer has them; every other key as offered. */
function dataOf({ action_type: _type, min, max, ...more }, turn) {
  if (min === undefined) return { ...more, turn };
  const isLow = Math.random() < 0.7;
  const amount = isLow ? min : min + Math.floor(Math.random() * (max - min + 1));
  return { ...more, amount, turn };
}

const seat = await takeSeat();
const core = {
  version: "1.0.0",
  game: options.game,
  match_id: seat.match_id,
  agent_id: seat.agent_id,
};
const connection = new Connection(
  {
    origin: options.url,
    token: seat.token,
    isStrict,
    asSubprotocol: options.subprotocol,
    after: () => lastSequence,
  },
  dump,
  note,
  onPush,
);

async function ask(type, own) {
  const message = { ...core, type, ...own };
  note(message);
  return connection.request(message);
}

async function act(answer) {
  const offers = answer.state.data.available_actions;
  const offer = offers[Math.floor(Math.random() * offers.length)];
  const action = {
    version: answer.state.version,
    type: offer.action_type,
    data: dataOf(offer, answer.turn),
  };
  const performed = await ask("perform_action", { action });
  if (performed === undefined) return; // the next state tells whether it arrived
  if (performed.type === "error") return count("errors", performed.error.data.code);
  const { status, data, message } = performed.action_response;
  if (status === "success") statistics.decisions += 1;
  else count("refused", `${data.code}: ${message}`);
}

async function news() {
  if (!hasNews) {
    const quiet = pause(QUIET_MS, "quiet");
    const reason = await Promise.race([new Promise((resolve) => (wake = resolve)), quiet]);
    if (reason === "quiet") statistics.quiet += 1;
  }
  hasNews = false;
}

async function play() {
  const limit = Number(options.hands);
  let changedAt = Date.now();
  let last = "";
  let looks = 0;
  for (;;) {
    await news();
    const answer = await ask("get_state", { state: { version: "1.0.0" } });
    if (answer === undefined) {
      hasNews = true;
      continue;
    }
    if (answer.type === "error") {
      count("errors", answer.error.data.code);
      continue;
    }
    statistics.status = answer.status;
    if (answer.status === "ended" || answer.status === "abandoned") return;
    if (limit > 0 && statistics.hands >= limit) return;
    const shown = `${answer.turn} ${answer.status} ${statistics.pushes}`;
    if (shown !== last) changedAt = Date.now();
    last = shown;
    if (Date.now() - changedAt > Number(options.patience) * 1000) throw new Error("it stalls");
    if (answer.stage !== "act") continue;
    looks += 1;
    if (dropEvery > 0 && looks % dropEvery === 0) connection.drop();
    await act(answer);
    hasNews = true;
  }
}

try {
  await connection.open();
  await play();
} catch (error) {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
}
connection.close();
dump.close();
process.stdout.write(
  `${JSON.stringify({ ...statistics, reconnects: connection.reconnects, agent: seat.agent_id })}\n`,
);
setTimeout(() => process.exit(), 1000).unref();
