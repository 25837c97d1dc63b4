/** Pictures of names: told apart, and seen on a dark and on a light page. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { lookOf, pictureOf } from "../../services/lobby/casino_lobby/web/avatar.js";

const FIRST = ["Ada", "Bo", "Chuck", "Dora", "Emil", "Fay", "Gus", "Hope", "Ivo", "June"];
const LAST = ["Bluff", "Call", "Draw", "Edge", "Flop", "Gut", "High", "Inside", "Jack", "King"];
const NAMES = FIRST.flatMap((first) =>
  LAST.flatMap((last) => Array.from({ length: 10 }, (_, number) => `${first} ${last} #${number}`)),
);

test("a thousand names have a thousand pictures, each the same every time", () => {
  const looks = NAMES.map((name) => JSON.stringify(lookOf(name)));
  assert.equal(new Set(looks).size, 1_000);
  assert.deepEqual(
    NAMES.map((name) => JSON.stringify(lookOf(name))),
    looks,
  );
});

test("most names that differ in a letter differ in colour and in pattern", () => {
  const pairs = NAMES.slice(1).map((name, at) => [lookOf(name), lookOf(NAMES[at] ?? "")]);
  const alike = pairs.filter(([one, other]) => one?.hue === other?.hue);
  assert.ok(alike.length < 60, `${alike.length} of 999 neighbours have one hue`);
});

test("any text has a picture", () => {
  for (const name of ["", "<b>", "\u202e", "😀".repeat(40), "a".repeat(10_000)]) {
    const { hue, tone, cells } = lookOf(name);
    assert.ok(hue >= 0 && hue < 360 && tone >= 0 && tone < 360);
    assert.ok(cells.every(([x, y]) => x >= 0 && x < 5 && y >= 0 && y < 5));
  }
});

test("a picture has contrast to both pages, and within", () => {
  for (let hue = 0; hue < 360; hue += 10) {
    const { ground, mark } = pictureOf({ hue, tone: 90, cells: [] });
    const light = luminance(ground);
    assert.ok(contrast(light, luminance(mark)) >= 3, `mark on ground ${hue}`);
    for (const page of [srgbLuminance(0xff, 0xfe, 0xfb), srgbLuminance(0x1a, 0x1d, 0x22)]) {
      assert.ok(contrast(light, page) >= 3, `ground ${hue} on the page`);
    }
  }
});

/** @param {number} one @param {number} other */
function contrast(one, other) {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** @param {...number} channels */
function srgbLuminance(...channels) {
  const [r = 0, g = 0, b = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * Return the relative luminance of a colour in OKLCH, cut to sRGB.
 * @param {string} color
 */
function luminance(color) {
  const [lightness = 0, chroma = 0, hue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  const [a, b] = [
    chroma * Math.cos((hue * Math.PI) / 180),
    chroma * Math.sin((hue * Math.PI) / 180),
  ];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const [red, green, blue] = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((value) => Math.max(0, Math.min(1, value)));
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}
