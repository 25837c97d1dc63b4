/** Draws what is beside a room's table: chart, hands, failed decisions, commands, states. */
// @ts-check

/** @import { Cast } from "./cast.js" */
/** @import { LiveRoom } from "./live.js" */
/** @import { Replay } from "./replay.js" */
/** @import { ReplayLinks } from "./replay_links.js" */
/** @import { roomLayout } from "./room_layout.js" */
/** @import { Seats, Standing } from "./types.js" */

import { asSeen } from "./reducer.js";
import { putResultsFirst, showLag, showMissingHand } from "./room_states.js";

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
 * Draw how far behind the view is, what is not there, the results, and a replay's links.
 * @param {string} id The room's id.
 * @param {ReturnType<typeof roomLayout>} parts
 * @param {LiveRoom} live
 * @param {object} context
 * @param {boolean} context.isOver Whether the room is closed.
 * @param {Cast} context.cast
 * @param {Replay | null} context.replay
 * @param {ReplayLinks | null} context.links
 * @param {boolean} context.areCardsOpen
 */
export function drawStates(id, parts, live, { isOver, cast, replay, links, areCardsOpen }) {
  showLag(parts, live, replay !== null);
  showMissingHand(parts, id, replay);
  const { config, gameType, history, state } = live;
  const { handCount } = state;
  if (config) {
    const { bigBlind } = config;
    parts.results.show({ handCount, isOver, gameType, bigBlind, cast });
  }
  if (isOver) putResultsFirst(parts);
  const last = history.hands.at(-1)?.number;
  const stored = last === undefined ? null : { first: 1, last };
  links?.show({ stored, isOver, areCardsOpen });
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
