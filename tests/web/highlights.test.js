/** Highlights: the queue of the best hands, and the lobby's top table. */

import assert from "node:assert/strict";
import { beforeEach, describe, mock, test } from "node:test";
import { kindsLine } from "../../services/lobby/casino_lobby/web/hands.js";
import { pastHand } from "../../services/lobby/casino_lobby/web/past_hands.js";
import { HighlightQueue } from "../../services/lobby/casino_lobby/web/room_pace.js";
import {
  RecentSize,
  sizeOf,
  TopTable,
  worthOf,
} from "../../services/lobby/casino_lobby/web/top_table.js";
import { session } from "./sessions.js";

const EVENTS = session("texas-holdem");
const NUMBERS = [...new Set(EVENTS.map(({ payload }) => payload?.handNumber))].filter(Boolean);
let now = 0;

const eventsOf = (number) => EVENTS.filter(({ payload }) => payload?.handNumber === number);

async function pass(ms, step = 50) {
  for (let passed = 0; passed < ms; passed += step) {
    now += step;
    mock.timers.tick(step);
    for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
  }
}

beforeEach(() => {
  mock.reset();
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  now = 100_000;
  mock.method(performance, "now", () => now);
});

describe("the highlight queue", () => {
  /** Return a queue over hands by score, what it asked for, and what it showed. */
  function queueOf(ranking, { isSeen = () => true } = {}) {
    const [asked, shown] = [[], []];
    const queue = new HighlightQueue({
      best: async (since) => {
        asked.push(since);
        const first = Number(since.split(".")[1]);
        const later = ranking.filter((number) => number >= first);
        return later.map((handNumber) => ({ epoch: 1, handNumber }));
      },
      hand: async (number) => eventsOf(number),
      show: () => shown.push(queue.state?.hand?.number ?? null),
      isSeen,
    });
    return { queue, asked, shown };
  }

  const [first, second, third] = NUMBERS;

  test("plays the best hand of the last 30 seconds, then the next best, and then the table", async () => {
    const { queue, asked, shown } = queueOf([second, first]);
    queue.isOn = true;
    await pass(2000);
    assert.equal(queue.state, null, "nothing was completed yet");
    for (const number of [first, second]) queue.note({ epoch: 1, number });
    await pass(1500);
    assert.equal(asked[0], `1.${first}`, "it asks from the first hand of the window on");
    assert.equal(queue.state?.hand?.number, second);
    const events = eventsOf(second);
    const runOut =
      events.length - 2 - events.findLastIndex((one) => one.eventType === "action_taken");
    const length = events.length - runOut;
    await pass(20_000, 100);
    assert.ok(runOut > 0, "it ends all-in");
    assert.deepEqual(shown.slice(0, length), Array(length).fill(second), "each event is a step");
    assert.equal(shown[length], first, "each hand is played once");
    await pass(20_000, 100);
    assert.equal(queue.state, null);
    assert.equal(shown.at(-1), null);
  });

  test("looks only at hands of the window", async () => {
    const { queue, asked } = queueOf([second, first, third]);
    queue.note({ epoch: 1, number: first });
    await pass(31_000, 1000);
    queue.note({ epoch: 1, number: third });
    queue.isOn = true;
    await pass(100);
    assert.deepEqual(asked, [`1.${third}`]);
    assert.equal(queue.state?.hand?.number, third);
  });

  test("gives the table back when it is switched off, and asks for nothing unseen", async () => {
    let isSeen = true;
    const { queue, asked, shown } = queueOf([first], { isSeen: () => isSeen });
    queue.note({ epoch: 1, number: first });
    queue.isOn = true;
    await pass(1000);
    assert.equal(queue.state?.hand?.number, first);
    queue.isOn = false;
    assert.equal(queue.state, null);
    assert.equal(shown.at(-1), null);
    const count = asked.length;
    isSeen = false;
    queue.isOn = true;
    await pass(5000);
    assert.equal(asked.length, count);
    queue.stop();
  });

  test("shows the table while the lobby refuses", async () => {
    const shown = [];
    const queue = new HighlightQueue({
      best: () => Promise.reject(new Error("no")),
      hand: async () => [],
      show: () => shown.push(queue.state),
      isSeen: () => true,
    });
    queue.note({ epoch: 1, number: 1 });
    queue.isOn = true;
    await pass(20_000, 100);
    assert.deepEqual(shown, []);
    assert.equal(queue.state, null);
    queue.stop();
  });
});

