/** The chart of a pair: how much better the first is, deck by deck, with the band of its interval. */
// @ts-check

/** @import { MatchPair } from "./types.js" */

import { axes, path } from "../chart_axes.js";
import { EDGE, HEIGHT, scaleOf } from "../chart_scale.js";
import { h, mark, svg } from "../dom.js";
import { chips } from "../money.js";
import { pairCourse, within } from "./series.js";
import { headlineOf, UNIT, withInterval } from "./words.js";

/**
 * Return the chart of a pair; null if there are too few decks for one.
 * @param {MatchPair} pair
 */
export function pairChart(pair) {
  const course = pairCourse(pair.series);
  if (course === null) return null;
  const { rate, interval } = headlineOf(pair);
  const drawing = svg("svg", { class: "lines still", role: "img", height: HEIGHT });
  const words = `${withInterval(rate, interval)} ${UNIT} after ${chips(course.last)} decks`;
  mark(drawing, "aria-label", `How much better ${pair.first} is than ${pair.second}: ${words}.`);
  const element = h(
    "figure",
    { class: "chart" },
    drawing,
    h(
      "figcaption",
      { class: "hint" },
      `${UNIT} by which ${pair.first} is better than ${pair.second}; grey: the 95 % interval so far.`,
    ),
  );
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width > 0) draw(width);
  }).observe(element);

  /** @param {number} width */
  function draw(width) {
    if (course === null) return;
    const scale = scaleOf(course, width);
    const end = course.line.at(-1);
    const band = [...within(course.upper, scale), ...within(course.lower, scale).reverse()];
    mark(drawing, "width", width);
    mark(drawing, "viewBox", `0 0 ${width} ${HEIGHT}`);
    drawing.replaceChildren(
      svg("path", { class: "band", d: `${path(band, scale)}Z` }),
      ...axes(scale, width, (decks) => `${chips(decks)} decks`),
      svg("path", {
        class: "line",
        "data-color": 0,
        d: path(within(course.line, scale), scale),
      }),
      svg(
        "text",
        {
          class: "end",
          x: width - EDGE.right + 8,
          y: scale.y(end?.y ?? 0) + 4,
          "data-color": 0,
        },
        `${chips(Math.round((end?.y ?? 0) * 10) / 10)} ${UNIT}`,
      ),
    );
  }
  return element;
}
