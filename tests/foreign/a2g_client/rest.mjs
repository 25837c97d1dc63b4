// The protocol's HTTP part: sign-in as a guest, games, specifications, lobby, join, leave.

import { setTimeout as pause } from "node:timers/promises";

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;

export class Rest {
  #origin;
  #dump;
  #token;

  constructor(origin, dump, token) {
    this.#origin = origin.replace(/\/$/, "");
    this.#dump = dump;
    this.#token = token;
  }

  get token() {
    return this.#token;
  }

  async signInAsGuest(displayName) {
    this.#token = (await this.#json("POST", "/api/auth/guest", { displayName })).token;
    if (typeof this.#token !== "string") throw new Error("the guest login gave no token");
  }

  async games() {
    return (await this.#json("GET", "/api/games")).games;
  }

  async specification(gameType) {
    return this.#text("GET", `/api/games/${encodeURIComponent(gameType)}/spec`);
  }

  async rooms() {
    return (await this.#json("GET", "/api/lobby")).rooms;
  }

  async join(room, wish) {
    return this.#json("POST", `/api/rooms/${encodeURIComponent(room)}/join`, wish);
  }

  async leave(room) {
    return this.#json("POST", `/api/rooms/${encodeURIComponent(room)}/leave`, {});
  }

  async #json(method, path, body) {
    return JSON.parse(await this.#text(method, path, body));
  }

  /** A rate limit and a fault of the server are waited out; every other refusal is final. */
  async #text(method, path, body) {
    for (let attempt = 1; ; attempt++) {
      const headers = {};
      if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`;
      const sent = body === undefined ? null : JSON.stringify(body);
      if (sent !== null) {
        headers["content-type"] = "application/json";
        this.#dump.sent("http", sent, { path });
      }
      const reply = await fetch(this.#origin + path, { method, headers, body: sent });
      const text = await reply.text();
      this.#dump.received("http", text, { path, status: reply.status });
      if (reply.ok) return text;
      const mayPass = reply.status === 429 || reply.status >= 500;
      if (!mayPass || attempt === ATTEMPTS) {
        throw new Error(`${method} ${path}: ${reply.status} ${text.slice(0, 500)}`);
      }
      await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}
