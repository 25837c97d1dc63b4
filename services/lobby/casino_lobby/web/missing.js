/** What the page shows at an address where nothing is: no room, no hand, no view. */
// @ts-check

/** @import { Child } from "./types.js" */

import { h } from "./dom.js";
import { lobbyLink, roomLink } from "./router.js";

/**
 * Return a box that says what is not there, and where to go instead.
 * @param {string} title
 * @param {string} text
 * @param {Child[]} links
 */
export function missing(title, text, links) {
  return h(
    "section",
    { class: "panel missing" },
    h("h2", {}, title),
    h("p", {}, text),
    h("p", { class: "where" }, links),
  );
}

/**
 * Return the box of a hand that cannot be shown.
 * @param {string} room
 * @param {number} hand
 * @param {string} why The lobby's sentence.
 */
export function missingHand(room, hand, why) {
  return missing(`Hand ${hand} is not here`, why, [
    h("a", { href: roomLink(room) }, "Back to the table"),
  ]);
}

/** Return the box of a room that there is not. */
export function missingRoom() {
  return missing("There is no such room", "The address may be mistyped, or the room was deleted.", [
    h("a", { href: lobbyLink() }, "All rooms"),
  ]);
}

/** The view of an address that leads nowhere. */
export class MissingView {
  element = h(
    "article",
    {},
    h("h1", { tabindex: "-1" }, "Nothing here"),
    missing(
      "The page has no such address",
      "Rooms are at /rooms/{room}, and their hands at /rooms/{room}/hands/{number}.",
      [h("a", { href: lobbyLink() }, "All rooms")],
    ),
  );

  stop() {}

  navigate() {}
}
