/** A hand's log: as a list beside the table, and as plain text, as one pastes it into a message. */
// @ts-check

/** @import { ActionEntry, Card, Decision, Hand, Insight, LogEntry, TableState } from "./types.js" */

import { openCard } from "./cards.js";
import { h, mark } from "./dom.js";
import { NEW_HAND, oneLine } from "./reading.js";
import { actionWords, chips, costWords, duration, faultWords } from "./words.js";

/** Further down than any log goes: the browser stops at its end, which need not be measured. */
const FAR = 1e7;
/** What is seen of a folded thought; a shorter one is not folded. */
const GLIMPSE = 90;
const POSTS = new Map([
  ["small-blind", "small blind"],
  ["big-blind", "big blind"],
  ["ante", "ante"],
  ["straddle", "straddle"],
  ["post", "blind to enter"],
  ["dead post", "dead blind"],
]);

export class LogView {
  #list = h("ol", { class: "log" });
  /** @type {LogEntry[]} */
  #entries = [];
  /** @type {number | undefined} */
  #hand;
  /** @type {Hand["decisions"]} */
  #decisions = [];
  #actions = 0;
  /** @type {HTMLDetailsElement | null} The thought of a replay's step, which is unfolded. */
  #unfolded = null;
  /** Whether what is newest is in view; only scrolling and a new hand change that. */
  #isAtEnd = true;
  /** @type {((line: number) => void) | null} */
  #choose = null;
  #now = -1;

