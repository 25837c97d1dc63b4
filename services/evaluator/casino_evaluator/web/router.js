/** Addresses of the page's views, behind the `#`. */
// @ts-check

/** @import { Route } from "./types.js" */

/**
 * Return the view of an address; an unknown one is the list.
 * @param {string} hash
 * @returns {Route}
 */
export function routeOf(hash) {
  const [, view, id] = /^#\/(cards|replays)\/([^/]+)$/.exec(hash) ?? [];
  if (view === undefined || id === undefined) return { name: "list" };
  try {
    return { name: view === "cards" ? "card" : "replay", id: decodeURIComponent(id) };
  } catch {
    return { name: "list" };
  }
}

/**
 * Return the address of a scorecard.
 * @param {string} cardId
 */
export function cardLink(cardId) {
  return `#/cards/${encodeURIComponent(cardId)}`;
}

/**
 * Return the address of a session's replay.
 * @param {string} guid
 */
export function replayLink(guid) {
  return `#/replays/${encodeURIComponent(guid)}`;
}
