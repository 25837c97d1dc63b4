/** The page: connects the parts, and shows the view that the address names. */
// @ts-check

/** @import { MyPlace, ResultPlace } from "./router.js" */
/** @import { LobbyConfig, Shared, View } from "./types.js" */

import { api, Problem, useOperator } from "./api.js";
import { Announcer, Connection, MissingView, Title, themeButton } from "./chrome.js";
import { Operator } from "./operator.js";
import {
  currentLink,
  followLinks,
  isEmbedded,
  isUnknown,
  lobbyLink,
  myPlace,
  parse,
  resultPlace,
  sharedAddress,
} from "./router.js";

/**
 * Return an element of index.html.
 * @param {string} id
 */
function part(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element #${id}.`);
  return element;
}

/** Return the bot whose hands the address names; a frame of another site shows none. */
function ownPlace() {
  return isEmbedded ? null : myPlace(location.hash);
}

/** Return the published result that the address names; a frame of another site shows none. */
function namedResult() {
  return isEmbedded ? null : resultPlace(location.hash);
}

class App {
  #main = part("main");
  /** @type {View | null} */
  #view = null;
  /** @type {string | null | undefined} The room of the view; null in the lobby, "" nowhere. */
  #room;
  /** @type {Shared} */
  #shared;

  constructor() {
    const operator = new Operator(part("operator"), part("locked"));
    useOperator(operator);
    this.#shared = {
      connection: new Connection(part("connection")),
      announcer: new Announcer(part("announcements")),
      operator,
      config: loadConfig(),
      title: new Title(),
    };
  }

  /** Show the first view, and react to links. */
  async start() {
    themeButton(part("theme"));
    part("brand").setAttribute("href", lobbyLink()); // the address may become deeper
    part("skip").addEventListener("click", (event) => {
      event.preventDefault(); // its address would be a link into the page
      this.#main.focus();
    });
    followLinks(() => this.#go());
    this.#go();
    this.#shared.operator.recheck();
    const config = await this.#shared.config;
    if (!config) return;
    part("casino").textContent = config.name;
    this.#shared.operator.isNeeded = config.operatorTokenNeeded;
  }

  /** Show the view of the current address. */
  async #go() {
    const address = currentLink();
    const link = parse(address);
    const mine = ownPlace();
    const result = mine ? null : namedResult();
    // A frame of another site must not offer the commands of the lobby's view.
    const room = mine
      ? `me ${mine.room}/${mine.player}`
      : result
        ? `${result.view} ${result.id}/${result.other}`
        : isUnknown(address)
          ? ""
          : (link.room ?? (isEmbedded ? "" : null));
    part("outside").setAttribute("href", sharedAddress());
    if (room !== this.#room) {
      const isFirst = this.#view === null;
      this.#view?.stop();
      this.#room = room;
      this.#shared.connection.clear();
      const make = await maker(mine, result, room);
      if (room !== this.#room) return; // another link was followed meanwhile
      this.#view = make(this.#shared);
      this.#main.replaceChildren(this.#view.element);
      if (!isFirst) this.#main.querySelector("h1")?.focus();
    }
    this.#view?.navigate(link);
    const hand = link.hand === null ? "" : `Hand ${link.hand} · `;
    this.#shared.title.text =
      link.room === null ? "A2A Casino" : `${hand}${link.room} · A2A Casino`;
  }
}

/**
 * Load the modules of a view, and return what makes it: each is loaded when it is shown.
 * @param {MyPlace | null} mine
 * @param {ResultPlace | null} result
 * @param {string | null} room As `App.#room`.
 * @returns {Promise<(shared: Shared) => View>}
 */
async function maker(mine, result, room) {
  if (room === "") return () => new MissingView();
  if (room === null) {
    const { LobbyView } = await import("./lobby.js");
    return (shared) => new LobbyView(shared);
  }
  const styles = loadStyles();
  if (mine) {
    const { MeView } = await import("./me.js");
    await styles;
    return (shared) => new MeView(mine, shared);
  }
  if (result) {
    const { ResultView } = await import("./matches/view.js");
    await styles;
    return (shared) => new ResultView(result, shared);
  }
  const { RoomView } = await import("./room.js");
  await styles;
  return (shared) => new RoomView(room, shared);
}

/** @type {Promise<unknown> | null} */
let loading = null;

/** Load the style sheets that index.html names for later; at a room's address they are there. */
function loadStyles() {
  loading ??= Promise.all(
    [...document.head.querySelectorAll("link[rel=later]")].map((sheet) => {
      const loaded = new Promise((resolve) => sheet.addEventListener("load", resolve));
      sheet.setAttribute("rel", "stylesheet");
      return loaded; // one that does not arrive is told by early.js
    }),
  );
  return loading;
}

/**
 * Return the lobby's configuration, or null where the lobby refuses it.
 * @returns {Promise<LobbyConfig | null>}
 */
async function loadConfig() {
  try {
    const config = await api.config();
    if (isEmbedded) delete config.gatewayUrl; // nobody sits down in a frame
    return config;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

new App().start();
