/** The chart of every player's net over the hands: a line for each, with the name at its end. */
// @ts-check

/** @import { Label, NetLines, Point, Scale } from "./net_lines.js" */
/** @import { NetSeries, PastHand, Seats, Standing } from "./types.js" */

import { h, mark, say, svg } from "./dom.js";
import {
  apart,
  axes,
  bandOf,
  EDGE,
  HEIGHT,
  netLinesOf,
  path,
  rangeOf,
  scaleOf,
} from "./net_lines.js";
import { brief, change, chips } from "./words.js";

/**
 * @typedef {object} ChartData
 * @property {PastHand[]} hands
 * @property {Seats} seats The seats as they are now.
 * @property {Map<string, string>} names Players' names by id.
 * @property {Map<string, number>} colors Players' places in the palette, by id.
 * @property {number | null} current The hand in replay.
 * @property {boolean} hasLegend Whether the players' chips are listed below the chart.
 */
/** @typedef {{ nets: NetLines, chosen: string | null, band: Point[] }} Drawn */

export class ChartView {
  #drawing = svg("svg", { class: "lines", role: "img", height: HEIGHT });
  #hint = h("p", { class: "hint", hidden: true });
  #legend = h("ul", { class: "legend" });
  #width = 0;
  /** @type {ChartData | null} */
  #last = null;
  /** @type {Drawn | null} */
  #drawn = null;
  #isDue = false;
  /** @type {(player: string) => void} Called with the player whose name was clicked. */
  onChoose = () => {};

  /** @param {(hand: number) => void} open Called with the hand that was clicked. */
  constructor(open) {
    this.element = h("div", { class: "chart" }, this.#drawing, this.#hint, this.#legend);
    new ResizeObserver(([entry]) => {
      this.#width = Math.floor(entry?.contentRect.width ?? 0);
      this.#plan();
    }).observe(this.element);
    this.#drawing.addEventListener("click", (event) => {
      const label = event.target instanceof Element ? event.target.closest("[data-player]") : null;
      const hand = this.#handAt(event.offsetX);
      if (label) this.onChoose(label.getAttribute("data-player") ?? "");
      else if (hand !== null) open(hand);
    });
  }

  /**
   * Draw the nets in the next frame; those of a chosen player alone, with the band of luck.
   * @param {NetSeries} series
   * @param {Standing | null} chosen
   * @param {number} chipsPerUnit The unit of the player's interval in chips.
   */
  follow(series, chosen, chipsPerUnit) {
    const nets = netLinesOf(series);
    const line = chosen ? nets.lines.get(chosen.playerId) : undefined;
    const band = chosen && line ? bandOf(line, chosen, chipsPerUnit) : [];
    this.#drawn = { nets, chosen: line && chosen ? chosen.playerId : null, band };
    this.#plan();
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
      names === this.#last.names
    )
      return;
    this.#last = { hands, seats, names, colors, current, hasLegend };
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
    if (!this.#drawn) return null;
    const { first, last } = this.#drawn.nets;
    const inner = this.#width - EDGE.left - EDGE.right;
    const share = Math.min(1, Math.max(0, (x - EDGE.left) / inner));
    return Math.max(1, Math.round(first + share * (last - first)));
  }

  /** @param {ChartData} data */
  #draw(data) {
    this.#drawLegend(data);
    const { nets, chosen, band } = this.#drawn ?? { nets: null, chosen: null, band: [] };
    const isEmpty = nets === null || nets.last === nets.first;
    mark(this.#drawing, "hidden", isEmpty);
    mark(this.#hint, "hidden", isEmpty || band.length === 0);
    if (nets === null || isEmpty) return;
    const lines = new Map(
      [...nets.lines].filter(([id, line]) => line.length > 0 && (chosen ?? id) === id),
    );
    const scale = scaleOf({ ...nets, ...rangeOf(lines.values(), band) }, this.#width);
    const name = chosen === null ? null : (data.names.get(chosen) ?? chosen);
    mark(this.#drawing, "width", this.#width);
    mark(this.#drawing, "viewBox", `0 0 ${this.#width} ${HEIGHT}`);
    mark(
      this.#drawing,
      "aria-label",
      `Net of ${name ?? `${lines.size} players`} over hands ${Math.max(1, nets.first)} to ${nets.last}; the results have the numbers.`,
    );
    say(
      this.#hint,
      `Grey: where luck alone keeps 95 % of players with no edge, at ${name}'s swings.`,
    );
    this.#drawing.replaceChildren(
      ...bandPath(band, scale),
      ...axes(scale, this.#width, (hand) => `hand ${Math.max(1, hand)}`),
      ...this.#place(scale, data.current),
      ...[...lines].map(([id, line]) =>
        svg("path", {
          class: "line",
          "data-color": data.colors.get(id) ?? 0,
          d: line.map((part) => path(part, scale)).join(""),
        }),
      ),
      ...this.#labels(lines, data, scale),
    );
  }

  /**
   * Return the place of the hand in replay, if the chart has it.
   * @param {Scale} scale
   * @param {number | null} current
   */
  #place(scale, current) {
    if (current === null || current < scale.first || current > scale.last) return [];
    return [
      svg("line", {
        class: "current",
        x1: scale.x(current),
        x2: scale.x(current),
        y1: EDGE.top,
        y2: HEIGHT - EDGE.bottom,
      }),
    ];
  }

  /**
   * Return the names at the ends of the lines.
   * @param {Map<string, Point[][]>} lines
   * @param {ChartData} data
   * @param {Scale} scale
   */
  #labels(lines, { names, colors }, scale) {
    /** @type {Label[]} */
    const ends = [];
    for (const [id, line] of lines) {
      const end = line.at(-1)?.at(-1);
      if (end?.x === scale.last || lines.size === 1) ends.push({ id, y: scale.y(end?.y ?? 0) });
    }
    return apart(ends).map(({ id, y }) =>
      svg(
        "text",
        {
          class: "end",
          x: this.#width - EDGE.right + 8,
          y: y + 4,
          "data-color": colors.get(id) ?? 0,
          "data-player": id,
        },
        cut(names.get(id) ?? id),
        svg("title", {}, names.get(id) ?? id),
      ),
    );
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
          h("span", { class: "name", title: seat.name }, seat.name),
          h("span", { class: "stack", title: chips(seat.stack) }, brief(seat.stack)),
          h(
            "span",
            {
              title: `${Number.isFinite(won) ? change(won) : ""} in the last hand`.trim(),
              class: `change ${won > 0 ? "up" : won < 0 ? "down" : ""}`,
            },
            Number.isFinite(won) ? `${won > 0 ? "+" : ""}${brief(won)}` : "",
          ),
        );
      }),
    );
  }
}

/**
 * Return the area of a band around 0, if there is one.
 * @param {Point[]} band
 * @param {Scale} scale
 */
function bandPath(band, scale) {
  if (band.length === 0) return [];
  const below = band.map(({ x, y }) => ({ x, y: -y })).reverse();
  return [svg("path", { class: "band", d: `${path([...band, ...below], scale)}Z` })];
}

/**
 * Return a name as short as the margin; what tells it from an equal one stays.
 * @param {string} name
 */
function cut(name) {
  if (name.length <= 13) return name;
  const [suffix = ""] = / #\S{1,6}$/.exec(name) ?? [];
  return `${name.slice(0, 12 - suffix.length)}…${suffix}`;
}
