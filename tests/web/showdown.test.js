/** The end of a hand in its acts: what is seen at which millisecond of the pause after it. */

import assert from "node:assert/strict";
import { beforeEach, describe, mock, test } from "node:test";
import { oddsNow } from "../../services/lobby/casino_lobby/web/insight.js";
import { runOutOf } from "../../services/lobby/casino_lobby/web/pace.js";
import { EMPTY, reduce } from "../../services/lobby/casino_lobby/web/reducer.js";
import { actsOf, Showdown, stateIn } from "../../services/lobby/casino_lobby/web/showdown.js";
import { indexOfHand, session } from "./sessions.js";

const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const cards = (text) => text.split(" ").map(([rank, suit]) => ({ rank, suit: SUITS[suit] }));
const NUMBER = { handNumber: 7 };
const IDS = ["ann", "bob", "cid"];
const START = {
  eventType: "hand_started",
  handId: "main/7",
  payload: {
    ...NUMBER,
    buttonSeat: 2,
    smallBlind: 1,
    bigBlind: 2,
    ante: 0,
    posted: [],
    players: IDS.map((playerId, seatNumber) => ({
      playerId,
      seatNumber,
      stack: [50, 100, 300][seatNumber],
    })),
  },
};
const BOARD = "2c 7d 9h Jc 3s";

function acted(playerId, action, amount, pot, stack) {
  const payload = { ...NUMBER, playerId, action, amount, pot, stack, bettingRound: "preflop" };
  return { eventType: "action_taken", payload };
}

function dealt(count, bettingRound) {
  const communityCards = cards(BOARD).slice(0, count);
  const payload = { ...NUMBER, kind: "street_dealt", bettingRound, communityCards };
  return { eventType: "table_status", payload };
}

function completed(shown, pots, stacks) {
  const payload = {
    ...NUMBER,
    communityCards: shown.length > 0 ? cards(BOARD) : [],
    pots: pots.map((winners) => ({
      amount: winners.reduce((sum, [, amount]) => sum + amount, 0),
      winners: winners.map(([playerId, amount]) => ({ playerId, amount })),
    })),
    shown: shown.map(([playerId, hole, rankName]) => ({ playerId, cards: cards(hole), rankName })),
    stacks: IDS.map((playerId, index) => ({ playerId, stack: stacks[index] })),
  };
  return { eventType: "hand_completed", payload };
}

/** Everybody is all-in before the flop: Ann wins the main pot, Bob the side pot. */
const BETS = [
  START,
  acted("ann", "all-in", 50, 50, 0),
  acted("bob", "all-in", 100, 150, 0),
  acted("cid", "call", 100, 250, 200),
];
const STREETS = [dealt(3, "flop"), dealt(4, "turn"), dealt(5, "river")];
const ALL_IN = completed(
  [
    ["cid", "Ah Qd", "High Card"],
    ["ann", "Jh Js", "Three of a Kind"],
    ["bob", "Kc Kd", "Pair"],
  ],
  [[["ann", 150]], [["bob", 100]]],
  [150, 100, 200],
);
/** Bets are called on the river: three show, each beats the one before. */
const CALLED = completed(
  [
    ["bob", "Ah Qd", "High Card"],
    ["cid", "Jh 4s", "Pair"],
    ["ann", "Kc Kd", "Pair"],
  ],
  [[["ann", 30]]],
  [80, 90, 280],
);
const CALLS = [START, ...STREETS, acted("ann", "check", null, 30, 40)];
const FOLDED = completed([], [[["bob", 3]]], [49, 102, 299]);

const after = (...events) => events.reduce(reduce, EMPTY);
const openIn = ({ seats }) => [...seats.values()].filter((seat) => seat.cards).map(({ id }) => id);
const by = ({ seats }, field) => IDS.map((id) => seats.get(id)[field]);
const rounded = (acts) => acts.map(({ at }) => Math.round(at));

let now = 0;
function pass(ms) {
  now += ms;
  mock.timers.tick(ms);
}

beforeEach(() => {
  mock.reset();
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  now = 1000;
  mock.method(performance, "now", () => now);
});

