/** Numbers and commands as a person reads them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  commandName,
  percent,
  reasoningText,
  share,
  stateWords,
  winnings,
} from "../../services/evaluator/casino_evaluator/web/words.js";

const CASINO = {
  hands: 4,
  chips: 4,
  chips_per_hand: 1,
  bb_per_100: 50,
  bb_per_100_interval_95: [-119.74, 219.74],
  decisions: 9,
  unavailable_actions: 2,
  unavailable_share: 2 / 9,
};

test("winnings have a sign and an interval", () => {
  assert.equal(winnings(CASINO), "+50.0 bb/100 (95 %: −119.7 to +219.7)");
  assert.equal(winnings({ ...CASINO, bb_per_100_interval_95: null }), "+50.0 bb/100");
  assert.equal(
    winnings({ ...CASINO, bb_per_100: -0.04, bb_per_100_interval_95: null }),
    "0.0 bb/100",
  );
  assert.equal(
    winnings({ ...CASINO, bb_per_100: null, chips_per_hand: -2.5 }),
    "−2.5 chips per hand",
  );
  assert.equal(winnings({ ...CASINO, chips_per_hand: null }), "no hand played");
});

test("scores and shares are percents", () => {
  assert.equal(percent(85.185), "85.2 %");
  assert.equal(share(0.25), "25.0 %");
  assert.equal(share(null), "–");
});

test("commands have their names", () => {
  const command = (id, data = {}, full_reset = false) =>
    commandName({ action_input: { id, data }, full_reset });
  assert.equal(command(0), "RESET");
  assert.equal(command(0, {}, true), "RESET of the game");
  assert.equal(command(2), "ACTION2");
  assert.equal(command(6, { x: 3, y: 60 }), "ACTION6 at column 3, row 60");
  assert.equal(stateWords("GAME_OVER"), "game over");
  assert.equal(stateWords("ELSE"), "ELSE");
});

test("reasoning is text, whether it came as JSON or as JSON in a string", () => {
  assert.equal(reasoningText(undefined), "");
  assert.equal(reasoningText(null), "");
  assert.equal(reasoningText("I fold."), "I fold.");
  assert.equal(reasoningText("7"), "7");
  assert.equal(reasoningText('{"why":"cold"}'), '{\n  "why": "cold"\n}');
  assert.equal(reasoningText({ why: "cold" }), '{\n  "why": "cold"\n}');
});
