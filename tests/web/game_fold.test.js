/** The fold of games other than Hold'em. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EMPTY, reduce } from "../../services/lobby/casino_lobby/web/reducer.js";
import { checkFold } from "./fold_checks.js";
import { registered, roomWith, session } from "./sessions.js";

const PLAYERS = ["p0", "p1"].map((playerId, seatNumber) => ({
  playerId,
  displayName: `Player ${seatNumber}`,
  seatNumber,
  stack: 9,
}));

/** Return the state after events, the first of which starts a hand with a public state. */
function after(publicState, ...events) {
  const start = { handNumber: 1, gameType: "any_game", players: PLAYERS, state: publicState };
  return [["hand_started", start], ...events]
    .map(([eventType, payload]) => ({ eventType, message: "", payload }))
    .reduce(reduce, EMPTY);
}

describe("recorded sessions", () => {
  const words = { leduc_poker: "call", blackjack: "stand" };
  for (const [game, word] of Object.entries(words)) {
    test(`of ${game} end every hand with the table's stacks and scores`, () => {
      const seen = checkFold({ events: session(game) });
      assert.deepEqual(seen.errors, []);
      assert.ok(seen.hands > 1);
      assert.ok(seen.words.includes(word), seen.words.join());
      assert.equal(seen.foreseen, seen.actions);
    });
  }

  test("may begin in the middle of a hand, with a snapshot or without", () => {
    const events = session("leduc_poker");
    for (let begin = 4; begin < events.length - 2; begin += 1) {
      const rest = events.slice(begin);
      const snapshot = roomWith(events.slice(begin - 2, begin), registered(events), "leduc_poker");
      for (const room of [null, snapshot]) {
        const seen = checkFold({ events: rest, begin: room });
        assert.deepEqual(seen.errors, []);
        assert.ok(seen.hands > 0);
      }
    }
  });
});

test("the public state says whose turn it is and which cards lie at the seats", () => {
  const state = after({ current_player: "p1", players: { p0: ["Qs"], p1: { cards: "Kh" } } });
  assert.equal(state.hand.actor, "p1");
  assert.deepEqual(state.seats.get("p0").cards, [{ rank: "Q", suit: "spades" }]);
  assert.deepEqual(state.seats.get("p1").cards, [{ rank: "K", suit: "hearts" }]);
});

test("an action is text: its type and its details", () => {
  const act = (payload) =>
    after({}, ["action_taken", { handNumber: 1, playerId: "p0", scores: {}, ...payload }]);
  const play = { action: "PLAY_CARD", details: { action_type: "PLAY_CARD", card: 7, more: {} } };
  assert.equal(act(play).seats.get("p0").last.words, "play card 7 …");
  const long = act({ action: "say", details: { text: "x".repeat(200) } });
  assert.equal(long.seats.get("p0").last.words.length, 60);
  const fold = act({ action: "FOLD", message: "not this time", outcome: "timeout", latencyMs: 3 });
  const { isFolded, says } = fold.seats.get("p0");
  assert.deepEqual([isFolded, says], [true, "not this time"]);
  const { outcome, latencyMs, name } = fold.hand.log.at(-1);
  assert.deepEqual([outcome, latencyMs, name], ["timeout", 3, "Player 0"]);
});

test("a hand ends with scores, the bank's share and the last public state", () => {
  const end = [
    "hand_completed",
    {
      handNumber: 1,
      scores: { p0: 2.5, p1: -3 },
      stacks: [{ playerId: "p1", stack: 6 }],
      house: 0.5,
      result: { public: { table: "done", current_player: "p0" } },
    },
  ];
  const { seats, hand, handCount } = after({ table: "begun" }, end);
  assert.equal(handCount, 1);
  assert.deepEqual([seats.get("p0").stack, seats.get("p0").won], [11.5, 2.5]);
  assert.deepEqual([seats.get("p1").stack, seats.get("p1").score], [6, -3]);
  assert.deepEqual(hand.log, [
    { kind: "score", name: "Player 0", score: 2.5 },
    { kind: "score", name: "Player 1", score: -3 },
    { kind: "score", name: "The bank", score: 0.5 },
  ]);
  assert.deepEqual([hand.phase, hand.actor, hand.game.house], ["over", null, 0.5]);
  assert.equal(hand.game.state.table, "done");
  assert.equal(hand.game.first.table, "begun");
});

test("points are a ranking in the log, and stacks stay as they are", () => {
  const state = after({}, [
    "hand_completed",
    {
      handNumber: 1,
      scores: {},
      points: [
        { playerId: "p1", points: 103, place: 1 },
        { playerId: "p0", points: 57.5, place: 2 },
      ],
      stacks: PLAYERS,
      result: { public: {} },
    },
  ]);
  assert.deepEqual(
    state.hand.log.slice(-2).map(({ text }) => text),
    ["1. Player 1: 103 points", "2. Player 0: 57.5 points"],
  );
  assert.equal(state.seats.get("p0").stack, 9);
});

test("a payload without public state keeps the last one", () => {
  const state = after({ table: "begun" }, [
    "action_taken",
    { handNumber: 1, playerId: "p0", action: "pass", scores: {} },
  ]);
  assert.equal(state.hand.game.state.table, "begun");
});
