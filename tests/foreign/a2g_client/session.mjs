// A login's WebSocket: hello, authenticate, heartbeat, sequence, duplicates, reconnect.

import { setTimeout as pause } from "node:timers/promises";
import WebSocket from "ws";

const PROTOCOL_VERSION = "1.0";
const MAX_BYTES = 64 * 1024;
const RECONNECT_MS = 100;
const OPENING_MS = 10_000;

export class Session {
  #url;
  #token;
  #dump;
  #statistics;
  #onMessage;
  #onResumed;
  #onFatal;
  #socket;
  #sessionId;
  #lastMessageId;
  #sequence;
  #seen = new Set();
  #queue = Promise.resolve();
  #isClosing = false;
  /** Counts the sockets of this login. */
  connection = 0;

  /** `onMessage` takes one message of a table or an `error`; `onResumed` comes after a reconnect. */
  constructor(origin, token, dump, statistics, { onMessage, onResumed, onFatal }) {
    this.#url = `${origin.replace(/^http/, "ws").replace(/\/$/, "")}/ws`;
    this.#token = token;
    this.#dump = dump;
    this.#statistics = statistics;
    this.#onMessage = onMessage;
    this.#onResumed = onResumed;
    this.#onFatal = onFatal;
  }

  /** Open the socket and sign in; resolves once the server has said `authenticated`. */
  async open() {
    const socket = new WebSocket(this.#url, { maxPayload: MAX_BYTES });
    this.#socket = socket;
    this.#sequence = undefined;
    this.connection += 1;
    const inbox = [];
    let wake = () => {};
    let isOver = false;
    socket.on("message", (data, isBinary) => {
      if (this.#socket !== socket) return;
      const text = data.toString();
      this.#dump.received("ws", text);
      if (isBinary) this.#statistics.keep("violations", "a binary frame");
      inbox.push(text);
      wake();
    });
    socket.on("error", () => {});
    socket.on("close", (code, reason) => {
      isOver = true;
      wake();
      this.#lost(socket, code, reason.toString());
    });
    const next = async () => {
      const limit = pause(OPENING_MS, undefined, { ref: false }).then(() => {
        throw new Error("the server is silent at the opening");
      });
      while (inbox.length === 0) {
        if (isOver) throw new Error("the socket was closed at the opening");
        await Promise.race([new Promise((resolve) => (wake = resolve)), limit]);
      }
      return JSON.parse(inbox.shift());
    };
    const hello = await next();
    if (hello.type !== "hello") throw new Error(`the first message is ${hello.type}, not hello`);
    this.hello = hello;
    this.#send("authenticate", { token: this.#token, protocolVersion: PROTOCOL_VERSION });
    const answer = await next();
    if (answer.type !== "authenticated") {
      throw new Error(`not authenticated: ${JSON.stringify(answer)}`);
    }
    const isReturn = this.#sessionId !== undefined;
    if (isReturn) {
      const payload = { sessionId: this.#sessionId };
      if (this.#lastMessageId !== undefined) payload.lastSeenMessageId = this.#lastMessageId;
      this.#send("reconnect", payload);
    } else {
      this.#sessionId = answer.payload.sessionId;
    }
    wake = () => {
      while (inbox.length > 0) this.#enqueue(inbox.shift());
    };
    wake();
  }

  /** Send a message; tells whether there was a connection to send it on. */
  send(message) {
    const text = JSON.stringify(message);
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#dump.sent("ws", text);
    this.#socket.send(text);
    return true;
  }

  /** Cut the connection without a word, as a network does. */
  drop() {
    this.#socket?.terminate();
  }

  close() {
    this.#isClosing = true;
    this.#socket?.close(1000);
  }

  #send(type, payload) {
    this.send({
      type,
      messageId: crypto.randomUUID(),
      protocolVersion: PROTOCOL_VERSION,
      timestamp: Date.now(),
      payload,
    });
  }

  /** Messages are taken one after the other, in the order of their arrival. */
  #enqueue(text) {
    this.#queue = this.#queue.then(() => this.#take(JSON.parse(text))).catch(this.#onFatal);
  }

  async #take(message, isMissed = false) {
    const { type, messageId, payload } = message;
    this.#statistics.count("received", type);
    this.#follow(message, isMissed);
    if (type === "heartbeat") {
      if (payload?.direction === "ping") this.#send("heartbeat", { direction: "pong" });
      return;
    }
    if (type === "reconnect_state") {
      for (const missed of payload.missedMessages ?? []) {
        this.#statistics.missed += 1;
        await this.#take(missed, true);
      }
    }
    if (typeof messageId === "string") {
      if (this.#seen.has(messageId)) {
        this.#statistics.duplicates += 1;
        return;
      }
      this.#seen.add(messageId);
      this.#lastMessageId = messageId;
    } else {
      this.#statistics.keep("violations", `${type} has no messageId`);
    }
    if (type === "session_expiring") this.#send("session_extend", {});
    if (type === "reconnect_state") this.#onResumed(message);
    else await this.#onMessage(message);
  }

  /** On a connection numbers rise by one; what was missed in between has its own numbers. */
  #follow({ sequence, type }, isMissed) {
    if (isMissed || typeof sequence !== "number") return;
    if (this.#sequence !== undefined && sequence !== this.#sequence + 1) {
      this.#statistics.gaps += 1;
      const expected = this.#sequence + 1;
      this.#statistics.keep("refusals", `${type}: sequence ${sequence} instead of ${expected}`);
    }
    this.#sequence = sequence;
  }

  async #lost(socket, code, reason) {
    if (this.#isClosing || this.#socket !== socket) return;
    if (this.#sessionId === undefined) return;
    this.#statistics.reconnects += 1;
    this.#statistics.keep("refusals", `closed with ${code} ${reason}`);
    for (let attempt = 0; ; attempt++) {
      await pause(RECONNECT_MS * 2 ** Math.min(attempt, 5));
      if (this.#isClosing) return;
      try {
        await this.open();
        return;
      } catch (error) {
        if (attempt === 9) this.#onFatal(error);
      }
    }
  }
}
