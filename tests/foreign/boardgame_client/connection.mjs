// The agent's WebSocket: one answer to each request in order, pushes in between, reconnects.

import { setTimeout as pause } from "node:timers/promises";
import WebSocket from "ws";

const STRICT_PROTOCOL = "bgp.schemas-1.0.0";
const RECONNECT_MS = 100;
const ANSWER_MS = 15_000;

export class Connection {
  #settings;
  #dump;
  #onMessage;
  #onPush;
  #socket;
  #waiting = [];
  #isClosing = false;
  reconnects = 0;

  /** `settings`: origin, token, isStrict, asSubprotocol, after (the last sequence, or undefined). */
  constructor(settings, dump, onMessage, onPush) {
    this.#settings = settings;
    this.#dump = dump;
    this.#onMessage = onMessage;
    this.#onPush = onPush;
  }

  open() {
    const { origin, token, isStrict, asSubprotocol, after } = this.#settings;
    const sequence = after();
    const query = sequence === undefined ? "" : `?after=${sequence}`;
    const url = `${origin.replace(/^http/, "ws").replace(/\/$/, "")}/bgp/ws${query}`;
    const protocols = isStrict ? [STRICT_PROTOCOL] : [];
    const headers = {};
    if (asSubprotocol) protocols.push(`bearer.${token}`);
    else headers.authorization = `Bearer ${token}`;
    const socket = new WebSocket(url, protocols, { headers });
    this.#socket = socket;
    socket.on("message", (data) => {
      if (socket === this.#socket) this.#take(data.toString());
    });
    return new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.on("error", reject);
      socket.once("close", () => this.#lost(socket));
    });
  }

  /** Send a request; resolves with its answer, or with undefined where the connection was lost. */
  request(message) {
    const text = JSON.stringify(message);
    if (this.#socket.readyState !== WebSocket.OPEN) return pause(RECONNECT_MS, undefined);
    this.#dump.sent("ws", text);
    return new Promise((resolve, reject) => {
      const clock = setTimeout(() => reject(new Error(`no answer to ${text}`)), ANSWER_MS);
      this.#waiting.push((answer) => {
        clearTimeout(clock);
        resolve(answer);
      });
      this.#socket.send(text);
    });
  }

  /** Cut the connection without a word, as a network does. */
  drop() {
    this.#socket.terminate();
  }

  close() {
    this.#isClosing = true;
    this.#socket.close(1000);
  }

  #take(text) {
    this.#dump.received("ws", text);
    const message = JSON.parse(text);
    this.#onMessage(message);
    const isPush = message.type === "push_message" || message.event !== undefined;
    if (isPush) this.#onPush(message);
    else this.#waiting.shift()?.(message);
  }

  async #lost(socket) {
    if (socket !== this.#socket) return;
    for (const answer of this.#waiting.splice(0)) answer(undefined);
    for (let attempt = 0; attempt < 20 && !this.#isClosing; attempt++) {
      await pause(RECONNECT_MS);
      try {
        await this.open();
        this.reconnects += 1;
        return;
      } catch {}
    }
  }
}
