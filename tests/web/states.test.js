/** What is said of a room and its seats is true: badges, pots, odds, how late the view is. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { uncalledOf } from "../../services/lobby/casino_lobby/web/betting.js";
import { beforeLine } from "../../services/lobby/casino_lobby/web/hands.js";
import { oddsNow, shownLater } from "../../services/lobby/casino_lobby/web/insight.js";
import { seatOf } from "../../services/lobby/casino_lobby/web/reading.js";
import { asSeen, EMPTY, reduce } from "../../services/lobby/casino_lobby/web/reducer.js";
import { neighbours } from "../../services/lobby/casino_lobby/web/replay_links.js";
import { factsLine, lagLine } from "../../services/lobby/casino_lobby/web/room_facts.js";
import { stateBadge } from "../../services/lobby/casino_lobby/web/seats.js";
import { indexOfHand, session } from "./sessions.js";

const EVENTS = session("texas-holdem");
const fold = (events) => events.reduce(reduce, EMPTY);
const event = (eventType, message, payload) => ({ eventType, message, payload });

describe("a seat's badge", () => {
  const seat = (difference) => ({ ...seatOf({ playerId: "a", stack: 9 }), ...difference });
  const allIn = { isDealt: true, stack: 0, committed: 40 };
  const badge = (difference, phase = "betting", game = null) =>
    stateBadge(seat(difference), { phase, game })?.[0] ?? null;

  test("says that all chips are bet, while the hand is played", () => {
    assert.equal(badge(allIn), "ALL-IN");
    assert.equal(badge({ ...allIn, stack: 1 }), null);
    assert.equal(badge({ ...allIn, isFolded: true }), null);
    assert.equal(badge({ ...allIn, committed: 0 }), null);
    assert.equal(badge(allIn, "over"), null);
    assert.equal(badge(allIn, "betting", {}), null);
  });

  test("says that a player is away, whatever the table did for it", () => {
    const last = { action: "fold", amount: null, outcome: "sitting_out" };
    assert.equal(badge({ isOut: true, last }), "AWAY");
    assert.equal(stateBadge(seat({ isOut: true }), null)?.[0], "AWAY");
  });

  test("says that a player is out, and in which place", () => {
    assert.equal(badge({ finish: 0, isOut: true }), "OUT");
    assert.deepEqual(stateBadge(seat({ finish: 5 }), null), ["OUT", "out of chips, place 5"]);
  });
});

test("what nobody has called is in none of the pots", () => {
  const hand = { phase: "betting", pot: 2483, pots: [557, 1501] };
  assert.equal(uncalledOf(hand), 425);
  assert.equal(uncalledOf({ ...hand, pot: 2058 }), 0);
  assert.equal(uncalledOf({ ...hand, pots: [] }), 0);
  assert.equal(uncalledOf({ ...hand, phase: "over" }), 0);
});

test("a recorded session's pots and what is not called come to the whole pot", () => {
  let [state, seen] = [EMPTY, 0];
  for (const one of EVENTS) {
    state = reduce(state, one);
    const { hand } = state;
    if (hand?.phase !== "betting" || hand.pots.length === 0) continue;
    const inPots = hand.pots.reduce((sum, pot) => sum + pot, 0);
    assert.ok(Math.abs(inPots + uncalledOf(hand) - hand.pot) < 1e-6);
    seen += 1;
  }
  assert.ok(seen > 0);
});

describe("chances to win", () => {
  const odds = new Map([
    ["a", { win: 0.6, tie: 0 }],
    ["b", { win: 0.4, tie: 0 }],
  ]);
  const insight = { handId: "1", cards: new Map(), odds: new Map([["flop", odds]]), decisions: [] };
  const state = (difference = {}) => ({
    hand: { phase: "betting", street: "flop" },
    seats: new Map([
      ["a", seatOf({ playerId: "a" })],
      ["b", { ...seatOf({ playerId: "b" }), ...difference }],
    ]),
  });

  test("are those of the street until somebody folds", () => {
    assert.equal(oddsNow(insight, state()), odds);
    assert.equal(oddsNow(insight, state({ isFolded: true })), null);
    assert.equal(oddsNow(null, state()), null);
    assert.equal(oddsNow(insight, { ...state(), hand: null }), null);
    assert.equal(oddsNow(insight, { ...state(), hand: { phase: "over", street: "flop" } }), null);
  });
});

describe("cards that a hand shows later", () => {
  test("are those of its end", () => {
    const ends = EVENTS.filter(({ eventType }) => eventType === "hand_completed");
    const end = ends.find(({ payload }) => payload.shown.length > 1);
    const begin = indexOfHand(EVENTS, end.payload.handNumber);
    const last = fold(EVENTS.slice(begin, EVENTS.indexOf(end) + 1));
    const { cards, handId } = shownLater(last);
    assert.equal(handId, end.handId);
    assert.deepEqual(
      [...cards].sort(),
      end.payload.shown.map(({ playerId, cards }) => [playerId, cards]).sort(),
    );
  });

  test("are none without a showdown, without a hand, and in other games", () => {
    assert.equal(shownLater(undefined), null);
    assert.equal(shownLater(EMPTY), null);
    const begin = fold(EVENTS.slice(0, indexOfHand(EVENTS, 1) + 1));
    assert.equal(shownLater(begin), null);
    const leduc = session("leduc_poker").reduce(reduce, EMPTY);
    assert.equal(shownLater(leduc), null);
  });
});

describe("the log of a hand", () => {
  const begun = fold(EVENTS.slice(0, indexOfHand(EVENTS, 1) + 1));
  const [playerId] = begun.seats.keys();
  const notes = ({ hand }) =>
    hand.log.filter(({ kind }) => kind === "note").map(({ text }) => text);

  for (const kind of ["sat_out", "returned", "rebought", "left"]) {
    test(`has what the table says of a seat that has ${kind}`, () => {
      const after = reduce(begun, event("table_status", "Ada did it", { kind, playerId }));
      assert.deepEqual(notes(after).slice(notes(begun).length), ["Ada did it"]);
    });
  }

  test("has who is out of chips", () => {
    const after = reduce(begun, event("player_busted", "Ada is out", { playerId, finish: 5 }));
    assert.deepEqual(notes(after).slice(notes(begun).length), ["Ada is out"]);
  });

  test("needs a hand", () => {
    const after = reduce(EMPTY, event("table_status", "x", { kind: "sat_out", playerId }));
    assert.equal(after.hand, null);
  });
});

test("a closed table is seen with those who were there at the end", () => {
  const before = fold(EVENTS);
  const closed = reduce(before, event("table_status", "closed", { kind: "closed" }));
  assert.equal(closed.seats.size, 0);
  const dealt = [...before.seats.values()].filter((seat) => seat.isDealt);
  assert.ok(dealt.length > 1);
  assert.deepEqual([...asSeen(closed).seats.values()], dealt);
  assert.equal(asSeen(before), before);
});

test("the facts count every hand that was played, also those not shown yet", () => {
  const room = { state: EMPTY, config: null, gameType: null, isSeeded: false };
  assert.equal(factsLine({ ...room, handCount: 1 }), "1 hand played");
  const config = { smallBlind: 1, bigBlind: 2 };
  const facts = factsLine({ ...room, config, isSeeded: true, handCount: 2000 });
  assert.equal(facts, "blinds 1/2 · 2,000 hands played · seeded");
  assert.equal(
    factsLine({ ...room, gameType: "leduc_poker", handCount: 0 }),
    "leduc poker · 0 hands played",
  );
});

test("a view that is late says so", () => {
  assert.equal(lagLine({ feed: "public", behind: 0 }), "");
  assert.equal(lagLine({ feed: "public", behind: 1 }), "1 hand behind");
  assert.equal(lagLine({ feed: "commentator", behind: 0 }), "one hand late");
  assert.equal(lagLine({ feed: "commentator", behind: 8 }), "one hand late · 8 hands behind");
});

test("a hand has neighbours only where hands are", () => {
  const stored = { first: 1, last: 24 };
  assert.deepEqual(neighbours(7, stored), { before: 6, after: 8 });
  assert.deepEqual(neighbours(24, stored), { before: 23, after: null });
  assert.deepEqual(neighbours(1, stored), { before: null, after: 2 });
  assert.deepEqual(neighbours(7, null), { before: 6, after: null });
});

test("a list that does not begin with the first hand says so", () => {
  assert.equal(beforeLine(1), "");
  assert.equal(beforeLine(0), "");
  assert.match(beforeLine(1092), /^Hands before 1,092 /);
});
