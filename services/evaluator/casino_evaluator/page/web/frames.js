/** Frames of a replay: the steps of its commands, and the pixels of each. Pure. */
// @ts-check

/** @import { Command } from "./types.js" */

export const SIDE = 64;

/** The sixteen colours, as the evaluator's `frames/frame_canvas.py` has them. */
export const COLORS = [
  "#ffffff",
  "#cccccc",
  "#999999",
  "#666666",
  "#333333",
  "#000000",
  "#e53aa3",
  "#ff7bcc",
  "#f93c31",
  "#1e93ff",
  "#88d8f1",
  "#ffdc00",
  "#ff851b",
  "#921231",
  "#4fcc30",
  "#a356d6",
];

/** Red, green, blue of each colour. */
const VALUES = COLORS.map((color) =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)),
);

/**
 * One frame of a command.
 * @typedef {object} Step
 * @property {Command} command
 * @property {string} frame
 * @property {number} place Its place among the command's frames, from 1.
 */

/**
 * Return the steps of commands: one for each of their frames.
 * @param {Command[]} commands
 * @returns {Step[]}
 */
export function stepsOf(commands) {
  return commands.flatMap((command) =>
    command.frames.map((frame, index) => ({ command, frame, place: index + 1 })),
  );
}

/**
 * Return the pixels of a frame: red, green, blue and opacity of each, row by row.
 * @param {string} frame 4096 hexadecimal digits; what is none of them is black.
 */
export function pixelsOf(frame) {
  const pixels = new Uint8ClampedArray(SIDE * SIDE * 4);
  for (let place = 0; place < SIDE * SIDE; place += 1) {
    const value = VALUES[Number.parseInt(frame.charAt(place), 16)] ?? [0, 0, 0];
    pixels.set([...value, 255], place * 4);
  }
  return pixels;
}
