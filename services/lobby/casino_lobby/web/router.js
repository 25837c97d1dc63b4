/** Links into the page: `#/`, `#/rooms/{room}`, `#/rooms/{room}/hands/{hand}/{step}`. */
// @ts-check

/** @import { Link } from "./types.js" */

/**
 * Return the parts of a link; a part that it does not have is null.
 * @param {string} hash
 * @returns {Link}
 */
export function parse(hash) {
  const [path = ""] = hash.replace(/^#\/?/, "").split("?");
  const [rooms, room, hands, hand, step] = path.split("/").map(decoded);
  if (rooms !== "rooms" || !room) return { room: null, hand: null, step: null };
  const number = hands === "hands" ? whole(hand) : null;
  return number ? { room, hand: number, step: whole(step) } : { room, hand: null, step: null };
}

/**
 * Return whether a link leads nowhere: neither to the rooms nor to a room.
 * @param {string} hash
 */
export function isUnknown(hash) {
  const [path = ""] = hash.replace(/^#\/?/, "").split("?");
  const [first = ""] = path.split("/");
  return first !== "" && first !== "rooms";
}

/**
 * Return the link to a room.
 * @param {string} room
 */
export function roomLink(room) {
  return `#/rooms/${encodeURIComponent(room)}`;
}

/**
 * Return the link to a hand, or to a step of its replay.
 * @param {string} room
 * @param {number} hand
 * @param {number | null} [step]
 */
export function handLink(room, hand, step = null) {
  return `${roomLink(room)}/hands/${hand}${step === null ? "" : `/${step}`}`;
}

/** @param {string | undefined} text */
function whole(text) {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
