/**
 * How A2G is reached: requests over REST, and a socket that is opened again whenever it is lost.
 */
// @ts-check

/**
 * @typedef {object} Message The envelope of every message of the socket.
 * @property {string} type
 * @property {string} [messageId] A UUID; each is taken once.
 * @property {number} [sequence]
 * @property {number} [timestamp] Milliseconds since 1970, by the server's clock.
 * @property {string} [gameType]
 * @property {string} [tableId]
 * @property {string} [playerId] Who acted; like the next, an addition of A2A Casino.
 * @property {number} [handNumber]
 * @property {number} [turn] Of a request; sent with its action, so that it answers no other.
 * @property {number} [timeoutSeconds] The clock of a request, from its `timestamp`.
 * @property {Json} [payload]
 */

/**
 * @typedef {"connecting" | "ready" | "waiting" | "refused" | "closed"} ConnectionState
 *   `refused` and `closed` are final; `waiting` is before the next attempt.
 */

/**
 * @typedef {object} Owner What a connection needs and tells.
 * @property {() => string} token Of the login.
 * @property {(message: Message) => void} begin The login was accepted; messages can be sent.
 * @property {(message: Message) => void} take A message that is not about the connection.
 * @property {(state: ConnectionState, error: A2GError | null) => void} tell
 */

/** @typedef {Record<string, unknown>} Json */
/** @typedef {{ token: string, sessionId?: string | null, expiresAt?: unknown }} Login */

const VERSION = "1.0";
/** With these errors another attempt is of no use. */
const FINAL = new Set(["AUTH_INVALID", "AUTH_EXPIRED", "AUTH_REQUIRED", "VERSION_UNSUPPORTED"]);
/** Close codes after which the socket does not come back, with the code and message to tell. */
const FINAL_CODES = new Map([
  [1008, { code: "AUTH_INVALID", message: "The server refused the login." }],
  [4001, { code: "REPLACED", message: "A newer connection of this login took its place." }],
]);
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
const PING_MS = 10_000;
const SILENCE_MS = 25_000;

/** The socket: opened, logged in, kept alive, and opened again whenever it is lost. */
export class Connection {
  #url;
  #Socket;
  #owner;
  /** @type {any} */
  #socket = null;
  #isReady = false;
  #isStopped = true;
  #failures = 0;
  #heardAt = 0;
  /** @type {A2GError | null} The refusal that the server sent before it closes. */
  #refusal = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #pulse;

  /**
   * @param {string} url Such as `ws://127.0.0.1:4050/ws`.
   * @param {any} Socket The class of the socket.
   * @param {Owner} owner
   */
  constructor(url, Socket, owner) {
    this.#url = url;
    this.#Socket = Socket;
    this.#owner = owner;
  }

  /** Whether messages can be sent now. */
  get isReady() {
    return this.#isReady;
  }

  /** Open the socket, and again whenever it is lost, until `close`. */
  open() {
    this.#isStopped = false;
    this.#attempt();
  }

  /** Close the socket for good. */
  close() {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#drop();
    this.#owner.tell("closed", null);
  }

