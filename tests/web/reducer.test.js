/** The fold of Hold'em, and of what tables say between hands. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { handText } from "../../services/lobby/casino_lobby/web/log.js";
import { EMPTY, fromSnapshot, reduce } from "../../services/lobby/casino_lobby/web/reducer.js";
import { checkFold } from "./fold_checks.js";
import { indexOfHand, registered, roomWith, session } from "./sessions.js";

const EVENTS = session("texas-holdem");

/** Return the state after events without sequence and epoch. */
function after(...events) {
  return events
    .map(([eventType, payload]) => ({ eventType, message: "", payload }))
    .reduce(reduce, EMPTY);
}

const ADA = ["player_registered", { playerId: "a", displayName: "Ada", seatNumber: 0, stack: 100 }];
const BOB = ["player_registered", { playerId: "b", displayName: "Bob", seatNumber: 1, stack: 100 }];
const status = (kind, rest = {}) => ["table_status", { kind, playerId: "a", ...rest }];
const START = [
  "hand_started",
  {
    handNumber: 1,
    buttonSeat: 0,
    smallBlind: 1,
    bigBlind: 2,
    ante: 1,
    players: [ADA[1], BOB[1]],
    posted: [
      { playerId: "a", kind: "ante", amount: 1 },
      { playerId: "b", kind: "ante", amount: 1 },
      { playerId: "a", kind: "small-blind", amount: 1 },
      { playerId: "b", kind: "big-blind", amount: 2 },
    ],
  },
];

describe("a recorded session", () => {
  test("ends every hand with the table's stacks, and foresees whose turn it is", () => {
    const seen = checkFold({ events: EVENTS });
    assert.deepEqual(seen.errors, []);
    assert.equal(seen.hands, 8);
    assert.ok(seen.actions > 20);
    assert.equal(seen.foreseen, seen.actions);
    assert.ok(seen.sidePots > 0);
  });

  test("may begin in the middle of a hand, with a snapshot or without", () => {
    const players = registered(EVENTS);
    for (let begin = 8; begin < EVENTS.length - 20; begin += 3) {
      const events = EVENTS.slice(begin);
      assert.deepEqual(checkFold({ events }).errors, []);
      const snapshot = roomWith(EVENTS.slice(begin - 5, begin), players);
      const seen = checkFold({ events, begin: snapshot });
      assert.deepEqual(seen.errors, []);
      assert.ok(seen.hands > 0);
    }
  });

  test("the checks themselves find a wrong pot", () => {
    const events = structuredClone(EVENTS);
    events.find((event) => event.eventType === "action_taken").payload.pot += 1;
    assert.notDeepEqual(checkFold({ events }).errors, []);
  });
});

test("an event that comes again, or from an older epoch, leaves the same state", () => {
  const state = EVENTS.reduce(reduce, EMPTY);
  assert.equal(reduce(state, EVENTS[5]), state);
  assert.equal(reduce(state, EVENTS.at(-1)), state, "the newest one, after a lost connection");
  assert.equal(reduce(state, { ...EVENTS.at(-1), epoch: 0, sequence: 99_999 }), state);
  assert.notEqual(reduce(state, { ...EVENTS.at(-1), sequence: 99_999 }), state);
});

describe("a cancelled hand gives everything back", () => {
  const begin = indexOfHand(EVENTS, 2);
  const cut = EVENTS.slice(0, begin + 5);
  const last = cut.at(-1);
  const stacksBefore = EVENTS[begin].payload.players.map((player) => [
    player.playerId,
    player.stack,
    0,
  ]);
  const ends = {
    "because the table says so": {
      ...last,
      eventType: "table_status",
      sequence: last.sequence + 1,
      payload: { status: "idle", kind: "hand_cancelled", handNumber: 2 },
    },
    "because a new epoch begins": {
      ...last,
      eventType: "table_status",
      epoch: 2,
      sequence: 1,
      payload: { status: "waiting", kind: "configured" },
    },
  };
  for (const [name, end] of Object.entries(ends)) {
    test(name, () => {
      const running = cut.reduce(reduce, EMPTY);
      assert.equal(running.hand.phase, "betting");
      const { seats, hand } = reduce(running, end);
      assert.equal(hand.phase, "cancelled");
      assert.equal(hand.pot, 0);
      assert.equal(hand.actor, null);
      const stacks = [...seats.values()].map((seat) => [seat.id, seat.stack, seat.bet]);
      assert.deepEqual(stacks, stacksBefore);
      assert.equal(hand.log.at(-1).kind, "note");
    });
  }
});

