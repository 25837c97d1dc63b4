/** A hand as plain text, as one pastes it into a message. */
// @ts-check

/** @import { Card, Hand, LogEntry, TableState } from "./types.js" */

import { chips } from "./money.js";
import { actionWords, faultWords } from "./seats.js";

/**
 * Return cards in short: "Ah 10c".
 * @param {Card[]} cards
 */
function cardsText(cards) {
  return cards.map(({ rank, suit }) => (rank === "T" ? "10" : rank) + suit.slice(0, 1)).join(" ");
}

/**
 * Return a text that cannot look like further lines of the hand.
 * @param {string} text
 */
function onOneLine(text) {
  return text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
}

/**
 * Return a line of a hand's log as text.
 * @param {LogEntry} entry
 */
export function lineOf(entry) {
  switch (entry.kind) {
    case "street": {
      const cards = entry.cards.length > 0 ? `: ${cardsText(entry.cards)}` : "";
      return `\n${entry.street.slice(0, 1).toUpperCase()}${entry.street.slice(1)}${cards}`;
    }
    case "post":
      return `${entry.name} posts ${entry.what.replace("-", " ")} ${chips(entry.amount)}`;
    case "action": {
      const fault = faultWords(entry.outcome);
      const talk = entry.says ? ` “${onOneLine(entry.says)}”` : "";
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
      return onOneLine(entry.text);
  }
}

/**
 * Return the seats of a hand with their stacks at its start.
 * @param {TableState} state
 * @param {Hand} hand
 */
function seatLines({ seats }, hand) {
  return [...seats.values()]
    .filter(({ id }) => hand.stacks.has(id))
    .sort((left, right) => (left.number ?? 0) - (right.number ?? 0))
    .map(({ id, name, number }) => {
      const button = !hand.game && number === hand.buttonSeat ? ", dealer" : "";
      return `Seat ${number ?? "?"}: ${name} with ${chips(hand.stacks.get(id) ?? 0)}${button}`;
    });
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
