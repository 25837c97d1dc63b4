/** The completed hands of a room: the newest are loaded, older ones when they are asked for. */

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { BestHands, History } from "../../services/lobby/casino_lobby/web/past_hands.js";

const TOTAL = 1450;
let asked = [];
let now = 0;

/** Answer as a lobby with 1,450 hands does, the newest first. */
function answer(target) {
  const url = new URL(target);
  asked.push(url.search);
  const limit = Number(url.searchParams.get("limit"));
  const after = url.searchParams.get("after");
  const begin = after ? Number(after.split(".").at(-1)) - 1 : TOTAL;
  const end = Math.max(0, begin - limit);
  const hands = [];
  for (let handNumber = begin; handNumber > end; handNumber -= 1)
    hands.push({ handNumber, epoch: 1, message: `hand ${handNumber}: x`, pots: [{ amount: 4 }] });
  return { hands, ...(end > 0 ? { next: `1.${end + 1}` } : {}) };
}

beforeEach(() => {
  mock.reset();
  asked = [];
  now = 50_000;
  globalThis.document = { baseURI: "http://lobby/" };
  mock.method(performance, "now", () => now);
  mock.method(globalThis, "fetch", async (target) => Response.json(answer(target)));
});

test("the newest thousand hands are loaded, then older ones by pages", async () => {
  const history = new History("main");
  await history.load();
  assert.deepEqual([history.hands.length, history.hands[0].number], [1000, 451]);
  assert.equal(history.hasOlder, true);
  const add = (handNumber) => history.add({ epoch: 1, payload: { handNumber } });
  add(TOTAL + 1);
  assert.deepEqual([history.hands.length, history.hands[0].number], [1000, 452]);
  await history.loadOlder();
  assert.equal(asked.at(-1), "?order=newest&limit=200&after=1.452");
  assert.deepEqual([history.hands.length, history.hands[0].number], [1200, 252]);
  add(TOTAL + 2);
  assert.equal(history.hands.length, 1200, "as many stay as were asked for");
  await history.loadOlder();
  await history.loadOlder();
  assert.deepEqual([history.hands[0].number, history.hasOlder], [1, false]);
  const numbers = history.hands.map(({ number }) => number);
  assert.deepEqual(numbers, [...new Set(numbers)]);
  assert.equal(numbers.length, TOTAL + 2);
});

test("a chosen list is loaded again only when hands were completed, and not too often", async () => {
  const best = new BestHands("main", { sort: "pot" });
  assert.equal(await best.refresh(7), true);
  assert.deepEqual(
    [best.hands.length, best.hasMore, asked.at(-1)],
    [50, true, "?sort=pot&limit=50"],
  );
  assert.equal(await best.more(), true);
  assert.equal(best.hands.length, 100);
  assert.equal(await best.refresh(8), false);
  now += 10_000;
  assert.equal(await best.refresh(7), false);
  assert.equal(await best.refresh(8), true);
  assert.equal(asked.at(-1), "?sort=pot&limit=100");
});

test("a list that the lobby refuses says why", async () => {
  const problem = { detail: "not now" };
  mock.method(globalThis, "fetch", async () => Response.json(problem, { status: 503 }));
  const best = new BestHands("main", { sort: "pot" });
  assert.equal(await best.refresh(1), true);
  assert.deepEqual([best.fault, best.hands, best.isLoaded], ["not now", [], true]);
});
