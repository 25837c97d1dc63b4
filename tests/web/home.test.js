/** The pure parts of home: what is told of the featured table, the list of rooms, the panels. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tellNow } from "../../services/lobby/casino_lobby/web/featured.js";
import { matchLine, rateLine } from "../../services/lobby/casino_lobby/web/home_panels.js";
import { Entry, roomLine } from "../../services/lobby/casino_lobby/web/lobby_entry.js";
import { compareRooms, isFound } from "../../services/lobby/casino_lobby/web/room_list.js";

const SUMMARY = { status: "running", handCount: 1200, playerCount: 2, gameType: "texas-holdem" };

describe("the featured table is told", () => {
  const ada = { id: "a", name: "Ada", stack: 0, committed: 50, isDealt: true, won: 0, score: null };
  const grace = { ...ada, id: "b", name: "Grace", stack: 70 };
  const seats = new Map([ada, grace].map((seat) => [seat.id, seat]));
  const raise = { kind: "action", name: "Ada", action: "raise", amount: 50 };
  const hand = { number: 7, phase: "betting", actor: "b", street: "turn", pot: 1300, log: [raise] };

  test("who is to act for how much, after what", () => {
    const [now, last] = tellNow({ hand, seats });
    assert.equal(now, "Grace is to act · turn · pot 1,300 · 1 all-in");
    assert.equal(last, "Ada: raises to 50");
    const [first] = tellNow({ hand: { ...hand, actor: null, street: "preflop", pot: 0 }, seats });
    assert.equal(first, "Hand 7 · 1 all-in");
  });

  test("who has won with what", () => {
    const winner = { ...grace, won: 1300, rank: "Two Pair" };
    const over = { ...hand, phase: "over", actor: null };
    const [now] = tellNow({ hand: over, seats: new Map([...seats, ["b", winner]]) });
    assert.equal(now, "Grace wins 1,300 with Two Pair");
    assert.match(tellNow({ hand: over, seats })[0], /no player has won/, "the house has");
  });

  test("in other games without pot and street, and without a hand", () => {
    const game = { ...hand, game: { type: "x_y" }, street: "dealing" };
    assert.equal(tellNow({ hand: game, seats })[0], "Grace is to act");
    assert.deepEqual(tellNow({ hand: null, seats }), ["The next hand begins soon.", ""]);
    assert.match(tellNow({ hand: { ...hand, phase: "cancelled" }, seats })[0], /cancelled/);
  });
});

describe("the list of rooms", () => {
  test("is found by all words, in the names of rooms, games and players", () => {
    const room = { id: "High-Stakes", game: "Texas Hold'em", players: ["Ada", "<b>Grace</b>"] };
    for (const search of ["", "  ", "stakes", "ADA high", "hold", "<b>grace", "grace texas"])
      assert.ok(isFound(search, room), search);
    for (const search of ["bob", "ada bob", ".*"]) assert.ok(!isFound(search, room), search);
  });

  test("is sorted by what was chosen, then by names as people count", () => {
    const room = (roomId, change = {}) => ({ ...SUMMARY, roomId, ...change });
    const rooms = [
      room("r10", { bigBlind: 2 }),
      room("r2", { bigBlind: 2, handCount: 9 }),
      room("idle", { status: "idle", playerCount: 6, bigBlind: 100 }),
      room("gone", { state: "closed", handCount: 9999 }),
    ];
    const order = (by) =>
      [...rooms].sort((left, right) => compareRooms(by, left, right)).map(({ roomId }) => roomId);
    assert.deepEqual(order("activity"), ["r2", "r10", "idle", "gone"]);
    assert.deepEqual(order("stakes"), ["idle", "r2", "r10", "gone"]);
    assert.deepEqual(order("players"), ["idle", "gone", "r2", "r10"]);
    assert.deepEqual(order("hands"), ["gone", "idle", "r10", "r2"]);
    assert.deepEqual(order("name"), ["gone", "idle", "r2", "r10"]);
  });

  test("knows of a room that was not loaded who sits there, and follows its events", () => {
    const players = [{ playerId: "a", displayName: "Ada", playerType: "human" }];
    const entry = new Entry({ ...SUMMARY, roomId: "r", players, smallBlind: 1, bigBlind: 2 });
    assert.equal(roomLine(entry.summary), "2 players · 1/2 · 1,200 hands");
    assert.deepEqual(
      [...entry.state.seats.values()].map(({ name, isGuest }) => [name, isGuest]),
      [["Ada", true]],
    );
    const payload = { playerId: "b", displayName: "Grace", seatNumber: 1, stack: 200 };
    entry.add({ eventType: "player_registered", epoch: 3, sequence: 9, payload });
    assert.equal(entry.state.seats.get("b").name, "Grace");
    assert.equal(entry.summary.playerCount, 2);
    entry.update({ ...SUMMARY, roomId: "r", state: "closed" });
    assert.equal(entry.state.seats.size, 0);
  });
});

test("a rate is told with its interval, and without one it is no rate", () => {
  assert.equal(rateLine({ bbPer100: 12.34, halfInterval95: 4.06 }), "+12.3 ± 4.1");
  assert.equal(rateLine({ bbPer100: 999, halfInterval95: null }), "says nothing yet");
});

test("a match is told by its verdict, or how far it is", () => {
  const pair = { first: "a", second: "b", verdict: "undecided", sentence: "Not decided." };
  const match = { isComplete: true, hands: 1000, pairs: [pair], players: ["a", "b"] };
  assert.equal(matchLine(match), "Not decided.");
  assert.equal(matchLine({ ...match, isComplete: false }), "running · 1,000 hands");
  assert.equal(matchLine({ ...match, pairs: [pair, pair] }), "2 players · 1,000 hands");
});
