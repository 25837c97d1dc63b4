/** The A2G client in front of a small server that is written from the protocol's documents. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { A2GClient, A2GError } from "../../services/lobby/casino_lobby/web/a2g/client.js";
import { A2GServer, settle } from "./a2g_server.js";

const OFFERS = [{ type: "PASS" }, { type: "BET" }];
let server;
let client;
let told;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  mock.method(Math, "random", () => 1);
  server = new A2GServer();
  told = { requests: [], over: [], errors: [], states: [], messages: [] };
  client = connected({ login: server.login() });
});

afterEach(() => {
  client.close();
  mock.timers.reset();
  mock.restoreAll();
});

function connected(options) {
  return new A2GClient("http://gateway/", {
    WebSocket: server.WebSocket,
    fetch: server.fetch,
    onMessage: ({ type }) => told.messages.push(type),
    onRequest: (request) => told.requests.push(request),
    onOver: (tableId, why) => told.over.push([tableId, why]),
    onError: ({ code }) => told.errors.push(code),
    onState: (state, error) => told.states.push(error ? [state, error.code] : state),
    ...options,
  });
}

async function ready() {
  client.connect();
  await settle();
}

/** Break the connection, and let the client come back. */
async function comeBack() {
  server.cut();
  await settle();
  mock.timers.tick(250);
  await settle();
}

const sent = (type) => server.heard.filter((message) => message.type === type);

test("a guest logs in, takes a seat and leaves it", async () => {
  const guest = connected({ login: null });
  await assert.rejects(guest.join("t1"), { code: "AUTH_REQUIRED", status: 401 });
  const login = await guest.guest("Ada");
  assert.equal(guest.login.token, login.token);
  const seat = await guest.join("t1", { buyIn: 200, seat: 2 });
  assert.deepEqual([seat.playerId, seat.seatNumber, seat.buyIn], ["p1", 2, 200]);
  assert.equal(await guest.specification("kuhn_poker"), "# Kuhn");
  await guest.leave("t1");
  assert.deepEqual(
    server.requests.slice(1).map(({ pathname, authorization }) => [pathname, authorization]),
    [
      ["/api/auth/guest", undefined],
      ["/api/rooms/t1/join", `Bearer ${login.token}`],
      ["/api/games/kuhn_poker/spec", `Bearer ${login.token}`],
      ["/api/rooms/t1/leave", `Bearer ${login.token}`],
    ],
  );
  await assert.rejects(guest.join("full"), { code: "TABLE_FULL", message: "No seat is free." });
});

test("a server that does not answer is an error too", async () => {
  const fetch = async () => Promise.reject(new TypeError("fetch failed"));
  const lost = connected({ fetch });
  await assert.rejects(lost.join("t1"), (error) => error instanceof A2GError && error.status === 0);
});

