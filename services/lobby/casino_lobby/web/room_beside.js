/** Draws what is beside a room's table: chart, hands, failed decisions, commands. */
// @ts-check

/** @import { Cast } from "./cast.js" */
/** @import { LiveRoom } from "./live.js" */
/** @import { roomLayout } from "./room_layout.js" */
/** @import { Seats, Standing } from "./types.js" */

import { asSeen } from "./reducer.js";

/**
 * Draw what changed.
 * @param {ReturnType<typeof roomLayout>} parts
 * @param {LiveRoom} live
 * @param {object} context
 * @param {Pick<Cast, "names" | "colors">} context.cast
 * @param {number | null} context.current The hand in replay.
 * @param {string | null} context.token The operator's key.
 */
export function drawBeside({ chart, hands, faults, commands, results }, live, context) {
  const { cast, current, token } = context;
  const { names, colors } = cast;
  const past = live.history.hands;
  const hasLegend = results.standings === null;
  const there = asSeen(live.state).seats;
  chart.show({ hands: past, seats: there, names, colors, current, hasLegend });
  hands.show(past, current);
  const { seats, handCount } = live.state;
  commands.show(live.state);
  faults.show(seats, handCount, token);
}

/**
 * Get to know the players in what is shown, and in what was there before.
 * @param {Cast} cast
 * @param {LiveRoom} live
 * @param {Seats} seats
 * @param {Standing[]} standings
 */
export function meet(cast, live, seats, standings) {
  cast.seat(live.state.seats);
  cast.seat(seats);
  cast.recall(live.names);
  cast.rank(standings);
  cast.pass(live.history.hands.at(-1));
}
