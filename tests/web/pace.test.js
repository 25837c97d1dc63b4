/** The pace at which events are shown. */

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Pace } from "../../services/lobby/casino_lobby/web/pace.js";

const KINDS = ["hand_started", "action_taken", "hand_completed"];
let now = 0;
let shown = [];
let pace;

/** Push events by number, let time pass, and return what was shown: a list for each call. */
function after(ms, ...numbers) {
  for (const n of numbers) push({ n, eventType: KINDS[n % 3] });
  for (let passed = 0; passed < ms; passed += 1) {
    now += 1;
    mock.timers.tick(1);
  }
  return shown.splice(0);
}

function push(event) {
  pace.push({ name: "table_event", data: { event } });
}

beforeEach(() => {
  mock.reset();
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  now = 1000;
  mock.method(performance, "now", () => now);
  globalThis.document = { hidden: false };
  shown = [];
  pace = new Pace((items) => shown.push(items.map((item) => item.data.event.n)), { isCalm: true });
});

test("slow events are shown at once, fast ones one after the other, missed hands together", () => {
  assert.deepEqual(after(1, 0), [[0]]);
  assert.deepEqual(after(2000), []);
  assert.deepEqual(after(1, 1), [[1]], "an event that comes late enough does not wait");
  assert.deepEqual(after(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), []);
  assert.equal(pace.isLive, false);
  assert.deepEqual(after(500), [[2]]);
  assert.deepEqual(after(3000), [[3, 4, 5, 6, 7, 8, 9]], "it jumps to the newest hand");
  assert.deepEqual(after(5000), [[10], [11]]);
  assert.equal(pace.isLive, true);
});

test("without calm, everything is shown at once", () => {
  after(0, 0, 1, 2);
  pace.isCalm = false;
  assert.deepEqual(after(0), [[1, 2]], "what waits is shown, too");
  assert.deepEqual(after(0, 12, 13), [[12], [13]]);
});

test("a page that nobody sees does not wait", () => {
  document.hidden = true;
  assert.deepEqual(after(0, 0, 1, 2), [[0], [1], [2]]);
});

test("what is cleared is never shown", () => {
  assert.deepEqual(after(0, 0, 1, 2), [[0]]);
  pace.clear();
  assert.equal(pace.isLive, true);
  assert.deepEqual(after(5000), []);
});

test("a new street stays longer than an action", () => {
  push({ n: 0, eventType: "table_status", payload: { kind: "street_dealt" } });
  push({ n: 1, eventType: "action_taken" });
  push({ n: 2, eventType: "action_taken" });
  assert.deepEqual(after(649), [[0]]);
  assert.deepEqual(after(1), [[1]]);
  assert.deepEqual(after(449), []);
  assert.deepEqual(after(1), [[2]]);
});

test("the last streets of an all-in come with its end, and stay for as long as one by one", () => {
  after(1, 1);
  for (const n of [0, 3, 6])
    push({ n, eventType: "table_status", payload: { kind: "street_dealt" } });
  assert.deepEqual(after(448, 5), []);
  assert.deepEqual(after(1), [[0, 3, 6, 5]]);
  assert.equal(Math.round(pace.restMs), 2600 + 3 * 650);
  assert.deepEqual(after(2600 + 3 * 650 - 1, 9), []);
  assert.deepEqual(after(1), [[9]]);
  assert.equal(Math.round(pace.restMs), 500);
});

test("it counts the hands that wait", () => {
  after(1, 0);
  after(1, 1, 2, 3, 4, 5, 6);
  assert.equal(pace.behind, 2);
  pace.flush();
  assert.equal(pace.behind, 0);
});
