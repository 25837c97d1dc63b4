/** The key of a bot's author: taken out of the address, kept for this tab alone. */
// @ts-check

/** @import { MyPlace } from "./me_address.js" */

import { keep, kept } from "./chrome.js";
import { myLink } from "./me_address.js";

/** @param {Pick<MyPlace, "room" | "player">} place */
function nameOf({ room, player }) {
  return `my-bot ${encodeURIComponent(room)}/${encodeURIComponent(player)}`;
}

/**
 * Keep the key that a link brings, and replace the address by one without it, also in the tab's
 * history.
 * @param {MyPlace} place
 */
export function takeKey(place) {
  if (place.key === null) return;
  keepKey(place, place.key);
  history.replaceState(null, "", myLink(place.room, place.player, place.hand));
}

/**
 * Return the key of a bot, null if the tab has none.
 * @param {Pick<MyPlace, "room" | "player">} place
 */
export function keyOf(place) {
  return kept(sessionStorage, nameOf(place)) || null;
}

/**
 * Keep a bot's key in this tab, or forget it.
 * @param {Pick<MyPlace, "room" | "player">} place
 * @param {string | null} key
 */
export function keepKey(place, key) {
  keep(sessionStorage, nameOf(place), key);
}
