/** The page: it puts the parts together, and shows the view that a link means. */

import { api, askWith, Problem } from "./api.js";
import { Announcer, Connection, themeButton } from "./chrome.js";
import { LobbyView } from "./lobby.js";
import { Operator } from "./operator.js";
import { RoomView } from "./room.js";
import { parse } from "./router.js";

const part = (id) => document.getElementById(id);

class App {
  #main = part("main");
  #view = null;
  #room = undefined;
  #shared;

  async start() {
    const operator = new Operator(part("operator"), part("locked"));
    askWith(operator);
    this.#shared = {
      connection: new Connection(part("connection")),
      announcer: new Announcer(part("told")),
      operator,
      config: configOf(),
    };
    themeButton(part("theme"));
    part("skip").addEventListener("click", (event) => {
      event.preventDefault(); // its address would be a link into the page
      this.#main.focus();
    });
    addEventListener("hashchange", () => this.#go());
    this.#go();
    const config = await this.#shared.config;
    if (!config) return;
    part("casino").textContent = config.name;
    operator.isNeeded = config.operatorTokenNeeded;
  }

  #go() {
    const link = parse(location.hash);
    if (link.room !== this.#room) {
      const isFirst = this.#view === null;
      this.#view?.stop();
      this.#room = link.room;
      this.#shared.connection.clear();
      this.#view =
        link.room === null ? new LobbyView(this.#shared) : new RoomView(link.room, this.#shared);
      this.#main.replaceChildren(this.#view.element);
      if (!isFirst) this.#main.querySelector("h1").focus();
    }
    this.#view.navigate(link);
    const hand = link.hand === null ? "" : `Hand ${link.hand} · `;
    document.title = link.room === null ? "A2A Casino" : `${hand}${link.room} · A2A Casino`;
  }
}

/** Return what the lobby says of itself; null where it does not. */
async function configOf() {
  try {
    return await api.config();
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

new App().start();
