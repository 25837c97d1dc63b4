/** Every player's chips over the hands: one line each, named at its end. */

import { h, mark, svg } from "./dom.js";
import { change, chips, short } from "./money.js";

const HEIGHT = 220;
const EDGE = { top: 10, right: 92, bottom: 24, left: 46 };
const LABEL_GAP = 14;

export class ChartView {
  #drawing = svg("svg", { class: "lines", role: "img", height: HEIGHT });
  #legend = h("ul", { class: "legend" });
  #width = 0;
  #last = null;
  #isDue = false;

  /** `open(hand)` is called when a hand is pointed at. */
  constructor(open) {
    this.element = h("div", { class: "chart" }, this.#drawing, this.#legend);
    new ResizeObserver(([entry]) => {
      this.#width = Math.floor(entry.contentRect.width);
      this.#plan();
    }).observe(this.element);
    this.#drawing.addEventListener("click", (event) => {
      const hand = this.#handAt(event.offsetX);
      if (hand !== null) open(hand);
    });
  }

  /** Show hands, with the seats as they are now; `current` is the hand in replay, or null. */
  show({ hands, seats, names, colors, current }) {
    if (
      this.#last &&
      hands === this.#last.hands &&
      seats === this.#last.seats &&
      current === this.#last.current
    )
      return;
    this.#last = { hands, seats, names, colors, current };
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

  #scale({ hands }) {
    const [first, last] = [hands[0].number, hands.at(-1).number];
    const inner = this.#width - EDGE.left - EDGE.right;
    const most = Math.max(1, ...hands.flatMap((hand) => [...hand.stacks.values()]));
    const step = niceStep(most / 3);
    const top = Math.ceil(most / step) * step;
    return {
      x: (number) =>
        EDGE.left + (last === first ? inner : ((number - first) / (last - first)) * inner),
      y: (stack) => HEIGHT - EDGE.bottom - (stack / top) * (HEIGHT - EDGE.top - EDGE.bottom),
      first,
      last,
      step,
      top,
      inner,
    };
  }

  #handAt(x) {
    if (!this.#last?.hands.length) return null;
    const { first, last, inner } = this.#scale(this.#last);
    const share = Math.min(1, Math.max(0, (x - EDGE.left) / inner));
    return Math.round(first + share * (last - first));
  }

  #draw(shown) {
    const { hands, seats, names, colors, current } = shown;
    mark(this.#drawing, "width", this.#width);
    mark(this.#drawing, "viewBox", `0 0 ${this.#width} ${HEIGHT}`);
    this.#drawLegend(shown);
    mark(this.#drawing, "hidden", hands.length === 0);
    if (hands.length === 0) return;
    const scale = this.#scale(shown);
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
    const ids = [...new Set(hands.flatMap((hand) => [...hand.stacks.keys()]))];
    const ends = [];
    for (const id of ids) {
      parts.push(
        svg("path", {
          class: "line",
          "data-color": colors.get(id) ?? 0,
          d: this.#path(id, hands, scale),
        }),
      );
      const end = hands.at(-1).stacks.get(id);
      if (end !== undefined && seats.has(id)) ends.push({ id, y: scale.y(end) });
    }
    for (const { id, y } of apart(ends)) {
      const text = svg("text", {
        class: "end",
        x: this.#width - EDGE.right + 8,
        y: y + 4,
        "data-color": colors.get(id) ?? 0,
      });
      text.append(cut(names.get(id) ?? id));
      parts.push(text);
    }
    mark(
      this.#drawing,
      "aria-label",
      `Chips of ${ids.length} players over hands ${scale.first} to ${scale.last}; the list below has the numbers.`,
    );
    this.#drawing.replaceChildren(...parts);
  }

  /** Return a player's line: not more points than pixels, broken where he did not play. */
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

  #drawLegend({ hands, seats, colors }) {
    const [before, last] = [hands.at(-2)?.stacks, hands.at(-1)?.stacks];
    const sorted = [...seats.values()].sort((one, other) => other.stack - one.stack);
    this.#legend.replaceChildren(
      ...sorted.map((seat) => {
        // Who had nothing left has bought chips since: that is no win.
        const won = (last?.get(seat.id) ?? NaN) - (before?.get(seat.id) || NaN);
        return h(
          "li",
          { "data-color": colors.get(seat.id) ?? 0 },
          h("span", { class: "swatch", "aria-hidden": "true" }),
          h("span", { class: "name" }, seat.name),
          h("span", { class: "stack" }, chips(seat.stack)),
          h(
            "span",
            { class: `change ${won > 0 ? "up" : won < 0 ? "down" : ""}` },
            Number.isFinite(won) ? change(won) : "",
          ),
        );
      }),
    );
  }
}

/** Return 1, 2 or 5 times a power of ten, about as large as asked. */
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-6)));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
}

/** Return labels moved apart, so that none covers another. */
function apart(labels) {
  const sorted = [...labels].sort((one, other) => one.y - other.y);
  let low = EDGE.top;
  for (const label of sorted) {
    label.y = Math.max(label.y, low);
    low = label.y + LABEL_GAP;
  }
  let high = HEIGHT - EDGE.bottom + 6;
  for (const label of sorted.reverse()) {
    label.y = Math.min(label.y, high);
    high = label.y - LABEL_GAP;
  }
  return sorted;
}

function cut(name) {
  return name.length > 12 ? `${name.slice(0, 11)}…` : name;
}
