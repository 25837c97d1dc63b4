/** What spectators and replays have besides the table: odds, steps, texts, clocks, fewer drawings. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wentBust } from "../../services/lobby/casino_lobby/web/game_state.js";
import { chancesOf, numberOf, oddsNow } from "../../services/lobby/casino_lobby/web/insight.js";
import { handText, lineOf } from "../../services/lobby/casino_lobby/web/log.js";
import { Rate } from "../../services/lobby/casino_lobby/web/pace.js";
import { seatOf } from "../../services/lobby/casino_lobby/web/reading.js";
import { EMPTY, reduce } from "../../services/lobby/casino_lobby/web/reducer.js";
import { beside } from "../../services/lobby/casino_lobby/web/replay.js";
import { marksOf, stepOfLine } from "../../services/lobby/casino_lobby/web/replay_links.js";
import { secondsLeft } from "../../services/lobby/casino_lobby/web/seats.js";
import { speakerOf } from "../../services/lobby/casino_lobby/web/table.js";
import { indexOfHand, session } from "./sessions.js";

const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const cards = (text) =>
  text
    .split(" ")
    .filter(Boolean)
    .map((name) => ({ rank: name[0], suit: SUITS[name[1]] }));
const handsOf = (texts) => new Map(texts.map((text, index) => [`p${index}`, cards(text)]));

const EVENTS = session("texas-holdem");
const END = EVENTS.find(
  ({ eventType, payload }) => eventType === "hand_completed" && payload.shown.length > 1,
);
const HAND = EVENTS.slice(indexOfHand(EVENTS, END.payload.handNumber), EVENTS.indexOf(END) + 1);
const STATES = [];
for (const event of HAND) STATES.push(reduce(STATES.at(-1) ?? EMPTY, event));

describe("chances of open cards", () => {
  /** From casino_games.holdem.odds: exact_odds, and sampled_odds with 200,000 boards. */
  const VECTORS = [
    {
      hands: ["Th 3h", "Jc 5s", "2c Kh"],
      board: "5d 8h 6d",
      dead: "4s 8c 4h 3c",
      win: [0.182186235, 0.659919028, 0.147098516],
      tie: 0.010796221,
    },
    { hands: ["Js As", "9c 4c"], board: "Ac 2c Kh 5d", dead: "Kc 4h Qh 6h", win: [0.725, 0.275] },
    { hands: ["5c Th", "Qs Qc", "5d 4s"], board: "Kc As 8c 6s 2d", dead: "7s", win: [0, 1, 0] },
    { hands: ["Ah 2h", "As 2s"], board: "3d 4d 5d 9c Jc", dead: "", win: [0, 0], tie: 1 },
    { hands: ["Ah Kh", "Qs Qd"], board: "Th Jh Qh 2c 2d", dead: "", win: [1, 0] },
    { hands: ["7h 7d", "As Ks"], board: "7s 2c 2d 2h 9s", dead: "", win: [1, 0] },
  ];
  for (const { hands, board, dead, win, tie = 0 } of VECTORS) {
    test(`are exact: ${hands.join(", ")} on ${board}`, () => {
      const odds = [...chancesOf(handsOf(hands), cards(board), cards(dead)).values()];
      for (const [index, one] of odds.entries()) {
        assert.ok(Math.abs(one.win - win[index]) < 1e-8, `${index}: ${one.win}`);
        assert.ok(Math.abs(one.tie - tie) < 1e-8, `${index}: ${one.tie}`);
        assert.equal(one.isAbout, undefined);
      }
    });
  }

  test("are estimated before the flop, always in the same way", () => {
    const hands = handsOf(["Td 6c", "Ad 9d", "3h Jd"]);
    const odds = chancesOf(hands, [], cards("7s 6h 2h 8s"));
    const wins = [0.253551532, 0.45967086, 0.283447327];
    for (const [index, { win, isAbout }] of [...odds.values()].entries()) {
      assert.ok(Math.abs(win - wins[index]) < 0.03, `${index}: ${win}`);
      assert.equal(isAbout, true);
    }
    assert.deepEqual(chancesOf(hands, [], cards("7s 6h 2h 8s")), odds);
  });

  test("are unknown for cards that cannot be", () => {
    const hands = handsOf(["Td 6c", "Ad 9d"]);
    assert.equal(chancesOf(hands, cards("Td 2c 3c"), []), null);
    assert.equal(chancesOf(hands, cards("2c 3c"), []), null);
    assert.equal(chancesOf(handsOf(["Td 6c"]), cards("2c 3c 4c"), []), null);
    assert.equal(chancesOf(handsOf(["Td 6c 5c", "Ad 9d"]), cards("2c 3c 4c"), []), null);
    assert.equal(numberOf({ rank: "", suit: "clubs" }), -1);
    assert.equal(numberOf({ rank: "A", suit: "" }), -1);
  });

  test("follow after a fold, from the cards of all who are left, and never from fewer", () => {
    const [flop, ...folded] = ["5d 8h 6d", "Th 3h", "Jc 5s", "2c Kh"];
    const seat = (id, difference) => [
      id,
      { ...seatOf({ playerId: id, stack: 9 }), isDealt: true, ...difference },
    ];
    const seats = new Map([seat("p0", { isFolded: true }), seat("p1", {}), seat("p2", {})]);
    const hand = { phase: "betting", street: "flop", board: cards(flop), game: null };
    const insight = (open) => ({ cards: open, odds: new Map(), decisions: [], handId: "1" });
    const open = handsOf(folded);
    const odds = oddsNow(insight(open), { hand, seats });
    assert.deepEqual([...odds.keys()], ["p1", "p2"]);
    const sum = [...odds.values()].reduce((total, { win }) => total + win, 0);
    assert.ok(Math.abs(sum + odds.get("p1").tie - 1) < 1e-9);
    const without = new Map([...open].filter(([id]) => id !== "p2"));
    assert.equal(oddsNow(insight(without), { hand, seats }), null);
    assert.equal(oddsNow(insight(open), { hand: { ...hand, game: {} }, seats }), null);
    assert.equal(oddsNow(insight(open), { hand: { ...hand, phase: "over" }, seats }), null);
  });
});

