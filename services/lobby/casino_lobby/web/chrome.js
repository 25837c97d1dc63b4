/** What views have around them, or in their place: theme, title, connection, announcements. */
// @ts-check

/** @import { Child, ConnectionState } from "./types.js" */

import { h, linkTo, mark, say, svg } from "./dom.js";
import { lobbyLink, roomLink } from "./router.js";

const SUN =
  "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v4h-2zm0 18h2v4h-2zM1 11h4v2H1zm18 0h4v2h-4zM4 5.500 5.500 4l3 3L7 8.500zM15.500 17l1.500-1.500 3 3-1.500 1.500zM4 18.500l3-3L8.500 17l-3 3zM15.500 7l3-3L20 5.500l-3 3z";
const MOON = "M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z";
const LINES = new Map([
  ["connecting", "Connecting…"],
  ["live", "Live"],
  ["ended", "Ended"],
]);
const ANNOUNCE_MS = 1500;
const MOST_LINES = 4;

/**
 * Make a button that switches between light and dark, and keeps the choice.
 * @param {HTMLElement} button
 */
export function themeButton(button) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const draw = () => {
    button.replaceChildren(
      svg(
        "svg",
        { viewBox: "0 0 24 24", "aria-hidden": "true" },
        svg("path", { d: isDark() ? SUN : MOON }),
      ),
    );
    mark(button, "aria-label", isDark() ? "Use the light theme" : "Use the dark theme");
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(localStorage, "theme", root.dataset.theme ?? null);
    draw();
  });
  system.addEventListener("change", draw);
  draw();
}

/** The title of the tab: what is shown, and whether it is the person's turn. */
export class Title {
  #text = "";
  #isTurn = false;

  /** @param {string} text */
  set text(text) {
    this.#text = text;
    this.#draw();
  }

  /** @param {boolean} isTurn */
  set isTurn(isTurn) {
    this.#isTurn = isTurn;
    this.#draw();
  }

  #draw() {
    const title = this.#isTurn ? `● Your turn · ${this.#text}` : this.#text;
    if (document.title !== title) document.title = title;
  }
}

/** The line that says whether the page is connected to the lobby. */
export class Connection {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  /** @param {ConnectionState} state */
  show(state) {
    mark(this.element, "data-kind", state.kind);
    if (state.kind === "waiting") say(this.element, "Connection lost, trying again…");
    else if (state.kind === "silent")
      say(this.element, `No word from the lobby for ${state.seconds} s`);
    else if (state.kind === "refused") say(this.element, state.problem.message);
    else if (state.kind === "connecting" && !state.isFirst) say(this.element, "Reconnecting…");
    else say(this.element, LINES.get(state.kind) ?? "");
  }

  clear() {
    mark(this.element, "data-kind", null);
    say(this.element, "");
  }
}

/** Announces events to screen readers, a few lines at a time. */
export class Announcer {
  /** @type {string[]} */
  #lines = [];
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  /** @param {string} line */
  announce(line) {
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const lines = this.#lines.splice(0).slice(-MOST_LINES);
      this.element.replaceChildren(...lines.map((text) => h("p", {}, text)));
    }, ANNOUNCE_MS);
  }
}

/**
 * Keep a choice, if the browser allows it; null deletes it.
 * @param {Storage} storage
 * @param {string} key
 * @param {string | null} value
 */
export function keep(storage, key, value) {
  try {
    if (value) storage.setItem(key, value);
    else storage.removeItem(key);
  } catch {
    // private windows may forbid it: then the choice is lost with the view
  }
}

/**
 * Return a choice that was kept, or null.
 * @param {Storage} storage
 * @param {string} key
 */
export function kept(storage, key) {
  try {
    return storage.getItem(key);
  } catch {
    return null;
  }
}

/** What screen readers announce of a room: everything, or how hands end and nothing else. */
export class Spoken {
  #announcer;
  #box = h("input", { type: "checkbox" });
  /** The choice; whoever uses no screen reader sees it when it has the keyboard's focus. */
  element;

  /** @param {Announcer} announcer */
  constructor(announcer) {
    this.#announcer = announcer;
    this.#box.checked = kept(localStorage, "announce") === "results";
    this.#box.addEventListener("change", () =>
      keep(localStorage, "announce", this.#box.checked ? "results" : null),
    );
    this.element = h("label", { class: "spoken" }, this.#box, "Announce results only");
  }

  /**
   * Announce a sentence.
   * @param {string} sentence
   * @param {boolean} isResult Whether it says how a hand ended.
   */
  say(sentence, isResult) {
    if (isResult || !this.#box.checked) this.#announcer.announce(sentence);
  }
}

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
  return missing(`Hand ${hand} is not here`, why, [linkTo(roomLink(room), "Back to the table")]);
}

/** Return the box of a room that there is not. */
export function missingRoom() {
  return missing("There is no such room", "The address may be mistyped, or the room was deleted.", [
    linkTo(lobbyLink(), "All rooms"),
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
      [linkTo(lobbyLink(), "All rooms")],
    ),
  );

  stop() {}

  navigate() {}
}