describe("a called hand", () => {
  const state = after(...CALLS, CALLED);
  const acts = actsOf(state.hand, 5, 2500);
  const at = (ms) =>
    stateIn(
      state,
      acts.findLast((act) => act.at <= ms),
    );

  test("is turned hand by hand in a sixth of the pause, so that the result stays for 2 seconds", () => {
    assert.deepEqual(rounded(acts), [0, 200, 400, 850, 925, 1000, 1075, 1150]);
    assert.deepEqual(
      [0, 199, 200].map((ms) => openIn(at(ms))),
      [["bob"], ["bob"], ["bob", "cid"]],
    );
    assert.equal(at(399).hand.phase, "betting");
    assert.deepEqual(openIn(at(400)), IDS);
    assert.equal(at(400).hand.phase, "over");
  });

  test("names each hand when it is turned, and dims it once it is beaten", () => {
    assert.deepEqual(by(at(200), "rank"), ["", "High Card", "Pair"]);
    assert.deepEqual(by(at(0), "best"), [null, null, null]);
    assert.deepEqual(by(at(200), "best"), [null, [], null]);
    assert.equal(
      at(200).hand.log.some(({ kind }) => kind === "result"),
      false,
    );
    assert.deepEqual(by(at(200), "won"), [0, 0, 0]);
  });

  test("has its chips before the winner, then in the stack, and never more or fewer", () => {
    assert.deepEqual(by(at(0), "stack"), [50, 90, 280]);
    assert.deepEqual(
      [by(at(400), "bet"), by(at(400), "stack")],
      [
        [30, 0, 0],
        [50, 90, 280],
      ],
    );
    assert.deepEqual(
      [850, 1000, 1149].map((ms) => by(at(ms), "stack")[0]),
      [56, 68, 74],
    );
    assert.deepEqual(at(1150).seats, state.seats, "the last act is the state itself");
  });
});

describe("an all-in", () => {
  const state = after(...BETS, ...STREETS, ALL_IN);
  const acts = actsOf(state.hand, 0, 2500);
  const at = (ms) =>
    stateIn(
      state,
      acts.findLast((act) => act.at <= ms),
    );

  test("is dealt street by street beside open hands, with the chances of each", () => {
    const seen = [0, 250, 500, 750].map(at);
    assert.deepEqual(
      seen.map(({ hand }) => hand.board.length),
      [0, 3, 4, 5],
    );
    assert.deepEqual(
      seen.map(({ hand }) => hand.street),
      ["preflop", "flop", "turn", "river"],
    );
    const chances = seen.map((one) => oddsNow(null, one));
    for (const odds of chances) assert.deepEqual([...odds.keys()], IDS);
    assert.ok(chances[0].get("bob").win > 0.5, "kings are ahead before the flop");
    assert.ok(chances[2].get("ann").win > 0.9, "three jacks are ahead on the turn");
    assert.deepEqual(
      [...chances[3].values()].map(({ win }) => win),
      [1, 0, 0],
    );
    for (const one of seen) assert.deepEqual(openIn(one), IDS);
    assert.deepEqual(by(at(749), "rank"), ["", "", ""], "a hand has its name on the whole board");
    assert.equal(oddsNow(null, after(...BETS)), null, "no chances without open hands");
    assert.equal(oddsNow(null, stateIn(after(...CALLS, CALLED), acts[0])), null, "nor after bets");
  });

  test("does not tell the board in the log before it is dealt", () => {
    const kinds = (ms) => at(ms).hand.log.map(({ kind }) => kind);
    assert.deepEqual(kinds(500), ["action", "action", "action"]);
    assert.deepEqual(kinds(750), [...kinds(500), "street", "street", "street"]);
  });

  test("pays the side pot before the main pot", () => {
    assert.deepEqual(by(at(1000), "bet"), [0, 100, 0]);
    assert.deepEqual(by(at(1000), "stack"), [0, 0, 200]);
    assert.deepEqual(
      [by(at(1375), "bet"), by(at(1375), "stack")],
      [
        [150, 0, 0],
        [0, 100, 200],
      ],
    );
    assert.deepEqual(by(at(1750), "stack"), [150, 100, 200]);
    assert.deepEqual(by(at(1000), "best"), by(state, "best"));
  });

  test("deals no street again that was seen", () => {
    assert.deepEqual(
      new Set(actsOf(state.hand, 4, 2500).map(({ board }) => board)),
      new Set([4, 5]),
    );
    assert.equal(actsOf(state.hand, 5, 2500)[0].board, 5);
  });

  test("comes with its last streets, and only then", () => {
    assert.equal(runOutOf([...STREETS, ALL_IN, START]), 4);
    assert.equal(runOutOf(STREETS), 1, "its end has not arrived");
    assert.equal(runOutOf([STREETS[0], BETS[1], ALL_IN]), 1);
    assert.equal(runOutOf([ALL_IN]), 1);
  });
});

