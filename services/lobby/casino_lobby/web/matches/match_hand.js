/** The replay of a notable hand of a match, with every card: at the same table as hands of rooms. */
// @ts-check

/** @import { MatchHand } from "./types.js" */

import { Cast } from "../cast.js";
import { h } from "../dom.js";
import { LogView } from "../log.js";
import { Replay } from "../replay.js";
import { isForView } from "../room_keys.js";
import { TableView } from "../table.js";
import { matchLink } from "./address.js";
import { kindWords } from "./notable.js";

/**
 * Return the view of a hand, and what ends it.
 * @param {string} id The match's.
 * @param {MatchHand} hand
 */
export function handView(id, hand) {
  const [table, log, cast] = [new TableView(), new LogView(), new Cast()];
  const title = `${kindWords(hand.kind)}: deck ${hand.deck}, seating ${hand.seating}`;
  const replay = new Replay(id, hand.handNumber, {
    links: [h("a", { href: matchLink(id) }, "Back to the match")],
    show: draw,
    moved: () => {},
    onEnd: () => {},
    source: {
      events: async () => hand,
      record: async () => hand.record,
      address: () => location.href,
    },
  });

  function draw() {
    const { state, insight } = replay;
    cast.seat(state.seats);
    table.show(state, { seatCount: 2, insight, colors: cast.colors });
    log.show(replay.seen.hand, insight);
    log.follow(state.hand?.log.length ?? 0, (line) => replay.goToLine(line));
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (isForView(event) && replay.press(event.key)) event.preventDefault();
  }
  addEventListener("keydown", press);
  replay.load(0, true);
  const stage = h(
    "section",
    { class: "stage", "aria-label": "Table" },
    table.element,
    h("div", { class: "bar" }, replay.element),
  );
  const beside = h("section", { class: "panel this-hand" }, h("h2", {}, "This hand"), log.element);
  return {
    title,
    parts: [h("div", { class: "hand-grid" }, stage, beside)],
    stop() {
      removeEventListener("keydown", press);
      replay.stop();
    },
  };
}
