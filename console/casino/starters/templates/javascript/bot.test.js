// Tests of the decisions, with recorded questions: `npm test`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { act } from "./bot.js";
import { contribute } from "./deal.js";

/** Return a recorded question, with some fields changed. */
function question(name, changes = {}) {
  const file = new URL(`questions/${name}.json`, import.meta.url);
  return { ...JSON.parse(readFileSync(file, "utf8")), ...changes };
}

test("nothing is folded that can be checked", () => {
  assert.deepEqual(act(question("free_check")), { action: "check" });
});

test("a low pair calls only if that is cheap", () => {
  assert.deepEqual(act(question("short_stack")), { action: "call" }); // 230 into 973
  assert.deepEqual(act(question("short_stack", { pot: 900 })), { action: "fold" });
});

test("after a refusal it plays safe", () => {
  assert.deepEqual(act(question("second_attempt")), { action: "fold" });
});

test("a raise is a total between the limits", () => {
  const holeCards = ["clubs", "hearts"].map((suit) => ({ rank: "A", suit }));
  for (let number = 0; number < 100; number += 1) {
    const turn = question("free_check", { holeCards, requestId: `main/7:${number}:1` });
    const { action, amount } = act(turn);
    assert.ok(["bet", "check"].includes(action));
    if (action === "bet") assert.ok(amount >= turn.minRaiseTo && amount <= turn.maxRaiseTo);
  }
});

test("a request that is sent again gets the same answer", () => {
  for (const name of ["free_check", "short_stack", "second_attempt"])
    assert.deepEqual(act(question(name)), act(question(name)));
});

test("its part is for the first commitment of a block only", () => {
  const block = { tableId: "main", playerId: "p1", block: "main/1/1" };
  const own = contribute(block);
  assert.deepEqual(contribute(block), own);
  const commitment = { roots: "a", commitments: [{ playerId: "p1", ...own }] };
  const first = contribute({ ...block, commitment });
  assert.equal(first.entropy.length, 43);
  assert.deepEqual(contribute({ ...block, commitment }), first);
  for (const changed of [{ roots: "b" }, { commitments: [] }])
    assert.throws(() => contribute({ ...block, commitment: { ...commitment, ...changed } }));
  assert.deepEqual(contribute({ ...block, contributed: { block: "main/1/1" } }), {});
  assert.notDeepEqual(contribute({ ...block, block: "main/1/2" }), own);
});
