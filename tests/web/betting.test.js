/** Whose turn it is in Hold'em, and which pots there are. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  canAct,
  clockwise,
  exact,
  isLive,
  nextOf,
  owing,
  sidePots,
} from "../../services/lobby/casino_lobby/web/betting.js";

/** Return seats "s0", "s1" and so on, with these differences from a seat in the hand. */
function seats(...differences) {
  return differences.map((difference, number) => ({
    id: `s${number}`,
    number,
    stack: 100,
    bet: 0,
    committed: 0,
    isDealt: true,
    isFolded: false,
    ...difference,
  }));
}
const ids = (list) => list.map((seat) => seat.id);
const ALL = ["s0", "s1", "s2", "s3"];

test("sums of decimals stay exact", () => {
  assert.equal(exact(0.1 + 0.2), 0.3);
  assert.equal(exact(7), 7);
});

test("a seat is live until it folds, and acts while it has chips", () => {
  const [plain, folded, broke, absent] = seats(
    {},
    { isFolded: true },
    { stack: 0 },
    { isDealt: false },
  );
  assert.deepEqual([plain, folded, broke, absent].map(isLive), [true, false, true, false]);
  assert.deepEqual([plain, folded, broke, absent].map(canAct), [true, false, false, false]);
});

test("the order is clockwise after a seat, and begins again at the first", () => {
  const table = seats({}, {}, { isDealt: false }, {}).reverse();
  assert.deepEqual(ids(clockwise(table, -1)), ["s0", "s1", "s3"]);
  assert.deepEqual(ids(clockwise(table, 1)), ["s3", "s0", "s1"]);
  assert.deepEqual(ids(clockwise(table, 3)), ["s0", "s1", "s3"]);
  assert.deepEqual(ids(clockwise(seats({}, { number: null }), 0)), ["s0"]);
});

describe("who has to act", () => {
  test("is every candidate with chips", () => {
    assert.deepEqual(owing(seats({}, { stack: 0 }, {}, { isFolded: true }), ALL), ["s0", "s2"]);
    assert.deepEqual(owing(seats({}, {}, {}), ["s1"]), ["s1"]);
  });

  test("is nobody when all others have folded", () => {
    assert.deepEqual(owing(seats({}, { isFolded: true }), ALL), []);
  });

  test("is nobody who has matched the all-ins of all others", () => {
    assert.deepEqual(owing(seats({ bet: 50 }, { bet: 50, stack: 0 }), ALL), []);
    assert.deepEqual(owing(seats({ bet: 20 }, { bet: 50, stack: 0 }), ALL), ["s0"]);
  });

  test("is first the next player clockwise", () => {
    const table = seats({}, {}, {}, {});
    assert.equal(nextOf(table, ["s0", "s3"], 1), "s3");
    assert.equal(nextOf(table, ["s0", "s1"], 1), "s0");
    assert.equal(nextOf(table, [], 1), null);
  });
});

describe("pots", () => {
  test("are one until an all-in splits them", () => {
    assert.deepEqual(sidePots(seats({ committed: 50 }, { committed: 50 })), []);
    assert.deepEqual(sidePots(seats({ committed: 50, stack: 0 }, { committed: 50 })), []);
  });

  test("are split at each all-in; folded chips stay in them", () => {
    const table = seats(
      { committed: 20, stack: 0 },
      { committed: 50, stack: 0 },
      { committed: 80 },
      { committed: 80 },
      { committed: 10, isFolded: true },
    );
    assert.deepEqual(sidePots(table), [90, 90, 60]);
  });

  test("do not contain a bet that nobody matched", () => {
    const table = seats(
      { committed: 20, stack: 0 },
      { committed: 50, stack: 0 },
      { committed: 80 },
    );
    assert.deepEqual(sidePots(table), [60, 60]);
  });
});
