// An A2G client that knows no game: it reads specifications, takes seats and plays at random.
//
//   client.mjs --url ORIGIN --name NAME --room ROOM [--room ROOM …] --rounds N
//
// A room that does not exist yet is waited for. Prints one line of JSON at the end.

import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { seeded } from "./choice.mjs";
import { Dump } from "./dump.mjs";
import { Rest } from "./rest.mjs";
import { Session } from "./session.mjs";
import { SpecificationStore } from "./specification.mjs";
import { Statistics } from "./statistics.mjs";
import { Table } from "./table.mjs";

const LOOK_AGAIN_MS = 250;

const { values: options } = parseArgs({
  options: {
    url: { type: "string" },
    name: { type: "string", default: "Node" },
    token: { type: "string" },
    room: { type: "string", multiple: true },
    rounds: { type: "string", default: "1" },
    "buy-in": { type: "string" },
    seed: { type: "string", default: "1" },
    think: { type: "string", default: "0" },
    "drop-every": { type: "string", default: "0" },
    patience: { type: "string", default: "60" },
    dump: { type: "string" },
    leave: { type: "boolean", default: false },
  },
});
const rounds = Number(options.rounds);
const dropEvery = Number(options["drop-every"]);
const settings = { random: seeded(Number(options.seed)), thinkMs: Number(options.think) };

const statistics = new Statistics();
const dump = new Dump(options.dump);
const rest = new Rest(options.url, dump, options.token);
const specifications = new SpecificationStore(rest);
const tables = new Map();
let requests = 0;
let heardAt = Date.now();
let end = () => {};
const ended = new Promise((resolve) => {
  end = resolve;
});

async function tableOf({ tableId, gameType, specVersion, payload }) {
  const version = specVersion ?? payload?.specVersion;
  const specification = await specifications.of(gameType, version);
  statistics.versions[gameType] = specification.version;
  const known = tables.get(tableId);
  if (known !== undefined) {
    known.specification = specification;
    return known;
  }
  const table = new Table(tableId, specification, session, statistics, settings);
  tables.set(tableId, table);
  return table;
}

async function onMessage(message) {
  heardAt = Date.now();
  if (message.type === "error") {
    const { code, message: text } = message.payload ?? {};
    const isOfTable = [...tables.values()].some((table) => table.takeError(message.payload ?? {}));
    if (code === "DUPLICATE_MESSAGE" && isOfTable) return; // a submission sent again had arrived
    statistics.count("errors", code);
    statistics.keep("errorMessages", `${code}: ${text}`);
    return;
  }
  if (message.tableId === undefined || message.gameType === undefined) return;
  const table = await tableOf(message);
  const isQuestion = ["game_action_request", "betting_window_open"].includes(message.type);
  if (isQuestion) requests += 1;
  const isDropped = isQuestion && dropEvery > 0 && requests % dropEvery === 0;
  // Every other time the connection goes before the answer, else right behind it.
  if (isDropped && (requests / dropEvery) % 2 === 0) session.drop();
  table.take(message);
  if (isDropped && settings.thinkMs === 0) await pause(0);
  if (isDropped) session.drop();
  if (message.type === "round_result") finishWhenDone();
}

function onResumed({ tableId }) {
  heardAt = Date.now();
  tables.get(tableId)?.resume();
}

function finishWhenDone() {
  const done = Object.values(statistics.rounds).filter((count) => count >= rounds);
  if (done.length >= (options.room ?? []).length) end();
}

/** Wait for a room with a free seat, read its game, sit down. */
async function join(room) {
  for (;;) {
    const found = (await rest.rooms()).find((one) => one.id === room);
    if (found !== undefined && found.playerCount < found.maxPlayers) {
      const specification = await specifications.of(found.gameType);
      statistics.versions[found.gameType] = specification.version;
      const wish = options["buy-in"] === undefined ? {} : { buyIn: Number(options["buy-in"]) };
      await rest.join(room, wish);
      heardAt = Date.now();
      return;
    }
    if (await Promise.race([ended.then(() => true), pause(LOOK_AGAIN_MS, false)])) return;
  }
}

function fail(error) {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
  end();
}

const session = new Session(options.url, await signedIn(), dump, statistics, {
  onMessage,
  onResumed,
  onFatal: fail,
});

async function signedIn() {
  if (rest.token === undefined) await rest.signInAsGuest(options.name);
  return rest.token;
}

process.once("SIGTERM", () => end());
const watch = setInterval(() => {
  if (Date.now() - heardAt > Number(options.patience) * 1000) {
    fail(new Error(`nothing was heard for ${options.patience} s`));
  }
}, 500);
try {
  await session.open();
  await Promise.race([Promise.all((options.room ?? []).map(join)), ended]);
  await ended;
  if (options.leave) for (const room of options.room ?? []) await rest.leave(room);
} catch (error) {
  fail(error);
}
clearInterval(watch);
session.close();
dump.close();
const supported = session.hello?.payload?.supportedGames ?? [];
process.stdout.write(
  `${JSON.stringify({ ...statistics, fetches: specifications.fetches, supported })}\n`,
);
setTimeout(() => process.exit(), 1000).unref();
