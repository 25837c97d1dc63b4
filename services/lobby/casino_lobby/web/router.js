/**
 * Links of the page, read and written, and the moves between them.
 *
 * Rooms are at `/rooms/{room}`, `/rooms/{room}/hands/{hand}/{step}?epoch={epoch}`, below wherever the
 * lobby is; the same after `#` is understood as well. Results are at `#/matches`, `#/matches/{match}`,
 * `#/matches/{match}/hands/{hand}`, `#/leagues/{league}`, `#/players/{id or name}`,
 * `#/versus/{name}/{name}`, and a bot's own hands at `#/me/{room}/{player}/{epoch}.{hand}`: `?key=…`
 * behind the fragment brings the key, because a browser sends no fragment to any server.
 */
// @ts-check

/** @import { Link } from "./types.js" */

/** @typedef {"lists" | "match" | "hand" | "league" | "player" | "versus"} ViewName */
/** @typedef {{ view: ViewName, id: string, other: string }} ResultPlace `other` is the opponent, or the number of a hand. */

/**
 * @typedef {object} MyPlace
 * @property {string} room
 * @property {string} player
 * @property {{ epoch: number, number: number } | null} hand Null is the list.
 * @property {string | null} key The player's key, if the link brings it.
 */

/** @type {Record<string, ViewName>} */
const SINGLE = { matches: "match", leagues: "league", players: "player" };

/**
 * Return the lobby's path, with a slash at its end, from the address of a module of the page.
 * @param {string} moduleUrl
 */
export function rootOf(moduleUrl) {
  const { pathname, protocol } = new URL(moduleUrl);
  const at = protocol === "file:" ? -1 : pathname.lastIndexOf("/page/");
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

/**
 * Go to a link of the page.
 * @param {string} link As the router makes it.
 */
export function go(link) {
  const url = new URL(link, location.href);
  if (url.href === location.href) return;
  history.pushState(null, "", url);
  dispatchEvent(new PopStateEvent("popstate"));
}

/**
 * Call a function whenever the address has changed.
 * @param {() => void} onMove
 */
export function followLinks(onMove) {
  // Their addresses are relative, and browsers read them again when that of the page changes.
  for (const link of document.head.querySelectorAll("link"))
    if (/icon|later/.test(link.rel)) link.href = `${link.href}`;
  let known = "";
  addEventListener("popstate", () => {
    known = location.href;
    onMove();
  });
  // A link to a fragment causes both events in most browsers, and the second one in all.
  addEventListener("hashchange", ({ newURL }) => {
    if (newURL !== known) onMove();
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.defaultPrevented || !isPlain(event) || !isOfPage(link)) return;
    event.preventDefault();
    go(link.href);
  });
}

/** Return the link of the current address, and show it as a path if it is an older one. */
export function currentLink() {
  const link = within(location);
  if (location.hash.startsWith("#/") && !isUnknown(link))
    history.replaceState(null, "", pathOf(link));
  return link;
}

/** Return the current address as it can be sent to others: also out of a frame. */
export function sharedAddress() {
  return new URL(`${ROOT}${within(location).slice(1)}`, location.origin).href;
}

/** @param {string} link */
function pathOf(link) {
  const here = within({ pathname: location.pathname, search: "", hash: "" });
  const base = location.pathname.slice(0, location.pathname.length - here.length + 1);
  return `${base}${link.slice(1)}`;
}

/** @param {MouseEvent} event */
function isPlain({ button, altKey, ctrlKey, metaKey, shiftKey }) {
  return button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey;
}

/** @param {HTMLAnchorElement} link */
function isOfPage(link) {
  const isElsewhere = link.target !== "" || link.hasAttribute("download");
  return !isElsewhere && link.origin === location.origin && !isUnknown(within(link));
}

/**
 * Return where a link leads; null if it is none to results.
 * @param {string} hash
 * @returns {ResultPlace | null}
 */
export function resultPlace(hash) {
  const [path = ""] = hash.replace(/^#\/?/, "").split("?");
  const [kind = "", id = "", other = "", ...more] = path.replace(/\/$/, "").split("/").map(decoded);
  if (kind === "matches" && other === "hands") {
    const [hand = "", ...rest] = more;
    return rest.length === 0 && /^[1-9]\d{0,3}$/.test(hand)
      ? { view: "hand", id, other: hand }
      : null;
  }
  if (more.length > 0) return null;
  if (kind === "versus") return id && other ? { view: "versus", id, other } : null;
  if (other) return null;
  if (!id) return kind === "matches" || kind === "leagues" ? place("lists") : null;
  const view = Object.hasOwn(SINGLE, kind) ? SINGLE[kind] : undefined;
  return view ? { view, id, other: "" } : null;
}

/** @param {ViewName} view */
function place(view) {
  return { view, id: "", other: "" };
}

/** Return the link to all matches and leagues. */
export function resultsLink() {
  return `${ROOT}#/matches`;
}

/** @param {string} match */
export function matchLink(match) {
  return `${ROOT}#/matches/${encodeURIComponent(match)}`;
}

/**
 * Return the link to the replay of a notable hand; they count from 1.
 * @param {string} match
 * @param {number} hand
 */
export function matchHandLink(match, hand) {
  return `${matchLink(match)}/hands/${hand}`;
}

/** @param {string} league */
export function leagueLink(league) {
  return `${ROOT}#/leagues/${encodeURIComponent(league)}`;
}

/** @param {string} name Or an id of the casino's players, which one name alone has. */
export function playerLink(name) {
  return `${ROOT}#/players/${encodeURIComponent(name)}`;
}

/**
 * Return the link to all matches of two players.
 * @param {string} name
 * @param {string} other
 */
export function versusLink(name, other) {
  return `${ROOT}#/versus/${encodeURIComponent(name)}/${encodeURIComponent(other)}`;
}

/**
 * Return where a link leads; null if it is none to a bot's own hands.
 * @param {string} hash
 * @returns {MyPlace | null}
 */
export function myPlace(hash) {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [me, room, player, hand = ""] = path.split("/").map(decoded);
  if (me !== "me" || !room || !player) return null;
  const [, epoch, number] = /^(\d{1,9})\.(\d{1,9})$/.exec(hand) ?? [];
  return {
    room,
    player,
    hand: epoch && number ? { epoch: Number(epoch), number: Number(number) } : null,
    key: new URLSearchParams(query).get("key") || null,
  };
}

/**
 * Return the link to a bot's hands, or to one of them; it never has the key.
 * @param {string} room
 * @param {string} player
 * @param {{ epoch: number, number: number } | null} [hand]
 */
export function myLink(room, player, hand = null) {
  const place = `#/me/${encodeURIComponent(room)}/${encodeURIComponent(player)}`;
  return hand ? `${place}/${hand.epoch}.${hand.number}` : place;
}
