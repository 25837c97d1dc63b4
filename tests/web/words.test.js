/** Numbers as people read them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { change, chips, percent, short } from "../../services/lobby/casino_lobby/web/words.js";

test("chips are shown in full, with millionths at most", () => {
  assert.equal(chips(1234567.5), "1,234,567.5");
  assert.equal(chips(0.00000012), "0");
});

test("changes have a sign, except for none", () => {
  assert.deepEqual([5, -5, 0].map(change), ["+5", "-5", "0"]);
});

test("large numbers are short from ten thousand on", () => {
  assert.deepEqual([9999, 10_000, -12_345, 2_500_000].map(short), [
    "9,999",
    "10K",
    "-12.3K",
    "2.5M",
  ]);
});

test("shares are whole percents", () => {
  assert.deepEqual([0, 0.125, 1].map(percent), ["0 %", "13 %", "100 %"]);
});