describe("a hand", () => {
  test("starts with antes and blinds paid, and the turn of the seat after the big blind", () => {
    const { hand, seats } = after(ADA, BOB, START);
    assert.equal(hand.pot, 5);
    assert.equal(hand.currentBet, 2);
    assert.equal(hand.actor, "a");
    assert.deepEqual(hand.due, ["a", "b"]);
    const [ada, bob] = seats.values();
    assert.deepEqual([ada.stack, ada.bet, ada.committed, ada.post], [98, 1, 2, "small-blind"]);
    assert.deepEqual([bob.stack, bob.bet, bob.committed, bob.post], [97, 2, 3, "big-blind"]);
    assert.deepEqual(hand.log.map((entry) => entry.what).sort(), [
      "ante",
      "ante",
      "big-blind",
      "small-blind",
    ]);
  });

  test("shows what a call costs, and what a raise comes to", () => {
    const call = ["action_taken", { handNumber: 1, playerId: "a", action: "call", amount: 2 }];
    const raise = ["action_taken", { handNumber: 1, playerId: "b", action: "raise", amount: 8 }];
    const { hand, seats } = after(ADA, BOB, START, call, raise);
    assert.deepEqual(
      hand.log.slice(-2).map((entry) => [entry.name, entry.action, entry.amount]),
      [
        ["Ada", "call", 1],
        ["Bob", "raise", 8],
      ],
    );
    assert.deepEqual(hand.due, ["a"]);
    assert.equal(hand.actor, "a");
    assert.equal(seats.get("b").stack, 91);
  });

  test("has straddles, posts and dead blinds of hands of files, and the rake at the end", () => {
    const dot = { playerId: "d", displayName: "Dot", seatNumber: 3, stack: 100 };
    const eve = { playerId: "e", displayName: "Eve", seatNumber: 4, stack: 100 };
    const players = [...START[1].players, dot, eve];
    const posted = [
      { playerId: "a", kind: "big-blind", amount: 2 },
      { playerId: "b", kind: "straddle", amount: 4 },
      { playerId: "d", kind: "post", amount: 1, isDead: true },
      { playerId: "d", kind: "post", amount: 2 },
    ];
    const started = ["hand_started", { ...START[1], buttonSeat: 7, ante: 0, players, posted }];
    const state = after(started);
    const { hand, seats } = state;
    assert.deepEqual([hand.pot, hand.currentBet, hand.buttonSeat], [9, 4, 7]);
    assert.deepEqual([seats.get("d").stack, seats.get("d").bet], [97, 2]);
    assert.deepEqual([seats.get("b").post, hand.actor], ["straddle", "d"]);
    assert.ok(handText("file", state, "").includes("Dot posts dead blind 1"));
    const pots = [{ amount: 8, winners: [{ playerId: "b", amount: 8 }] }];
    const over = { handNumber: 1, communityCards: [], pots, shown: [], stacks: [], rake: 1 };
    const end = after(started, ["hand_completed", over]);
    assert.deepEqual(end.hand.log.at(-1), { kind: "note", text: "Rake 1" });
    const cancelled = after(started, ["hand_completed", { ...over, rake: 0, isCancelled: true }]);
    assert.ok(handText("file", cancelled, "").includes("The hand is cancelled"));
  });

  test("clears bets when a street is dealt, and begins after the button", () => {
    const flop = status("street_dealt", {
      handNumber: 1,
      bettingRound: "flop",
      communityCards: ["2", "3", "4"].map((rank) => ({ rank, suit: "clubs" })),
    });
    const { hand, seats } = after(ADA, BOB, START, flop);
    assert.equal(hand.street, "flop");
    assert.equal(hand.board.length, 3);
    assert.deepEqual(hand.log.at(-1).cards, hand.board);
    assert.deepEqual(
      [...seats.values()].map((seat) => seat.bet),
      [0, 0],
    );
    assert.equal(hand.actor, "b");
  });

  test("ends with winnings, shown cards and the bet that nobody matched", () => {
    const end = [
      "hand_completed",
      {
        handNumber: 1,
        communityCards: [],
        pots: [{ amount: 5, winners: [{ playerId: "b", amount: 5 }] }],
        shown: [
          {
            playerId: "b",
            cards: [{ rank: "A", suit: "hearts" }],
            rankName: "Pair",
            bestFive: null,
          },
        ],
        stacks: [
          { playerId: "a", stack: 98 },
          { playerId: "b", stack: 102 },
        ],
        returned: { playerId: "b", amount: 3 },
      },
    ];
    const { hand, seats, handCount } = after(ADA, BOB, START, end);
    assert.equal(handCount, 1);
    assert.equal(hand.phase, "over");
    assert.deepEqual(hand.returned, { id: "b", amount: 3 });
    assert.deepEqual(hand.pots, [], "a single pot is the pot");
    const bob = seats.get("b");
    assert.deepEqual([bob.won, bob.stack, bob.rank, bob.best], [5, 102, "Pair", null]);
    assert.deepEqual(bob.cards, [{ rank: "A", suit: "hearts" }]);
    assert.deepEqual(
      hand.log.filter((entry) => entry.kind === "result").map((entry) => entry.name),
      ["Bob"],
    );
  });
});

