/** The seat of the person at the page, in front of a small A2G server. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { MySeat } from "../../services/lobby/casino_lobby/web/play/my_seat.js";
import { A2GServer, settle } from "./a2g_server.js";

const OFFERS = [{ type: "FOLD" }, { type: "CALL" }, { type: "RAISE", minAmount: 4, maxAmount: 9 }];
const GATEWAY = "http://gateway";
let server;
let seat;
let storage;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  server = new A2GServer();
  const items = new Map();
  storage = {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  };
  seat = newSeat();
});

afterEach(() => {
  seat.stop();
  mock.timers.reset();
});

function newSeat(gateway = GATEWAY) {
  const { WebSocket, fetch } = server;
  return new MySeat(gateway, "t1", { storage, WebSocket, fetch }, () => {});
}

async function seated() {
  await seat.sit({ name: "Ada", buyIn: 200, seat: 2 });
  await settle();
}

const actions = () =>
  server.heard.filter(({ type }) => type === "submit_action").map(({ payload }) => payload);

test("a person sits down and acts, with talk", async () => {
  await seated();
  const wish = { displayName: "Ada", playerType: "human", buyIn: 200, seat: 2 };
  assert.deepEqual(server.requests.at(-1).body, wish);
  assert.deepEqual([seat.seated.playerId, seat.connection], ["p1", "ready"]);
  server.ask(OFFERS);
  assert.deepEqual(
    seat.choices.map(({ kind }) => kind),
    ["fold", "call", "raise"],
  );
  assert.ok(seat.leftMs > 9_000 && seat.leftMs <= 10_000);
  seat.talk = `  nice hand ${"!".repeat(300)}`;
  assert.equal(seat.act(seat.choices[2].offers[0], 7), true);
  const [action] = actions();
  assert.deepEqual([action.action, action.amount, action.message.length], ["RAISE", 7, 200]);
  assert.equal(seat.isSent, true);
  assert.equal(seat.talk, "");
  server.emit("player_action_broadcast", {}, { playerId: "p1" });
  assert.equal(seat.request, null);
});

test("a refused amount may be tried again, and says why", async () => {
  await seated();
  server.ask(OFFERS);
  seat.act(seat.choices[2].offers[0], 9);
  server.emit("game_error", { code: "INVALID_AMOUNT", message: "amount: 4 to 8" });
  assert.deepEqual([seat.fault, seat.isSent], ["amount: 4 to 8", false]);
  assert.equal(seat.act(seat.choices[2].offers[0], 8), true);
  assert.equal(seat.fault, "");
});

test("too late is told", async () => {
  await seated();
  server.ask(OFFERS);
  server.emit("game_error", { code: "TIMEOUT", message: "over" });
  assert.equal(seat.request, null);
  assert.match(seat.note, /Too late/);
  assert.equal(seat.fault, "");
});

test("a pre-action acts at once, and only once", async () => {
  await seated();
  seat.prepare("check-fold");
  assert.deepEqual([actions(), seat.preAction], [[], "check-fold"]);
  server.ask(OFFERS);
  assert.deepEqual(actions(), [{ action: "FOLD" }]);
  assert.equal(seat.preAction, null);
  server.emit("round_result", { winners: [], scores: { p1: -2 } });
  assert.equal(seat.note, "You lose 2.");
  server.ask(OFFERS);
  assert.equal(actions().length, 1);
  assert.equal(seat.hasPreActions, true);
  seat.prepare("call-any");
  assert.deepEqual(actions()[1], { action: "CALL" }, "chosen too late, it is the answer");
  assert.equal(seat.preAction, null);
});

test("own cards are those of their hand", async () => {
  await seated();
  const secret = { public: {}, private: { hole_cards: ["Ah", "Tc"] } };
  server.emit("game_state_update", secret, { handNumber: 3 });
  assert.deepEqual(seat.own, {
    hand: 3,
    cards: [
      { rank: "A", suit: "hearts" },
      { rank: "T", suit: "clubs" },
    ],
  });
  server.emit("player_action_broadcast", { playerId: "x" });
  assert.equal(seat.own.cards.length, 2);
});

test("the seat survives a reload in the middle of a question", async () => {
  await seated();
  server.ask(OFFERS);
  seat.stop();
  await settle();
  seat = newSeat();
  assert.equal(seat.seated, null);
  seat.resume();
  await settle();
  assert.equal(seat.seated.name, "Ada");
  assert.equal(seat.request.payload.availableActions.length, 3);
  assert.equal(seat.act(seat.choices[1].offers[0]), true);
  assert.deepEqual(actions(), [{ action: "CALL" }]);
  assert.equal(server.requests.length, 2, "it neither logs in nor joins again");
});

test("another gateway's seat and rubbish are not resumed", async () => {
  await seated();
  newSeat("http://elsewhere").resume();
  for (const rubbish of ["{", "null", "7", '{"gateway":"http://gateway"}']) {
    storage.items.set("seat t1", rubbish);
    const other = newSeat();
    other.resume();
    assert.equal(other.seated, null);
  }
  assert.equal(server.sockets.length, 1);
});

test("sitting out is told again after a lost connection", async () => {
  await seated();
  seat.sitOut(true);
  server.cut();
  await settle();
  seat.sitOut(false);
  assert.equal(seat.isSittingOut, true, "nobody heard it");
  mock.timers.tick(250);
  await settle();
  const told = server.heard.filter(({ type }) => type === "sit_out");
  assert.deepEqual(
    told.map(({ tableId, payload }) => [tableId, payload.sittingOut]),
    [
      ["t1", true],
      ["t1", true],
    ],
  );
});

test("nothing is sent while the connection is lost", async () => {
  await seated();
  server.ask(OFFERS);
  server.cut();
  assert.equal(seat.act(seat.choices[0].offers[0]), false);
  assert.match(seat.fault, /Not connected/);
  assert.deepEqual(actions(), []);
});

test("leaving forgets the seat, and so does losing it", async () => {
  await seated();
  assert.equal(storage.items.size, 1);
  await seat.leave();
  assert.equal(server.heard.at(-1).type, "sit_out", "the table does not wait for the rest");
  assert.equal(server.requests.at(-1).pathname, "/api/rooms/t1/leave");
  assert.deepEqual([seat.seated, storage.items.size], [null, 0]);
  await seated();
  server.emit("seat_closed", { reason: "out of chips" });
  assert.equal(seat.seated, null);
  assert.match(seat.note, /out of chips/);
  await seated();
  server.emit("seat_closed", { reason: "away" });
  assert.match(seat.note, /given back while you were away/);
  await seated();
  server.tell(server.socket, "reconnect_state", { tableId: null, missedMessages: [] });
  assert.deepEqual([seat.seated, storage.items.size], [null, 0]);
  assert.match(seat.note, /given back while you were away/);
  await seated();
  server.emit("error", { code: "TABLE_NOT_FOUND", message: "The room is closed." });
  assert.deepEqual([seat.seated, seat.note], [null, "The room is closed."]);
  await seated();
  server.socket.close(4001);
  await settle();
  assert.match(seat.fault, /another window/);
  assert.notEqual(seat.seated, null, "it is still this person's");
});

test("a refusal to sit down is thrown, and nothing is kept", async () => {
  const { WebSocket, fetch } = server;
  seat = new MySeat(GATEWAY, "full", { storage, WebSocket, fetch }, () => {});
  await assert.rejects(seat.sit({ name: "Ada", buyIn: null, seat: null }), { code: "TABLE_FULL" });
  assert.deepEqual([seat.seated, storage.items.size], [null, 0]);
});
