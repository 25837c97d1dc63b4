/** The chart of every player's chips over the hands: a line for each, with the name at its end. */
// @ts-check

/** @import { Label, Scale } from "./chart_scale.js" */
/** @import { PastHand, Seats } from "./types.js" */

import { apart, EDGE, HEIGHT, scaleOf } from "./chart_scale.js";
import { h, mark, svg } from "./dom.js";
import { change, chips, short } from "./money.js";

/**
 * @typedef {object} ChartData
 * @property {PastHand[]} hands
 * @property {Seats} seats The seats as they are now.
 * @property {Map<string, string>} names Players' names by id.
 * @property {Map<string, number>} colors Players' places in the palette, by id.
 * @property {number | null} current The hand in replay.
 * @property {boolean} hasLegend Whether the players' chips are listed below the chart.
 */

export class ChartView {
  #drawing = svg("svg", { class: "lines", role: "img", height: HEIGHT });
  #legend = h("ul", { class: "legend" });
  #width = 0;
  /** @type {ChartData | null} */
  #last = null;
  #isDue = false;

  /** @param {(hand: number) => void} open Called with the hand that was clicked. */
  constructor(open) {
    this.element = h("div", { class: "chart" }, this.#drawing, this.#legend);
    new ResizeObserver(([entry]) => {
      this.#width = Math.floor(entry?.contentRect.width ?? 0);
      this.#plan();
    }).observe(this.element);
    this.#drawing.addEventListener("click", (event) => {
      const hand = this.#handAt(event.offsetX);
      if (hand !== null) open(hand);
    });
  }

  /**
   * Draw the chart in the next frame, unless nothing changed.
   * @param {ChartData} data
   */
  show({ hands, seats, names, colors, current, hasLegend }) {
    mark(this.#legend, "hidden", !hasLegend);
    if (
      this.#last &&
      hands === this.#last.hands &&
      seats === this.#last.seats &&
      current === this.#last.current &&
      names.size === this.#last.names.size
    )
      return;
    this.#last = { hands, seats, names: new Map(names), colors, current, hasLegend };
    this.#plan();
  }

  #plan() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      if (this.#last && this.#width > 0) this.#draw(this.#last);
    });
  }

  /**
   * Return the number of the hand at a place of the drawing.
   * @param {number} x
   */
  #handAt(x) {
    if (!this.#last?.hands.length) return null;
    const { first, last, inner } = scaleOf(this.#last.hands, this.#width);
    const share = Math.min(1, Math.max(0, (x - EDGE.left) / inner));
    return Math.round(first + share * (last - first));
  }

  /** @param {ChartData} data */
  #draw(data) {
    const { hands, current } = data;
    mark(this.#drawing, "width", this.#width);
    mark(this.#drawing, "viewBox", `0 0 ${this.#width} ${HEIGHT}`);
    this.#drawLegend(data);
    mark(this.#drawing, "hidden", hands.length === 0);
    if (hands.length === 0) return;
    const scale = scaleOf(hands, this.#width);
    const ids = [...new Set(hands.flatMap((hand) => [...hand.stacks.keys()]))];
    const { first, last } = scale;
    mark(
      this.#drawing,
      "aria-label",
      `Chips of ${ids.length} players over hands ${first} to ${last}; the list below has the numbers.`,
    );
    this.#drawing.replaceChildren(
      ...this.#axes(scale, current),
      ...ids.map((id) => this.#line(id, data, scale)),
      ...this.#labels(ids, data, scale),
    );
  }

  /**
   * Return the grid, the numbers at it, and the place of the hand in replay.
   * @param {Scale} scale
   * @param {number | null} current
   */
  #axes(scale, current) {
    /** @type {SVGElement[]} */
    const parts = [];
    for (let level = 0; level <= scale.top; level += scale.step) {
      parts.push(
        svg("line", {
          class: "grid",
          x1: EDGE.left,
          x2: this.#width - EDGE.right,
          y1: scale.y(level),
          y2: scale.y(level),
        }),
      );
      parts.push(
        svg(
          "text",
          { class: "axis", x: EDGE.left - 8, y: scale.y(level) + 4, "text-anchor": "end" },
          short(level),
        ),
      );
    }
    for (const number of new Set([scale.first, scale.last])) {
      parts.push(
        svg(
          "text",
          {
            class: "axis",
            x: scale.x(number),
            y: HEIGHT - 6,
            "text-anchor": number === scale.first ? "start" : "end",
          },
          `hand ${number}`,
        ),
      );
    }
    if (current !== null && current >= scale.first && current <= scale.last) {
      parts.push(
        svg("line", {
          class: "current",
          x1: scale.x(current),
          x2: scale.x(current),
          y1: EDGE.top,
          y2: HEIGHT - EDGE.bottom,
        }),
      );
    }
    return parts;
  }

  /**
   * Return a player's line.
   * @param {string} id
   * @param {ChartData} data
   * @param {Scale} scale
   */
  #line(id, { hands, colors }, scale) {
    return svg("path", {
      class: "line",
      "data-color": colors.get(id) ?? 0,
      d: this.#path(id, hands, scale),
    });
  }

  /**
   * Return the names at the ends of the lines of players who played the last hand.
   * @param {string[]} ids
   * @param {ChartData} data
   * @param {Scale} scale
   */
  #labels(ids, { hands, seats, names, colors }, scale) {
    /** @type {Label[]} */
    const ends = [];
    for (const id of ids) {
      const stack = hands.at(-1)?.stacks.get(id);
      if (stack !== undefined && (seats.has(id) || names.has(id)))
        ends.push({ id, y: scale.y(stack) });
    }
    return apart(ends).map(({ id, y }) =>
      svg(
        "text",
        {
          class: "end",
          x: this.#width - EDGE.right + 8,
          y: y + 4,
          "data-color": colors.get(id) ?? 0,
        },
        cut(names.get(id) ?? id),
      ),
    );
  }

  /**
   * Return the path of a player's line: at most a point per pixel, and a gap where the player did
   * not play.
   * @param {string} id
   * @param {PastHand[]} hands
   * @param {Scale} scale
   */
  #path(id, hands, scale) {
    const stride = Math.max(1, Math.floor(hands.length / Math.max(1, scale.inner)));
    let [path, isDrawing] = ["", false];
    hands.forEach((hand, index) => {
      const stack = hand.stacks.get(id);
      if (stack === undefined) isDrawing = false;
      else if (index % stride === 0 || index === hands.length - 1) {
        path += `${isDrawing ? "L" : "M"}${scale.x(hand.number).toFixed(1)} ${scale.y(stack).toFixed(1)}`;
        isDrawing = true;
      }
    });
    return path;
  }

  /** @param {ChartData} data */
  #drawLegend({ hands, seats, colors }) {
    const [before, last] = [hands.at(-2)?.stacks, hands.at(-1)?.stacks];
    const sorted = [...seats.values()].sort((left, right) => right.stack - left.stack);
    this.#legend.replaceChildren(
      ...sorted.map((seat) => {
        // A player who had no chips left has bought new ones: that is no win.
        const won = (last?.get(seat.id) ?? NaN) - (before?.get(seat.id) || NaN);
        return h(
          "li",
          { "data-color": colors.get(seat.id) ?? 0 },
          h("span", { class: "swatch", "aria-hidden": "true" }),
          h("span", { class: "name" }, seat.name),
          h("span", { class: "stack" }, chips(seat.stack)),
          h(
            "span",
            {
              title: "in the last hand",
              class: `change ${won > 0 ? "up" : won < 0 ? "down" : ""}`,
            },
            Number.isFinite(won) ? change(won) : "",
          ),
        );
      }),
    );
  }
}

/** @param {string} name */
function cut(name) {
  return name.length > 12 ? `${name.slice(0, 11)}…` : name;
}
