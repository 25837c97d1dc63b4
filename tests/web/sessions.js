/** Sessions that tables really played, recorded by `played` of tests/support/recorded.py. */

import { readFileSync } from "node:fs";

/**
 * Return the events of a recorded session.
 * @param {string} game
 */
export function session(game) {
  const lines = readFileSync(new URL(`sessions/${game}.jsonl`, import.meta.url), "utf8");
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Return a room's snapshot with these newest events. */
export function roomWith(events, players, gameType = "texas-holdem") {
  const hands = events.filter((event) => event.eventType === "hand_completed");
  return {
    roomId: "main",
    gameType,
    epoch: 1,
    events,
    summary: { status: "running", handCount: hands.length, players },
  };
}

/** Return the payloads of the players who were registered. */
export function registered(events) {
  return events
    .filter((event) => event.eventType === "player_registered")
    .map((event) => event.payload);
}

/** Return the index of the event that started a hand. */
export function indexOfHand(events, number) {
  return events.findIndex(
    (event) => event.eventType === "hand_started" && event.payload.handNumber === number,
  );
}