test("a hand without a showdown only moves its chips; a short pause and a cancelled hand nothing", () => {
  const { hand } = after(START, FOLDED);
  const acts = actsOf(hand, 0, 1000);
  assert.deepEqual(rounded(acts), [0, 180, 210, 240, 270, 300]);
  assert.deepEqual(actsOf(hand, 0, 599), []);
  assert.deepEqual(actsOf({ ...hand, awards: [] }, 0, 2500), []);
});

describe("the showdown", () => {
  const [before, end] = [after(...CALLS), after(...CALLS, CALLED)];
  /** Return a showdown that saw a state, and when it drew again. */
  function watching(state, isStill = false) {
    const drawn = [];
    const showdown = new Showdown(
      () => drawn.push(now),
      () => isStill,
    );
    showdown.seen(state, () => 2500);
    return { drawn, see: (one) => showdown.seen(one, () => 2500) };
  }

  test("draws when an act begins, and what is true at last", () => {
    const { drawn, see } = watching(before);
    assert.deepEqual(openIn(see(end)), ["bob"]);
    pass(199);
    assert.deepEqual(drawn, []);
    pass(1);
    assert.deepEqual(drawn, [1200]);
    assert.deepEqual(openIn(see(end)), ["bob", "cid"]);
    pass(5000);
    assert.deepEqual(drawn, [1200, 6200], "one drawing is planned at a time");
    assert.equal(see(end), end);
    pass(5000);
    assert.equal(drawn.length, 2);
  });

  test("ends with the next hand, and goes on through what else happens", () => {
    const { see } = watching(before);
    see(end);
    pass(250);
    const left = { eventType: "table_status", payload: { kind: "left", playerId: "bob" } };
    assert.deepEqual(openIn(see(reduce(end, left))), ["cid"], "bob is gone, the acts go on");
    const next = { ...START, payload: { ...START.payload, handNumber: 8 } };
    const dealtIn = reduce(end, next);
    assert.equal(see(dealtIn), dealtIn);
  });

  test("shows at once what nobody saw begin, and everything without motion", () => {
    assert.equal(watching(EMPTY).see(end), end);
    assert.equal(watching(end).see(end), end);
    assert.equal(watching(before, true).see(end), end);
    const long = { ...end, hand: { ...end.hand, number: 90 } };
    assert.equal(watching(before).see(long), long);
    assert.notEqual(watching(after(START, FOLDED)).see(nextOf(end)), nextOf(end));
  });

  const nextOf = (state) => ({ ...state, hand: { ...state.hand, number: 8 } });
});

test("every hand of a recorded session adds up in every act", () => {
  const EVENTS = session("texas-holdem");
  let state = EMPTY;
  let hands = 0;
  for (const event of EVENTS) {
    state = reduce(state, event);
    if (event.eventType !== "hand_completed") continue;
    hands += 1;
    const whole = [...state.seats.values()].reduce((sum, { stack }) => sum + stack, 0);
    assert.ok(indexOfHand(EVENTS, state.hand.number) >= 0);
    for (const act of actsOf(state.hand, 0, 2500)) {
      const seen = stateIn(state, act);
      const chips = [...seen.seats.values()].reduce((sum, { stack, bet }) => sum + stack + bet, 0);
      assert.ok(chips <= whole, `hand ${state.hand.number}`);
      for (const seat of seen.seats.values()) assert.ok(seat.stack >= 0 && seat.bet >= 0);
    }
  }
  assert.ok(hands > 5);
});