describe("the top table", () => {
  const table = { isPlaying: true, largest: 0, closeness: 1, bigBlind: 2, players: [] };
  const player = (name, isGuest = false) => ({ name, isGuest });

  test("has the largest hand, and stays for 30 seconds", () => {
    const top = new TopTable();
    const of = (a, b) => [
      { ...table, id: "a", largest: a },
      { ...table, id: "b", largest: b },
    ];
    assert.equal(top.choose([]), null);
    assert.equal(top.choose(of(9, 0)), "a");
    now += 29_999;
    assert.equal(top.choose(of(9, 90)), "a");
    now += 1;
    assert.equal(top.choose(of(9, 13)), "a", "only a clearly better table replaces it");
    assert.equal(top.choose(of(9, 90)), "b");
    assert.equal(top.choose([{ ...table, id: "a" }]), "a", "a room that is gone does not stay");
  });

  test("plays, if any table does", () => {
    const top = new TopTable();
    const idle = { ...table, id: "a", isPlaying: false, largest: 300, players: [player("Ada")] };
    assert.equal(top.choose([idle]), "a");
    assert.equal(top.choose([idle, { ...table, id: "b" }]), "b", "at once");
    assert.equal(top.choose([idle, { ...table, id: "b", isPlaying: false }]), "a");
  });

  test("is worth watching for close stacks, people, named bots, stakes, and not only for pots", () => {
    const worth = (change) => worthOf({ ...table, ...change });
    assert.ok(worth({ largest: 40 }) > worth({ largest: 39 }));
    assert.equal(worth({ largest: 300 }), worth({ largest: 9000 }), "one absurd pot is not all");
    assert.ok(worth({ largest: 40 }) > worth({ largest: 40, closeness: 0.2 }));
    const people = [player("Ada", true), player("Grace", true)];
    assert.ok(worth({ players: people }) > worth({ players: [player("Ada"), player("Grace")] }));
    assert.ok(worth({ players: people, largest: 0 }) > worth({ largest: 90 }));
    assert.ok(worth({ players: [player("Ada")] }) > worth({ players: [player("Caller 2")] }));
    assert.ok(worth({ players: [player("Caller 2")] }) > worth({}), "somebody rather than nobody");
    assert.ok(worth({ bigBlind: 200 }) > worth({ bigBlind: 2 }));
    assert.ok(Number.isFinite(worth({ bigBlind: 0 })));
  });

  test("counts hands for a minute", () => {
    const recent = new RecentSize();
    for (const size of [40, 3, 7]) recent.note(size);
    assert.equal(recent.largest, 40);
    now += 30_000;
    recent.note(5);
    now += 30_001;
    assert.equal(recent.largest, 5);
    now += 60_000;
    assert.equal(recent.largest, 0);
  });

  test("measures pots in big blinds, and other games in percent", () => {
    const rules = { bigBlind: 2, startingStack: 200 };
    assert.equal(sizeOf({ pots: [{ amount: 30 }, { amount: 10 }] }, rules), 20);
    assert.equal(sizeOf({ scores: { a: -50, b: 50 } }, rules), 25);
    assert.equal(sizeOf({ scores: { a: "x" }, pots: "all" }, { ...rules, bigBlind: 0 }), 0);
    assert.equal(sizeOf({ scores: { a: 5 } }, { bigBlind: 0, startingStack: 0 }), 0);
  });
});

test("a hand of a list has what makes it worth looking at", () => {
  const pots = [{ amount: 0.1 }, { amount: 0.2 }];
  const hand = pastHand(
    { handNumber: 7, pots, kinds: ["big-pot", "bad-beat", "x"] },
    "hand 7: b",
    2,
  );
  assert.equal(kindsLine(hand), "bad beat");
  assert.equal(kindsLine(hand, "bad-beat"), "");
  assert.deepEqual([hand.number, hand.epoch, hand.message, hand.pot], [7, 2, "b", 0.3]);
  assert.deepEqual(pastHand({ handNumber: 7 }, null)?.kinds, []);
  assert.equal(pastHand({ handNumber: "x" }, ""), null);
});