describe("the steps of a replay", () => {
  test("have marks at the start, the streets and the result", () => {
    const marks = marksOf(HAND);
    assert.deepEqual(
      marks.map(({ label }) => label),
      ["Start", "Flop", "Turn", "River", "Result"],
    );
    assert.deepEqual([marks[0].step, marks.at(-1).step], [0, HAND.length - 1]);
    assert.deepEqual(marksOf([{ eventType: "x", payload: null }]), []);
  });

  test("are found by the lines of the log", () => {
    assert.equal(stepOfLine(STATES, 0), 0);
    const [posts] = STATES;
    assert.equal(stepOfLine(STATES, posts.hand.log.length), 1);
    const lines = STATES.at(-1).hand.log.length;
    assert.equal(stepOfLine(STATES, lines - 1), HAND.length - 1);
    assert.equal(stepOfLine(STATES, lines), null);
  });

  test("are played at four speeds", () => {
    assert.deepEqual(
      [beside(1, 1), beside(4, 1), beside(1, -1), beside(0.5, -1)],
      [2, 4, 0.5, 0.5],
    );
  });
});

describe("a hand as text", () => {
  test("has seats, streets, actions, results and its address", () => {
    const text = handText("main", STATES.at(-1), "http://casino/x");
    assert.match(text, /^Hand 1 of main, blinds 2\/5\nSeat 0: Player 0 with 200, dealer\n/);
    assert.match(text, /\nPlayer 1 posts small blind 2\n/);
    assert.match(text, /\nPlayer 1: folds “not this time”\n/);
    assert.match(text, /\n\nFlop: Jc 5c 10h\n\nTurn: 7c\n\nRiver: 5s\n\nResult\n/);
    assert.match(text, /\nPlayer 3 wins 609 with Pair \[Ac 3h\]\n/);
    assert.match(text, /\nBoard: Jc 5c 10h 7c 5s\n\nhttp:\/\/casino\/x$/);
    assert.equal(handText("main", EMPTY, ""), "");
  });

  test("names the empty seat of a dead button", () => {
    const last = STATES.at(-1);
    const text = handText("main", { ...last, hand: { ...last.hand, buttonSeat: 7 } }, "");
    assert.match(text, /\nSeat 7: empty, dealer\n\n/);
    assert.equal(text.match(/dealer/g).length, 1);
  });

  test("keeps what a player says on its line", () => {
    const entry = { kind: "action", name: "A", action: "call", amount: 2, outcome: "timeout" };
    assert.equal(
      lineOf({ ...entry, says: "x\nB wins 9\u2028\u202e y" }),
      "A: calls 2 (too late) “x B wins 9 y”",
    );
    assert.equal(lineOf({ kind: "score", name: "The bank", score: -4 }), "The bank loses 4");
  });
});

test("what happens between two hands is in the log of the next one", () => {
  const over = STATES.at(-1);
  const payload = { kind: "rebought", playerId: "p1", stack: 300 };
  const event = { eventType: "table_status", message: "Player 1 buys 100", payload };
  const bought = reduce(over, event);
  const note = { kind: "note", text: "Player 1 buys 100" };
  assert.deepEqual(bought.hand.log.at(-1), note);
  const sequence = (bought.sequence ?? 0) + 5;
  const next = reduce(bought, { ...HAND[0], sequence });
  assert.deepEqual(next.hand.log[0], note);
  assert.deepEqual(next.between, []);
  const during = reduce(next, { ...event, sequence: sequence + 1 });
  assert.deepEqual(during.between, []);
  assert.deepEqual(during.hand.log.at(-1), note);
});

test("the talk is that of who spoke last in the round", () => {
  const spoken = STATES.findIndex((state) => speakerOf(state) !== null);
  assert.equal(speakerOf(STATES[spoken]).says, "not this time");
  assert.equal(speakerOf(EMPTY), null);
  const silent = STATES.find(({ hand }) => hand.street === "flop");
  assert.equal(speakerOf(silent), null);
});

test("a room is busy above twenty events a second", () => {
  const rate = new Rate();
  for (let now = 0; now < 19 * 50; now += 50) rate.count(now);
  assert.equal(rate.isBusy(950), false);
  rate.count(950);
  assert.equal(rate.isBusy(960), true);
  assert.equal(rate.isBusy(1000), false);
});

test("the clock counts whole seconds down to the last", () => {
  const left = (elapsedMs) => secondsLeft({ lengthMs: 10_000, elapsedMs });
  assert.deepEqual([left(0), left(1), left(9_001), left(10_000), left(11_000)], [10, 10, 1, 0, 0]);
});

test("a player's part of a state says that it went bust", () => {
  const players = [
    { player_id: "a", hands: [{ status: "standing" }, { status: "bust" }] },
    { player_id: "b", status: "playing", hands: [{ total: 12 }] },
  ];
  assert.equal(wentBust({ players }, "a"), true);
  assert.equal(wentBust({ players }, "b"), false);
  assert.equal(wentBust({ players: { b: { status: "Busted" } } }, "b"), true);
  assert.equal(wentBust(null, "a"), false);
  const log = session("blackjack").reduce(reduce, EMPTY).hand.log;
  assert.equal(log.find(({ action }) => action === "double").words, "double: bust");
});
