/** Steps of a replay, and the pixels of its frames. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  COLORS,
  pixelsOf,
  SIDE,
  stepsOf,
} from "../../services/evaluator/casino_evaluator/web/replay_view.js";

const PALETTE = "services/evaluator/casino_evaluator/frames/frame_canvas.py";

test("each frame of a command is a step", () => {
  const commands = [
    { number: 4, frames: ["a", "b"] },
    { number: 5, frames: [] },
    { number: 6, frames: ["c"] },
  ];
  assert.deepEqual(
    stepsOf(commands).map(({ command, frame, place }) => [command.number, frame, place]),
    [
      [4, "a", 1],
      [4, "b", 2],
      [6, "c", 1],
    ],
  );
});

test("pixels have the colours of their digits, row by row", () => {
  const pixels = pixelsOf(`08f${"5".repeat(SIDE - 3)}e`);
  assert.equal(pixels.length, SIDE * SIDE * 4);
  assert.deepEqual(
    [...pixels.slice(0, 12)],
    [255, 255, 255, 255, 249, 60, 49, 255, 163, 86, 214, 255],
  );
  assert.deepEqual([...pixels.slice(SIDE * 4, SIDE * 4 + 4)], [79, 204, 48, 255]);
});

test("what is no digit, or missing, is black", () => {
  assert.deepEqual([...pixelsOf("zz").slice(0, 8)], [0, 0, 0, 255, 0, 0, 0, 255]);
});

test("the colours are the evaluator's", () => {
  const palette = readFileSync(new URL(`../../${PALETTE}`, import.meta.url), "utf8");
  assert.deepEqual(palette.match(/#[0-9a-f]{6}/g), COLORS);
});
