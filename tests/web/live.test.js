/** A live room: its stream begins anew where public events are missing. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { LiveRoom } from "../../services/lobby/casino_lobby/web/live.js";
import { statusWord } from "../../services/lobby/casino_lobby/web/room_facts.js";

let connections = [];
let streams = [];
let live;

const SNAPSHOT = { epoch: 1, config: {}, events: [], summary: { players: [], handCount: 0 } };
const frame = (name, data, id) => `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const snapshot = (id) => frame("snapshot", { room: { ...SNAPSHOT, events: [event(id)] } }, id);
const table = (sequence) => frame("table_event", { event: event(sequence) }, sequence);
const event = (sequence) => ({
  epoch: 1,
  sequence,
  eventType: "table_status",
  message: "",
  payload: {},
});

/** Let everything happen that does not wait for a timer. */
async function settle() {
  for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => {
  connections = [];
  globalThis.document = { baseURI: "http://lobby/", hidden: false };
  globalThis.addEventListener = () => {};
  globalThis.removeEventListener = () => {};
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(globalThis, "fetch", async (address, { headers }) => {
    if (address.endsWith("/rooms/main")) return Response.json({ summary: { waits: [] } });
    if (!address.includes("stream")) return Response.json({ hands: [] });
    connections.push(headers["last-event-id"]);
    const next = streams.shift() ?? "";
    if (next instanceof Error) throw next;
    return new Response(next);
  });
  live = new LiveRoom("main", { onChange: () => {}, onConnection: () => {}, isCalm: false });
});

afterEach(() => {
  live.stop();
  mock.timers.reset();
  mock.restoreAll();
});

test("events that follow one another are shown", async () => {
  streams = [snapshot(3) + table(4) + table(5)];
  live.listen("public");
  await settle();
  assert.equal(live.state.sequence, 5);
});

test("where one is missing, the stream begins anew with a snapshot", async () => {
  streams = [snapshot(3) + table(5), snapshot(5) + table(6)];
  live.listen("public");
  await settle();
  assert.equal(live.state.sequence, 3, "what comes after a gap is not shown");
  mock.timers.tick(15_000);
  await settle();
  assert.deepEqual(connections.slice(0, 2), [undefined, undefined]);
  assert.equal(live.state.sequence, 6);
});

test("the commentators' feed has its own order", async () => {
  streams = [snapshot(3) + table(5)];
  live.listen("commentator");
  await settle();
  assert.equal(live.state.sequence, 5);
});

test("a room whose lobby is away says so, and then what it waits for by now", async () => {
  const waits = [{ reason: "players-away", since: "", what: "", fix: "" }];
  const gone = new Error("connection refused");
  streams = [snapshot(3) + frame("room_waits", { waits }, 3), gone, gone, table(4)];
  const seen = [];
  live.listen("public");
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await settle();
    seen.push(statusWord({ ...live.state, waits: live.state.waits ?? [] }));
    mock.timers.tick(15_000);
  }
  assert.deepEqual(seen, ["players away", "lobby away", "lobby away", "waiting"]);
});
