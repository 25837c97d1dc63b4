/** The page: connects the parts, and shows the view that the address names. */
// @ts-check

/** @import { ResultView } from "./matches/view.js" */
/** @import { MeView } from "./me.js" */
/** @import { LobbyConfig, Shared } from "./types.js" */

import { api, Problem, useOperator } from "./api.js";
import { Announcer, Connection, MissingView, Title, themeButton } from "./chrome.js";
import { LobbyView } from "./lobby.js";
import { Operator } from "./operator.js";
import { RoomView } from "./room.js";
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
  /** @type {LobbyView | RoomView | MeView | ResultView | MissingView | null} */
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

  /** @param {string | null} room */
  #viewOf(room) {
    if (room === null) return new LobbyView(this.#shared);
    return room === "" ? new MissingView() : new RoomView(room, this.#shared);
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
      if (mine) {
        const { MeView } = await import("./me.js"); // only authors need it
        if (room !== this.#room) return; // another link was followed meanwhile
        this.#view = new MeView(mine, this.#shared);
      } else if (result) {
        const { ResultView } = await import("./matches/view.js"); // few spectators look at results
        if (room !== this.#room) return;
        this.#view = new ResultView(result, this.#shared);
      } else this.#view = this.#viewOf(room);
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
