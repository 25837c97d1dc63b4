/** The course of the players' nets, as lines through points. */
// @ts-check

/** @import { NetLine, NetSeries } from "./types.js" */

/** @typedef {{ x: number, y: number }} Point The number of a hand, and a net in chips. */
/** @typedef {{ first: number, last: number, lines: Map<string, Point[][]> }} Course Each line has a part for each time a player was there. */

/**
 * Return the lines of a series. Each begins at 0, where the player's first hand began, if that hand
 * is in the series, and ends at the player's net now.
 * @param {NetSeries} series
 * @returns {Course}
 */
export function courseOf(series) {
  const { firstHand = 1, sinceHand, lastHands } = series;
  const first = sinceHand ? firstHand : firstHand - 1;
  const lines = new Map(series.players.map((player) => [player.playerId, lineOf(player, series)]));
  return { first, last: lastHands.at(-1) ?? first, lines };
}

/**
 * @param {NetLine} player
 * @param {NetSeries} series
 */
function lineOf({ net, nets }, { firstHand = 1, sinceHand, lastHands }) {
  /** @type {Point[][]} */
  const parts = [];
  let isOpen = false;
  lastHands.forEach((to, step) => {
    const [one, other] = nets.slice(2 * step, 2 * step + 2);
    if (typeof one !== "number" || typeof other !== "number") {
      isOpen = false;
      return;
    }
    const from = step > 0 ? (lastHands[step - 1] ?? to) : firstHand - 1;
    if (!isOpen) {
      const before = parts.at(-1)?.at(-1)?.y ?? 0;
      const isCut = step === 0 && Boolean(sinceHand);
      parts.push(isCut ? [] : [{ x: from, y: before }]);
      isOpen = true;
    }
    if (to - from > 1) parts.at(-1)?.push({ x: (from + to) / 2, y: one });
    parts.at(-1)?.push({ x: to, y: other });
  });
  const end = parts.at(-1)?.at(-1);
  if (end && end.y !== net) parts.at(-1)?.push({ x: end.x, y: net });
  return parts;
}

/**
 * Return the band in which luck alone keeps 95 % of players without an edge: half its width in
 * chips at some hands of a player's line, from its beginning to its end. Empty without an interval.
 * @param {Point[][]} line
 * @param {object} rate
 * @param {number} rate.hands The player's.
 * @param {number | null} [rate.halfInterval95] Of 100 hands.
 * @param {number} chipsPerUnit The unit of the interval in chips: a big blind, or 1.
 * @returns {Point[]}
 */
export function bandOf(line, { hands, halfInterval95 = null }, chipsPerUnit) {
  const [from, to] = [line[0]?.[0]?.x, line.at(-1)?.at(-1)?.x];
  if (halfInterval95 === null || from === undefined || to === undefined || to <= from) return [];
  const atEnd = (halfInterval95 / 100) * hands * chipsPerUnit;
  return Array.from({ length: 25 }, (_, index) => {
    const share = index / 24;
    return { x: from + share * (to - from), y: atEnd * Math.sqrt(share) };
  });
}

/**
 * Return the lowest and the highest net of lines and a band, 0 included.
 * @param {Iterable<Point[][]>} lines
 * @param {Point[]} band
 */
export function rangeOf(lines, band) {
  let [low, high] = [0, 0];
  for (const line of lines)
    for (const part of line)
      for (const { y } of part) [low, high] = [Math.min(low, y), Math.max(high, y)];
  const widest = band.at(-1)?.y ?? 0;
  return { low: Math.min(low, 0 - widest), high: Math.max(high, widest) };
}
