/** The events of `tests/vectors` are folded to the state that lobby and console fold them to. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { EMPTY, reduce } from "../../services/lobby/casino_lobby/web/reducer.js";

const VECTORS = JSON.parse(
  readFileSync(new URL("../vectors/table_events.json", import.meta.url), "utf8"),
);

describe("the shared vectors", () => {
  for (const { name, events, expected } of VECTORS) {
    test(name, () => {
      const state = events.reduce(reduce, EMPTY);
      // A player of whom only an action is known has no number.
      const seats = [...state.seats.values()].filter((s) => s.finish === null && s.number !== null);
      assert.deepEqual(
        {
          status: state.status,
          hands: state.handCount,
          isPaused: state.state === "paused",
          runningHand: state.hand?.phase === "betting" ? state.hand.number : null,
          sittingOut: seats.filter((s) => s.isOut).map(({ id }) => id),
          seats: Object.fromEntries(
            seats.map(({ id, number, name, stack }) => [id, { number, name, stack }]),
          ),
        },
        expected,
      );
    });
  }
});