describe("between hands", () => {
  test("a player who registers again keeps the rest of the seat", () => {
    const again = ["player_registered", { ...ADA[1], displayName: "Ada L.", stack: 70 }];
    const seat = after(ADA, status("sat_out"), again).seats.get("a");
    assert.deepEqual([seat.name, seat.stack, seat.isOut], ["Ada L.", 70, true]);
  });

  test("a player who is out of the tournament has no seat in the next hand", () => {
    const busted = ["player_busted", { playerId: "c", finish: 3 }];
    const cleo = ["player_registered", { playerId: "c", seatNumber: 2, stack: 0 }];
    assert.deepEqual([...after(ADA, BOB, cleo, busted, START).seats.keys()], ["a", "b"]);
  });

  test("a player who is not dealt in has nothing left of the hand before", () => {
    const ace = { rank: "A", suit: "s" };
    const shown = [{ playerId: "a", cards: [ace, ace], rankName: "pair" }];
    const pots = [{ amount: 6, winners: [{ playerId: "a", amount: 6 }] }];
    const ended = ["hand_completed", { handNumber: 1, shown, pots }];
    assert.equal(after(ADA, BOB, START, ended).seats.get("a").cards.length, 2);
    const next = [START[0], { ...START[1], handNumber: 2, players: [BOB[1]] }];
    const { cards, rank, won, isDealt } = after(ADA, BOB, START, ended, next).seats.get("a");
    assert.deepEqual([cards, rank, won, isDealt], [null, "", 0, false]);
  });

  test("an event of a kind without a fold is a note in the hand's log", () => {
    const before = after(ADA, BOB, START);
    const event = { eventType: "table_moved", message: "to the window", payload: { seat: 3 } };
    const { hand, seats } = reduce(before, event);
    assert.deepEqual(hand.log.at(-1), { kind: "note", text: "to the window" });
    assert.equal(seats, before.seats);
  });

  test("an error of the table is a note in the hand's log", () => {
    const error = { eventType: "table_error", message: "no cards", payload: { status: "error" } };
    const state = reduce(after(ADA, BOB, START), error);
    assert.equal(state.status, "error");
    assert.deepEqual(state.hand.log.at(-1), { kind: "note", text: "no cards" });
    assert.equal(reduce(EMPTY, error).hand, null);
  });
});

test("a snapshot has the summary's stacks, and drops the events of older epochs", () => {
  const old = { ...EVENTS[1], epoch: 1 };
  const room = {
    epoch: 2,
    events: [{ ...old, payload: { ...old.payload, playerId: "gone" } }],
    state: "paused",
    summary: {
      status: "idle",
      handCount: 7,
      message: "hello",
      players: [{ ...ADA[1], stack: 55 }],
    },
  };
  const state = fromSnapshot(room);
  assert.deepEqual([...state.seats.keys()], ["a"]);
  assert.equal(state.seats.get("a").stack, 55);
  const { epoch, status, handCount, message } = state;
  assert.deepEqual(
    [epoch, status, state.state, handCount, message],
    [2, "idle", "paused", 7, "hello"],
  );
});

test("nonsense of third parties does no harm", () => {
  const names = ["__proto__", "constructor", "", "<img src=x onerror=alert(1)>"];
  const kinds = [
    "player_registered",
    "hand_started",
    "action_taken",
    "hand_completed",
    "player_busted",
    "table_status",
    "table_error",
    "constructor",
    "something_new",
  ];
  const payloads = [
    null,
    {},
    { players: "all", posted: 3, pots: {}, stacks: [{}], shown: [{ cards: [null] }] },
    { players: [null, 1], posted: [null], pots: [null, { winners: [null] }], stacks: [null] },
    ...names.map((playerId) => ({ playerId, stack: "1e9", amount: -5, pot: null })),
    { kind: "street_dealt", communityCards: [{}, { rank: 1 }] },
    { handNumber: "7", buttonSeat: "1", latencyMs: "x", returned: "all" },
  ];
  const events = kinds.flatMap((eventType) => payloads.map((payload) => ({ eventType, payload })));
  const { seats, hand } = events.reduce(reduce, EMPTY);
  const amounts = [...seats.values()].flatMap((s) => [s.stack, s.bet, s.committed, s.won]);
  for (const amount of [...amounts, hand.pot, hand.number]) {
    assert.ok(Number.isFinite(amount) && amount >= 0, String(amount));
  }
  for (const name of names) assert.equal(seats.has(name), name !== "", name);
});
