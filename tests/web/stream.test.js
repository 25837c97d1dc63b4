/** The lasting connection to a stream, with a lobby that answers as a test says. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Problem } from "../../services/lobby/casino_lobby/web/api.js";
import { Stream } from "../../services/lobby/casino_lobby/web/stream.js";

let requests = [];
let responses = [];
let messages = [];
let states = [];
let stream;

beforeEach(() => {
  [requests, responses, messages, states] = [[], [], [], []];
  globalThis.document = { baseURI: "http://lobby/" };
  globalThis.addEventListener = () => {};
  globalThis.removeEventListener = () => {};
  mock.method(Math, "random", () => 0);
  mock.method(globalThis, "fetch", async (address, { headers, signal }) => {
    requests.push([address, headers["last-event-id"]]);
    return responses.shift() ?? aborted(signal);
  });
  mock.timers.enable({ apis: ["setTimeout"] });
  stream = new Stream("v1/stream", {
    onMessage: (message) => messages.push(message),
    onConnection: (state) => states.push(state),
  });
});

afterEach(() => {
  stream.stop();
  mock.timers.reset();
  mock.restoreAll();
});

/** Fail when a request is aborted, as fetch does. */
function aborted(signal) {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

/** Let everything happen that does not wait for a timer. */
async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const kinds = () => states.map(({ kind }) => kind);

test("it passes on events, and resumes after the last one", async () => {
  responses = [
    new Response('id: 4\nevent: table_event\ndata: {"n": 1}\n\nevent: lagged\ndata: 1\n\n'),
    new Response('id: 5\nevent: x\ndata: 2\n\nid: 6\nevent: table_event\ndata: {"n":\n\n'),
  ];
  stream.start();
  await settle();
  assert.deepEqual(messages, [{ name: "table_event", data: { n: 1 } }]);
  assert.deepEqual(kinds(), ["connecting", "live", "waiting"]);
  mock.timers.tick(250);
  await settle();
  assert.deepEqual(messages.slice(1), [{ name: "x", data: 2 }], "what is cut is left out");
  mock.timers.tick(250);
  await settle();
  assert.deepEqual(requests, [
    ["http://lobby/v1/stream", undefined],
    ["http://lobby/v1/stream", "4"],
    ["http://lobby/v1/stream", "5"], // what is cut comes again
  ]);
});

test("it waits longer after each failure, but not for ever", async () => {
  responses = Array.from({ length: 8 }, () => new Response("", { status: 503 }));
  stream.start();
  for (let failure = 0; failure < 8; failure += 1) {
    await settle();
    mock.timers.tick(7500);
  }
  const waiting = states.filter(({ kind }) => kind === "waiting");
  const waits = waiting.map(({ waitMs }) => waitMs);
  assert.deepEqual(
    waiting.slice(0, 3).map(({ isLost }) => isLost),
    [false, true, true],
  );
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 7500, 7500, 7500]);
});

test("a refusal ends it, with the lobby's problem", async () => {
  responses = [Response.json({ title: "No such room", detail: "No." }, { status: 404 })];
  stream.start();
  await settle();
  assert.deepEqual(kinds(), ["connecting", "refused"]);
  assert.ok(states[1].problem instanceof Problem);
  assert.equal(states[1].problem.message, "No.");
  mock.timers.tick(60_000);
  await settle();
  assert.equal(requests.length, 1);
});

test("a restart begins with a snapshot", async () => {
  responses = [new Response("id: 4\nevent: x\ndata: 1\n\n")];
  stream.start();
  await settle();
  stream.restart();
  mock.timers.tick(250);
  await settle();
  assert.deepEqual(
    requests.map(([, lastId]) => lastId),
    [undefined, undefined],
  );
  assert.deepEqual(states.at(-1), { kind: "connecting", isFirst: true });
});

test("a stopped stream connects no more", async () => {
  responses = [new Response("")];
  stream.start();
  await settle();
  stream.stop();
  await settle();
  mock.timers.tick(60_000);
  await settle();
  assert.equal(requests.length, 1);
  assert.equal(kinds().at(-1), "ended");
});

test("it says how long nothing has come, until something comes", async () => {
  let now = 0;
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  mock.method(performance, "now", () => now);
  const pass = async (ms) => {
    now += ms;
    mock.timers.tick(ms);
    await settle();
  };
  /** @type {ReadableStreamDefaultController} */
  let body;
  responses = [new Response(new ReadableStream({ start: (control) => (body = control) }))];
  stream.start();
  await settle();
  for (let passed = 0; passed < 20; passed += 5) await pass(5_000);
  assert.deepEqual(kinds(), ["connecting", "live"], "a heartbeat may be late");
  await pass(5_000);
  await pass(5_000);
  assert.deepEqual(states.slice(2), [
    { kind: "silent", seconds: 25, isLost: true },
    { kind: "silent", seconds: 30, isLost: true },
  ]);
  body.enqueue(new TextEncoder().encode(":heartbeat\n\n"));
  await settle();
  assert.deepEqual(kinds().slice(4), ["live"]);
  await pass(5_000);
  assert.deepEqual(kinds().slice(5), []);
});