test("it authenticates after hello, with the token in no address", async () => {
  await ready();
  assert.equal(server.socket.url, "ws://gateway/ws");
  const [{ payload, messageId }] = sent("authenticate");
  assert.deepEqual(payload, { token: client.login.token, protocolVersion: "1.0" });
  assert.match(messageId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(told.states, ["connecting", "ready"]);
  assert.deepEqual(sent("reconnect"), [], "there is nothing to resume");
});

test("a request is answered once, and over with the own action", async () => {
  await ready();
  await client.join("t1");
  server.ask(OFFERS);
  const [{ tableId, payload }] = told.requests;
  assert.equal(client.submit(tableId, { action: payload.availableActions[1].type }), true);
  assert.equal(client.submit(tableId, { action: "PASS" }), false, "one answer for a request");
  const [action] = sent("submit_action");
  assert.deepEqual(
    [action.tableId, action.gameType, action.payload],
    ["t1", "kuhn_poker", { action: "BET" }],
  );
  server.emit("player_action_broadcast", { action: "BET" }, { playerId: "other" });
  assert.deepEqual(told.over, []);
  server.emit("player_action_broadcast", { action: "BET" }, { playerId: "p1" });
  assert.deepEqual(told.over, [["t1", "player_action_broadcast"]]);
  server.emit("round_result", { winners: [] });
  assert.equal(told.over.length, 1, "a request is over once");
});

test("an acknowledged action is over, and names its turn", async () => {
  await ready();
  server.ask(OFFERS, { turn: 7 });
  client.submit("t1", { action: "BET" });
  const [{ turn, messageId }] = sent("submit_action");
  assert.equal(turn, 7);
  server.emit("ack", { relatedMessageId: "another" });
  assert.deepEqual(told.over, []);
  server.emit("ack", { relatedMessageId: messageId });
  assert.deepEqual(told.over, [["t1", "ack"]]);
});

test("a refused action leaves the request open, or ends it", async () => {
  await ready();
  server.ask(OFFERS);
  for (const code of ["INVALID_ACTION", "INVALID_AMOUNT"]) {
    assert.equal(client.submit("t1", { action: "BET" }), true);
    server.emit("game_error", { code, message: "no" });
    assert.equal(client.turns.get("t1").state, "DECIDING");
  }
  for (const code of ["TIMEOUT", "NOT_YOUR_TURN", "ROUND_COMPLETE"]) {
    server.ask(OFFERS);
    server.emit("game_error", { code, message: "no" });
    assert.deepEqual(told.over.at(-1), ["t1", code]);
    assert.equal(client.submit("t1", { action: "BET" }), false);
  }
  assert.equal(told.errors.length, 5);
});

test("a betting window is a request as well", async () => {
  await ready();
  server.emit("betting_window_open", { availableActions: OFFERS }, { timeoutSeconds: 5 });
  assert.equal(client.submit("t1", { action: "PASS" }), true);
  server.emit("betting_window_closed", {});
  assert.deepEqual(told.over, [["t1", "betting_window_closed"]]);
});

test("after a lost connection it gets what it missed, and nothing twice", async () => {
  await ready();
  const first = server.emit("game_state_update", {});
  server.cut();
  server.emit("player_action_broadcast", { playerId: "other" });
  server.ask(OFFERS);
  await settle();
  assert.deepEqual(told.requests, []);
  mock.timers.tick(250);
  await settle();
  const [{ payload }] = sent("reconnect");
  const { sessionId } = client.login;
  assert.deepEqual(payload, { sessionId, lastSeenMessageId: first.messageId });
  assert.equal(told.requests.length, 1, "it comes with what was missed, and by itself");
  assert.deepEqual(told.messages, [
    "game_state_update",
    "reconnect_state",
    "player_action_broadcast",
    "game_action_request",
  ]);
  assert.deepEqual(told.states, ["connecting", "ready", "waiting", "connecting", "ready"]);
});

test("an action that was lost is sent again, under the same id", async () => {
  await ready();
  server.ask(OFFERS);
  client.submit("t1", { action: "BET" });
  await comeBack();
  const [first, again, ...more] = sent("submit_action");
  assert.deepEqual(again, first);
  assert.deepEqual(more, []);
  server.tell(server.socket, "error", { code: "DUPLICATE_MESSAGE", message: "" });
  assert.deepEqual(told.errors, [], "it had arrived, after all");
});

test("an open request that was not answered is still open", async () => {
  await ready();
  server.ask(OFFERS);
  await comeBack();
  assert.equal(told.requests.length, 1);
  assert.deepEqual(sent("submit_action"), []);
  assert.equal(client.submit("t1", { action: "PASS" }), true);
});

test("a new client resumes where an earlier one was", async () => {
  await ready();
  server.emit("game_state_update", {});
  const { login, lastSeen } = client;
  client.close();
  server.ask(OFFERS);
  client = connected({ login, lastSeen });
  await ready();
  assert.equal(told.requests.length, 1);
  assert.equal(client.submit("t1", { action: "PASS" }), true);
});

test("it waits longer after each failure, and wakes at once", async () => {
  server.accepts = false;
  client.connect();
  for (const wait of [250, 500, 1000, 2000, 4000, 8000, 8000]) {
    await settle();
    const attempts = server.sockets.length;
    mock.timers.tick(wait - 1);
    assert.equal(server.sockets.length, attempts);
    mock.timers.tick(1);
    assert.equal(server.sockets.length, attempts + 1);
  }
  await settle();
  server.accepts = true;
  client.wake();
  await settle();
  assert.equal(client.isReady, true);
  client.wake();
  assert.equal(told.states.at(-1), "ready");
});

test("a refused login and a newer socket end it", async () => {
  server.tokens.clear();
  await ready();
  assert.deepEqual(told.states, ["connecting", ["refused", "AUTH_INVALID"]]);
  assert.deepEqual(told.errors, ["AUTH_INVALID"]);
  const attempts = server.sockets.length;
  mock.timers.tick(60_000);
  assert.equal(server.sockets.length, attempts);
  const other = connected({ login: server.login() });
  other.connect();
  await settle();
  server.socket.close(4001);
  await settle();
  assert.deepEqual(told.states.at(-1), ["refused", "REPLACED"]);
});

test("it answers heartbeats, and does not trust a silent socket", async () => {
  await ready();
  const pongs = [];
  server.hear = (_socket, { type, payload }) => pongs.push([type, payload.direction]);
  server.tell(server.socket, "heartbeat", { direction: "ping" });
  assert.deepEqual(pongs, [["heartbeat", "pong"]]);
  let now = performance.now();
  mock.method(performance, "now", () => now);
  now += 11_000;
  mock.timers.tick(10_000);
  assert.deepEqual(pongs.at(-1), ["heartbeat", "ping"]);
  now += 20_000;
  mock.timers.tick(10_000);
  assert.equal(told.states.at(-1), "waiting");
});

test("the clock runs from when the server sent the request", async () => {
  await ready();
  const request = server.ask(OFFERS, { timestamp: Date.now() - 4_000 });
  assert.equal(request.timeoutSeconds, 10);
  const left = client.leftMs(told.requests[0]);
  // The server's stamps are whole milliseconds, so its clock is seen up to 1 ms late.
  assert.ok(left > 5_500 && left < 6_001, String(left));
  const reserved = client.leftMs(told.requests[0], 0.8);
  assert.ok(Math.abs(left - reserved - 2_000) < 50);
});

test("what is no message of the protocol has no effect", async () => {
  await ready();
  for (const data of ["", "[]", "null", "7", '{"type":1}', "{", '{"type":"new_in_1_1"}'])
    server.socket.onmessage({ data });
  server.emit("game_action_request", undefined);
  assert.equal(client.submit("t1", { action: "PASS" }), true);
  assert.deepEqual(told.messages, ["new_in_1_1", "game_action_request"]);
  assert.equal(client.send("balance_query", {}), true);
  assert.equal(sent("balance_query").length, 1);
  client.close();
  assert.equal(client.send("balance_query", {}), false);
});