  constructor() {
    this.element = h(
      "div",
      {
        class: "scroll log-box",
        tabindex: "0",
        role: "region",
        "aria-label": "What happened in this hand",
      },
      this.#list,
    );
    this.element.addEventListener("scroll", () => {
      const box = this.element;
      this.#isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
    });
    this.#list.addEventListener("click", ({ target }) => {
      const where = target instanceof Element && !target.closest("summary") ? target : null;
      const line = where?.closest("li");
      if (line && this.#choose) this.#choose([...this.#list.children].indexOf(line));
    });
  }

  /**
   * Mark the lines that are still to come at a step of a replay, and let lines be chosen.
   * @param {number | null} shown The number of lines that have happened; null is all of them.
   * @param {((line: number) => void) | null} choose Called with the number of a line.
   */
  follow(shown, choose) {
    this.#choose = choose;
    mark(this.#list, "data-steps", choose !== null);
    const now = shown === null ? -1 : shown;
    if (now < 0 && this.#now < 0) return;
    this.#now = now;
    [...this.#list.children].forEach((line, index) => {
      mark(line, "data-ahead", now >= 0 && index >= now);
      mark(line, "aria-current", now >= 0 && index === now - 1 ? "step" : null);
      if (now < 0 || index !== now - 1) return;
      this.#unfold(line.querySelector("details"));
      this.#reveal(line);
    });
  }

  /** @param {HTMLDetailsElement | null} thought What to unfold in place of the one before. */
  #unfold(thought) {
    if (thought === this.#unfolded) return;
    if (this.#unfolded) this.#unfolded.open = false;
    if (thought) thought.open = true;
    this.#unfolded = thought;
  }

  /**
   * Scroll to a line, but not the page.
   * @param {Element} line
   */
  #reveal(line) {
    const [box, there] = [this.element.getBoundingClientRect(), line.getBoundingClientRect()];
    if (there.top < box.top) this.element.scrollTop -= box.top - there.top;
    else if (there.bottom > box.bottom)
      this.element.scrollTop += Math.min(there.bottom - box.bottom, there.top - box.top);
  }

  /**
   * Show a hand's log; of a hand that is over also what its decisions cost, and the thoughts.
   * @param {Hand | null} hand
   * @param {Insight | null} [insight] What is known of the decisions besides what the hand says.
   */
  show(hand, insight = null) {
    const { log: entries, decisions: disclosed } = hand ?? NEW_HAND;
    const decisions = insight?.decisions ?? disclosed;
    const isMore =
      hand?.number === this.#hand &&
      decisions === this.#decisions &&
      this.#entries.length <= entries.length &&
      (this.#entries.length === 0 || this.#entries.at(-1) === entries[this.#entries.length - 1]);
    if (!isMore) {
      this.#list.replaceChildren();
      [this.#entries, this.#actions, this.#decisions] = [[], 0, decisions];
    }
    if (entries.length === this.#entries.length && isMore) return;
    for (const entry of entries.slice(this.#entries.length)) this.#list.append(this.#line(entry));
    [this.#entries, this.#hand] = [entries, hand?.number];
    if (this.#isAtEnd || !isMore) this.element.scrollTop = FAR;
  }

  /**
   * Return the line of an entry.
   * @param {LogEntry} entry
   */
  #line(entry) {
    switch (entry.kind) {
      case "street":
        return h(
          "li",
          { class: "street" },
          h("span", {}, entry.street),
          h("span", { class: "tiny" }, entry.cards.map(openCard)),
        );
      case "post":
        return h(
          "li",
          { class: "post" },
          name(entry),
          ` ${POSTS.get(entry.what) ?? entry.what} ${chips(entry.amount)}`,
        );
      case "action":
        return this.#action(entry);
      case "result":
        return h(
          "li",
          { class: entry.won > 0 ? "result won" : "result" },
          name(entry),
          entry.won > 0 ? ` wins ${chips(entry.won)}` : " shows",
          entry.rank ? ` · ${entry.rank} ` : " ",
          entry.cards ? h("span", { class: "tiny" }, entry.cards.map(openCard)) : null,
        );
      case "score":
        return h(
          "li",
          { class: entry.score > 0 ? "result won" : "result" },
          name(entry),
          ` ${entry.score > 0 ? "wins" : "loses"} ${chips(Math.abs(entry.score))}`,
        );
      default:
        return h("li", { class: "note" }, entry.text ?? "");
    }
  }

  /** @param {ActionEntry} entry */
  #action(entry) {
    const found = this.#decisions[this.#actions];
    this.#actions += 1;
    const decision = found && (found.id === entry.id || !found.id) ? found : null;
    const fault = faultWords(entry.outcome, decision?.why || entry.why);
    return h(
      "li",
      { class: `action ${entry.action === "fold" ? "fold" : ""}` },
      h(
        "span",
        { class: "line" },
        name(entry),
        ` ${actionWords(entry)}`,
        fault ? h("span", { class: "tag fault" }, fault) : null,
        entry.outcome === "retried" ? h("span", { class: "tag" }, "second try") : null,
      ),
      entry.latencyMs === null ? null : h("span", { class: "took" }, duration(entry.latencyMs)),
      entry.says ? h("q", { class: "said" }, entry.says) : null,
      decision?.detail ? h("q", { class: "said" }, decision.detail) : null,
      decision ? thoughtOf(decision, entry.model) : null,
    );
  }
}

/**
 * Return what a player thought, and what that cost; a long thought is folded.
 * @param {Decision} decision
 * @param {string} seated The model that plays the seat.
 */
function thoughtOf({ reasoning, cost }, seated) {
  const model = cost?.model || seated;
  const paid = cost ? costWords({ ...cost, model: "" }) : "";
  if (!reasoning && !paid) return null;
  const start = oneLine(reasoning, GLIMPSE);
  const isLong = start !== reasoning;
  const words = [
    model ? h("bdi", { class: "model" }, model) : null,
    h(
      "span",
      { class: "glimpse" },
      model && reasoning ? ": " : "",
      h("bdi", {}, isLong ? `${start}…` : reasoning),
    ),
    " ",
    paid ? h("span", { class: "paid" }, paid) : null,
  ];
  return isLong
    ? h(
        "details",
        { class: "thought" },
        h("summary", {}, words),
        h("p", { dir: "auto" }, reasoning),
      )
    : h("p", { class: "thought" }, words);
}

/** @param {{ name: string }} entry */
function name(entry) {
  return h("b", {}, entry.name);
}

/**
 * Return cards in short: "Ah 10c".
 * @param {Card[]} cards
 */
function cardsText(cards) {
  return cards.map(({ rank, suit }) => (rank === "T" ? "10" : rank) + suit.slice(0, 1)).join(" ");
}

/**
 * Return a line of a hand's log as text; nothing in it can look like further lines of the hand.
 * @param {LogEntry} entry
 */
export function lineOf(entry) {
  switch (entry.kind) {
    case "street": {
      const cards = entry.cards.length > 0 ? `: ${cardsText(entry.cards)}` : "";
      return `\n${entry.street.slice(0, 1).toUpperCase()}${entry.street.slice(1)}${cards}`;
    }
    case "post":
      return `${entry.name} posts ${POSTS.get(entry.what) ?? entry.what} ${chips(entry.amount)}`;
    case "action": {
      const fault = faultWords(entry.outcome, entry.why);
      const talk = entry.says ? ` “${oneLine(entry.says, Infinity)}”` : "";
      return `${entry.name}: ${actionWords(entry)}${fault ? ` (${fault})` : ""}${talk}`;
    }
    case "result": {
      const rank = entry.rank ? ` with ${entry.rank}` : "";
      const cards = entry.cards ? ` [${cardsText(entry.cards)}]` : "";
      return `${entry.name} ${entry.won > 0 ? `wins ${chips(entry.won)}` : "shows"}${rank}${cards}`;
    }
    case "score":
      return `${entry.name} ${entry.score > 0 ? "wins" : "loses"} ${chips(Math.abs(entry.score))}`;
    default:
      return oneLine(entry.text, Infinity);
  }
}

/**
 * Return the seats of a hand with their stacks at its start.
 * @param {TableState} state
 * @param {Hand} hand
 */
function seatLines({ seats }, hand) {
  const dealer = hand.game ? null : hand.buttonSeat;
  const dealt = [...seats.values()]
    .filter(({ id }) => hand.stacks.has(id))
    .sort((left, right) => (left.number ?? 0) - (right.number ?? 0));
  const lines = dealt.map(({ id, name, number }) => {
    const button = number === dealer ? ", dealer" : "";
    return `Seat ${number ?? "?"}: ${name} with ${chips(hand.stacks.get(id) ?? 0)}${button}`;
  });
  const isDead = dealer !== null && dealt.every(({ number }) => number !== dealer);
  return isDead ? [...lines, `Seat ${dealer}: empty, dealer`] : lines;
}

/**
 * Return a completed hand as text.
 * @param {string} room
 * @param {TableState} last The state after the hand.
 * @param {string} address The address of its replay.
 */
export function handText(room, last, address) {
  const { hand } = last;
  if (!hand) return "";
  const blinds =
    hand.bigBlind > 0 ? `, blinds ${chips(hand.smallBlind)}/${chips(hand.bigBlind)}` : "";
  const results = hand.log.findIndex(({ kind }) => kind === "result" || kind === "score");
  const lines = hand.log.map((entry, index) =>
    index === results ? `\nResult\n${lineOf(entry)}` : lineOf(entry),
  );
  const board = hand.board.length > 0 ? [`Board: ${cardsText(hand.board)}`] : [];
  const head = [`Hand ${hand.number} of ${room}${blinds}`, ...seatLines(last, hand), ""];
  return [...head, ...lines, ...board, "", address].join("\n");
}
