/**
 * Links into the page: `/rooms/{room}`, `/rooms/{room}/hands/{hand}/{step}?epoch={epoch}`, below
 * wherever the lobby is. Older links have the same after `#`, and are understood as well.
 */
// @ts-check

/** @import { Link } from "./types.js" */

/**
 * Return the lobby's path, with a slash at its end, from the address of a module of the page.
 * @param {string} moduleUrl
 */
export function rootOf(moduleUrl) {
  const { pathname } = new URL(moduleUrl);
  const at = pathname.lastIndexOf("/page/");
  return at < 0 ? "/" : pathname.slice(0, at + 1);
}

/** The lobby's path: a proxy may serve it below any. */
export const ROOT = rootOf(import.meta.url);

/** Whether another site shows the page in a frame: without commands, and without other rooms. */
export const isEmbedded =
  typeof document !== "undefined" && document.documentElement?.dataset?.embed !== undefined;

const BASE = isEmbedded ? `${ROOT}embed/` : ROOT;

/**
 * Return what an address of the browser names within the page: "/rooms/main?epoch=2".
 * @param {{ pathname: string, search: string, hash: string }} address
 * @param {string} [base] Where the page's addresses begin.
 */
export function within({ pathname, search, hash }, base = BASE) {
  if (hash.startsWith("#/")) return hash.slice(1);
  return pathname.startsWith(base) ? `/${pathname.slice(base.length)}${search}` : pathname;
}

/**
 * Return the parts of a link; a part that it does not have is null.
 * @param {string} link As `within` returns it, or with the `#` of an older link.
 * @returns {Link}
 */
export function parse(link) {
  const [path = "", query = ""] = link.replace(/^#?\/?/, "").split("?");
  const [rooms, room, hands, hand, step] = path.split("/").map(decoded);
  if (rooms !== "rooms" || !room) return { room: null, hand: null, step: null, epoch: null };
  const number = hands === "hands" ? whole(hand) || null : null;
  if (number === null) return { room, hand: null, step: null, epoch: null };
  const epoch = whole(new URLSearchParams(query).get("epoch") ?? undefined) || null;
  return { room, hand: number, step: whole(step), epoch };
}

/**
 * Return whether a link leads nowhere: neither to the rooms, nor to a room or one of its hands.
 * @param {string} link
 */
export function isUnknown(link) {
  const [path = ""] = link.replace(/^#?\/?/, "").split("?");
  const [first, room, ...rest] = path.replace(/\/$/, "").split("/");
  if (first !== "rooms") return first !== "";
  if (!room || rest.length === 0) return false;
  const [hands, hand, step, ...more] = rest;
  const isHand = hands === "hands" && Boolean(whole(hand)) && more.length === 0;
  return !isHand || (step !== undefined && whole(step) === null);
}

/** Return the link to all rooms. */
export function lobbyLink() {
  return ROOT;
}

/**
 * Return the link to a room.
 * @param {string} room
 */
export function roomLink(room) {
  return `${BASE}rooms/${encodeURIComponent(room)}`;
}

/**
 * Return the link to a hand, or to a step of its replay.
 * @param {string} room
 * @param {number} hand
 * @param {number | null} [step]
 * @param {number | null} [epoch] Which of two hands with this number; the newest without.
 */
export function handLink(room, hand, step = null, epoch = null) {
  const path = `${roomLink(room)}/hands/${hand}${step === null ? "" : `/${step}`}`;
  return epoch === null ? path : `${path}?epoch=${epoch}`;
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