  /** Try again now, such as when the network is back. */
  wake() {
    if (this.#isStopped || this.#isReady) return;
    this.#failures = 0;
    this.#drop();
    this.#attempt();
  }

  /**
   * Send a message.
   * @param {Message} message
   */
  send(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  #attempt() {
    this.#owner.tell("connecting", null);
    const socket = new this.#Socket(this.#url);
    this.#socket = socket;
    this.#refusal = null;
    this.#heardAt = performance.now();
    socket.onmessage = (/** @type {{ data: unknown }} */ { data }) => {
      if (socket === this.#socket) this.#receive(String(data));
    };
    socket.onclose = (/** @type {{ code: number }} */ { code }) => {
      const refusal = FINAL_CODES.get(code);
      if (refusal) this.#refusal ??= new A2GError(refusal);
      if (socket === this.#socket) this.#lost();
    };
    socket.onerror = () => {}; // a close follows
    this.#pulse = setInterval(() => this.#beat(), PING_MS);
  }

  /** Forget the socket, whatever it still does. */
  #drop() {
    clearTimeout(this.#timer);
    clearInterval(this.#pulse);
    const socket = this.#socket;
    [this.#socket, this.#isReady] = [null, false];
    socket?.close();
  }

  #lost() {
    this.#drop();
    if (this.#refusal) {
      this.#isStopped = true;
      return this.#owner.tell("refused", this.#refusal);
    }
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 8);
    this.#timer = setTimeout(() => this.#attempt(), longest * (0.5 + Math.random() / 2));
    return this.#owner.tell("waiting", null);
  }

  #beat() {
    if (performance.now() - this.#heardAt > SILENCE_MS) this.#lost();
    else if (this.#isReady) this.send(envelope("heartbeat", { direction: "ping" }));
  }

  /** @param {string} text */
  #receive(text) {
    const message = /** @type {Message | null} */ (parsed(text));
    if (typeof message?.type !== "string") return;
    this.#heardAt = performance.now();
    const { type, payload = {} } = message;
    if (type === "hello") {
      const login = { token: this.#owner.token(), protocolVersion: VERSION };
      this.send(envelope("authenticate", login));
    } else if (type === "authenticated") {
      [this.#isReady, this.#failures] = [true, 0];
      this.#owner.begin(message);
      this.#owner.tell("ready", null);
    } else if (type === "heartbeat") {
      if (payload.direction === "ping") this.send(envelope("heartbeat", { direction: "pong" }));
    } else {
      if (type === "error" && FINAL.has(String(payload.code)))
        this.#refusal = new A2GError(payload);
      this.#owner.take(message);
      if (this.#refusal) this.#lost();
    }
  }
}

/**
 * Return a message with an envelope.
 * @param {string} type
 * @param {Json} payload
 * @returns {Message}
 */
export function envelope(type, payload) {
  const version = { protocolVersion: VERSION, timestamp: Date.now() };
  return { type, messageId: uuid(), ...version, payload };
}

/** Return a random UUID; `crypto.randomUUID` is missing on pages without TLS. */
function uuid() {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 15) | 64;
  bytes[8] = ((bytes[8] ?? 0) & 63) | 128;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A refusal: `code` is one of A2G's, `details` what came with it, `status` of HTTP (0: none). */
export class A2GError extends Error {
  /**
   * @param {Json | null | undefined} body
   * @param {{ status?: number, tableId?: string | null }} [where]
   */
  constructor(body, { status = 0, tableId = null } = {}) {
    super(String(body?.message || `The server answered with status ${status}.`));
    this.code = String(body?.code ?? "INTERNAL_ERROR");
    this.status = status;
    this.tableId = tableId;
    this.details = body ?? {};
  }
}

/** Sends requests to a server, with the token of the login once there is one. */
export class Rest {
  /** @type {Login | null} */
  login = null;
  #base;
  #fetch;

  /**
   * @param {string} base The server's base URL.
   * @param {typeof globalThis.fetch} fetch
   */
  constructor(base, fetch) {
    this.#base = base;
    this.#fetch = fetch;
  }

  /**
   * Return the body of an answer: JSON, or a text such as a specification. Throws A2GError, with
   * status 0 if there is no answer.
   * @param {string} method
   * @param {string} path
   * @param {Json} [body]
   * @returns {Promise<any>}
   */
  async send(method, path, body) {
    /** @type {Record<string, string>} */
    const headers = { accept: "application/json, text/markdown" };
    if (this.login) headers.authorization = `Bearer ${this.login.token}`;
    if (body) headers["content-type"] = "application/json";
    const content = body ? JSON.stringify(body) : null;
    let response;
    let text;
    try {
      response = await this.#fetch(this.#base + path, { method, headers, body: content });
      text = await response.text();
    } catch {
      throw new A2GError({ code: "INTERNAL_ERROR", message: "The server does not answer." });
    }
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    const answer = isJson ? parsed(text) : null;
    if (!response.ok) throw new A2GError(answer, { status: response.status });
    return isJson ? answer : text;
  }
}

/**
 * Return the object in a text, null if there is none.
 * @param {string} text
 * @returns {Json | null}
 */
export function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
