/**
 * One stream of the lobby that lasts: it reads, resumes after the last event it has heard, and
 * waits longer after each failure. `fetch` rather than EventSource, because that cannot show a
 * key and tells nobody why it was refused.
 */

import { ask, Problem } from "./api.js";
import { SseParser } from "./sse.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const SILENCE_MS = 45_000; // three heartbeats
const LOOK_MS = 5_000;

export class Stream {
  #path;
  #hear;
  #tell;
  #isOperators;
  #lastId = null;
  #abort = null;
  #failures = 0;
  #heard = 0;
  #isStopped = false;
  #wake = null;
  #onOnline = () => this.#wake?.();

  /**
   * `hear(name, data, id)` gets every event, its data read already.
   * `tell(state)` gets {kind: "connecting" | "live" | "waiting" | "refused" | "ended", …}.
   * `isOperators` says that only an operator may hear it.
   */
  constructor(path, { hear, tell, isOperators = false }) {
    this.#path = path;
    this.#hear = hear;
    this.#tell = tell;
    this.#isOperators = isOperators;
  }

  start() {
    addEventListener("online", this.#onOnline);
    this.#run();
  }

  stop() {
    this.#isStopped = true;
    removeEventListener("online", this.#onOnline);
    this.#abort?.abort();
    this.#wake?.();
  }

  /** Forget where it was, and begin again with a snapshot. */
  restart() {
    this.#lastId = null;
    this.#abort?.abort();
  }

  async #run() {
    while (!this.#isStopped) {
      this.#tell({ kind: "connecting", isFirst: this.#lastId === null });
      try {
        await this.#read();
        this.#failures += 1; // an end nobody asked for
      } catch (error) {
        if (error instanceof Problem && error.status < 500 && error.status !== 429) {
          this.#tell({ kind: "refused", problem: error });
          return;
        }
        this.#failures += 1;
      }
      if (!this.#isStopped) await this.#wait();
    }
    this.#tell({ kind: "ended" });
  }

  async #read() {
    this.#abort = new AbortController();
    const headers = { accept: "text/event-stream" };
    if (this.#lastId !== null) headers["last-event-id"] = this.#lastId;
    const watch = setInterval(() => {
      if (performance.now() - this.#heard > SILENCE_MS) this.#abort.abort();
    }, LOOK_MS);
    this.#heard = performance.now();
    try {
      const request = { headers, signal: this.#abort.signal, cache: "no-store" };
      const reply = await ask(this.#path, request, this.#isOperators);
      this.#heard = performance.now(); // an operator may have taken their time to find the key
      this.#tell({ kind: "live" });
      const parser = new SseParser((name, data, id) => this.#take(name, data, id));
      const text = new TextDecoder();
      const reader = reply.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#isStopped) return;
        this.#heard = performance.now();
        parser.feed(text.decode(value, { stream: true }));
      }
    } finally {
      clearInterval(watch);
      this.#abort.abort();
    }
  }

  #take(name, data, id) {
    if (this.#isStopped) return;
    let value;
    try {
      value = JSON.parse(data);
    } catch {
      return; // cut by a proxy; the next connection brings it again
    }
    this.#failures = 0; // not before: who is let in and dropped at once shall wait longer
    if (id !== null) this.#lastId = id; // before: who hears it may want to begin anew
    if (name !== "lagged") this.#hear(name, value, id);
  }

  /** Wait, longer after each failure and never in step with others; less when the network is back. */
  async #wait() {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#failures - 1, 8));
    const waitMs = longest * (0.5 + Math.random() / 2);
    this.#tell({ kind: "waiting", waitMs });
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }
}
