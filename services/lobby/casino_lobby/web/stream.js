/**
 * A lasting connection to a stream of the lobby, and the server-sent events in it.
 *
 * It resumes after the last event that arrived, and waits longer after each failure. It uses `fetch`,
 * because EventSource can neither send a key nor report why it was refused.
 */
// @ts-check

/** @import { ConnectionState } from "./types.js" */

import { fetchWithKey, Problem } from "./api.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const QUIET_MS = 20_000; // a heartbeat is overdue
const SILENCE_MS = 45_000; // three heartbeats
const CHECK_MS = 5_000;

/** @template Message */
export class Stream {
  #path;
  #onMessage;
  #onConnection;
  #isOperators;
  /** @type {string | null} */
  #lastId = null;
  /** @type {AbortController | null} */
  #abort = null;
  #failures = 0;
  #receivedAt = 0;
  #isQuiet = false;
  #isStopped = false;
  /** @type {(() => void) | null} Ends the wait before the next connection. */
  #wake = null;
  #onOnline = () => this.#wake?.();

  /**
   * @param {string} path
   * @param {object} options
   * @param {(message: Message) => void} options.onMessage Called for every event of the stream,
   *   with its name and its parsed data.
   * @param {(state: ConnectionState) => void} options.onConnection
   * @param {boolean} [options.isOperators] Whether only an operator may receive the stream.
   */
  constructor(path, { onMessage, onConnection, isOperators = false }) {
    this.#path = path;
    this.#onMessage = onMessage;
    this.#onConnection = onConnection;
    this.#isOperators = isOperators;
  }

  /** Connect, and connect again whenever the connection is lost. */
  start() {
    addEventListener("online", this.#onOnline);
    this.#run();
  }

  /** Close the connection for good. */
  stop() {
    this.#isStopped = true;
    removeEventListener("online", this.#onOnline);
    this.#abort?.abort();
    this.#wake?.();
  }

  /** Connect anew, beginning with a snapshot. */
  restart() {
    this.#lastId = null;
    this.#abort?.abort();
  }

  async #run() {
    while (!this.#isStopped) {
      this.#onConnection({ kind: "connecting", isFirst: this.#lastId === null });
      try {
        await this.#read();
        this.#failures += 1; // the lobby closed it
      } catch (error) {
        if (error instanceof Problem && error.status < 500 && error.status !== 429) {
          this.#onConnection({ kind: "refused", problem: error });
          return;
        }
        this.#failures += 1;
      }
      if (!this.#isStopped) await this.#wait();
    }
    this.#onConnection({ kind: "ended" });
  }

  async #read() {
    const abort = new AbortController();
    this.#abort = abort;
    /** @type {Record<string, string>} */
    const headers = { accept: "text/event-stream" };
    if (this.#lastId !== null) headers["last-event-id"] = this.#lastId;
    const watch = setInterval(() => {
      const silenceMs = performance.now() - this.#receivedAt;
      if (silenceMs > SILENCE_MS) abort.abort();
      else if (silenceMs > QUIET_MS) this.#reportSilence(silenceMs);
    }, CHECK_MS);
    this.#receivedAt = performance.now();
    this.#isQuiet = false;
    try {
      /** @type {{ headers: Record<string, string>, signal: AbortSignal, cache: "no-store" }} */
      const request = { headers, signal: abort.signal, cache: "no-store" };
      const response = await fetchWithKey(this.#path, request, this.#isOperators);
      this.#receivedAt = performance.now(); // an operator may have needed time to enter the key
      this.#onConnection({ kind: "live" });
      const parser = new SseParser((name, data, id) => this.#take(name, data, id));
      const text = new TextDecoder();
      const reader = response.body?.getReader();
      if (!reader) return;
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#isStopped) return;
        this.#receivedAt = performance.now();
        if (this.#isQuiet) this.#onConnection({ kind: "live" });
        this.#isQuiet = false;
        parser.feed(text.decode(value, { stream: true }));
      }
    } finally {
      clearInterval(watch);
      abort.abort();
    }
  }

  /** @param {number} silenceMs */
  #reportSilence(silenceMs) {
    this.#isQuiet = true;
    this.#onConnection({ kind: "silent", seconds: Math.floor(silenceMs / 1000), isLost: true });
  }

  /**
   * @param {string} name
   * @param {string} data
   * @param {string | null} id
   */
  #take(name, data, id) {
    if (this.#isStopped) return;
    let message;
    try {
      message = /** @type {Message} */ ({ name, data: JSON.parse(data) });
    } catch {
      return; // cut by a proxy; the next connection brings it again
    }
    this.#failures = 0; // only now: connections that end at once have to wait longer
    if (id !== null) this.#lastId = id; // before the call, which may restart the stream
    if (name !== "lagged") this.#onMessage(message);
  }

  /** Wait, longer after each failure and for a random part; the network's return ends the wait. */
  async #wait() {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#failures - 1, 8));
    const waitMs = longest * (0.5 + Math.random() / 2);
    this.#onConnection({ kind: "waiting", waitMs, isLost: this.#failures > 1 });
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
    this.#wake = null;
  }
}

/** Parses server-sent events out of a stream of text, by the rules of the HTML standard. */
export class SseParser {
  #rest = "";
  /** @type {string[]} */
  #data = [];
  #name = "";
  /** @type {string | null} */
  #id = null;
  #emit;

  /**
   * @param {(name: string, data: string, id: string | null) => void} emit Called for every event;
   *   `id` is null where the event has none.
   */
  constructor(emit) {
    this.#emit = emit;
  }

  /**
   * Parse the next piece of text; lines and events may be cut anywhere.
   * @param {string} text
   */
  feed(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#parse(line);
  }

  /** @param {string} line */
  #parse(line) {
    if (line === "") return this.#dispatch();
    if (line.startsWith(":")) return undefined;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#name = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #dispatch() {
    const [name, data, id] = [this.#name || "message", this.#data, this.#id];
    [this.#name, this.#data, this.#id] = ["", [], null];
    if (data.length > 0) this.#emit(name, data.join("\n"), id);
  }
}
