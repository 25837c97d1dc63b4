/**
 * Links to published results: `#/matches`, `#/matches/{match}`, `#/leagues/{league}`,
 * `#/matches/{match}/hands/{hand}`, `#/players/{name}`, `#/versus/{name}/{name}`.
 */
// @ts-check

import { ROOT } from "../router.js";

/** @typedef {"lists" | "match" | "hand" | "league" | "player" | "versus"} ViewName */
/** @typedef {{ view: ViewName, id: string, other: string }} ResultPlace `other` is the opponent, or the number of a hand. */

/** @type {Record<string, ViewName>} */
const SINGLE = { matches: "match", leagues: "league", players: "player" };

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

/** @param {string} name */
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

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
