/** A room's status as a single word. */
// @ts-check

/** The room's states that say more than the status of its table. */
const ROOM_STATES = ["closed", "failed", "closing", "paused", "opening"];
const WORDS = new Map([
  ["running", "playing"],
  ["error", "failed"],
]);
/** The state of a room whose table is lost while no other one is free. */
export const WAITS_FOR_TABLE = "waits-for-table";

/**
 * Return what a room does, as a word for people and for filters.
 * @param {{ status: string, state?: string | null }} room
 */
export function statusWord({ status, state }) {
  if (state === WAITS_FOR_TABLE) return "no table";
  if (state && ROOM_STATES.includes(state)) return state;
  return WORDS.get(status) ?? status;
}
