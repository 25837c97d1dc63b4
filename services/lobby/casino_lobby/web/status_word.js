/** A room's status as a single word. */
// @ts-check

/** The room's states that say more than the status of its table. */
const ROOM_STATES = ["closed", "failed", "closing", "paused", "opening"];
const WORDS = new Map([
  ["running", "playing"],
  ["error", "failed"],
]);

/**
 * Return what a room does, as a word for people and for filters.
 * @param {{ status: string, state?: string | null }} room
 */
export function statusWord({ status, state }) {
  if (state && ROOM_STATES.includes(state)) return state;
  return WORDS.get(status) ?? status;
}
