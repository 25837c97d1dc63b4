/**
 * A client of A2G 1.0 (Agent-to-Game) over REST and a WebSocket: one login, any number of tables.
 *
 * This folder imports nothing from elsewhere, and may be copied: it runs in browsers, and in Node
 * from version 20 with a `WebSocket` class (such as the package `ws`) where Node has none.
 *
 *     const client = new A2GClient("http://127.0.0.1:4050", {
 *       onRequest: ({ tableId, payload }) => client.submit(tableId, choose(payload)),
 *     });
 *     await client.guest("Ada");
 *     client.connect();
 *     await client.join("main", { buyIn: 200 });
 *
 * The client keeps the connection up: it resumes after the last message that arrived, and takes no
 * message twice. An action that was sent when the connection broke is sent again under the same
 * `messageId` while its request is open, so that it counts once. It never acts by itself, and
 * derives no action from the state: choose one of `payload.availableActions`. A program acts
 * before `leftMs(request, 0.8)` is 0; at the end of the clock the server acts for the player.
 */
// @ts-check

/** @import { ConnectionState, Json, Login, Message } from "./connection.js" */

import { A2GError, Connection, envelope, Rest } from "./connection.js";

/**
 * @typedef {object} RequestParts
 * @property {string} tableId
 * @property {Json} payload
 * @property {number} endsAt The end of its clock, in the time of `performance.now()`.
 */
/** @typedef {Message & RequestParts} Request A message that asks for an action. */

/**
 * @typedef {object} Turn An open request.
 * @property {"DECIDING" | "SUBMITTED"} state
 * @property {Request} request
 * @property {Message | null} sent The action, once it was sent.
 */

/**
 * @typedef {object} Options
 * @property {any} [WebSocket] The class of the socket; by default the platform's.
 * @property {typeof globalThis.fetch} [fetch]
 * @property {Login | null} [login] A login of before, such as one that was kept over a reload.
 * @property {string | null} [lastSeen] `client.lastSeen` of before: what came later is sent again.
 * @property {(message: Message) => void} [onMessage] Gets every message once, in order.
 * @property {(request: Request) => void} [onRequest] An action is asked for.
 * @property {(tableId: string, why: string) => void} [onOver] A request is over: type or code.
 * @property {(error: A2GError) => void} [onError] An `error` or a `game_error`.
 * @property {(state: ConnectionState, error: A2GError | null) => void} [onState]
 */

const ASKS = new Set(["game_action_request", "betting_window_open"]);
const ENDS = new Set(["round_result", "betting_window_closed"]);
/** After these the same request is still open; after any other game error it is over. */
const STILL_OPEN = new Set(["INVALID_ACTION", "INVALID_AMOUNT"]);
const MOST_SEEN = 1_000;

export class A2GClient {
  /** @type {string | null} The id of the newest message about a table. */
  lastSeen;
  /** @type {Map<string, Turn>} Open requests, by table. */
  turns = new Map();
  /** @type {Map<string, string>} The own player's id, by table. */
  players = new Map();
  #options;
  #rest;
  #connection;
  /** The server's clock less `performance.now()`; the largest seen had the shortest way. */
  #offset = Number.NEGATIVE_INFINITY;
  /** @type {Set<string>} */
  #seen = new Set();

  /**
   * @param {string} gateway The server's base URL.
   * @param {Options} [options]
   */
  constructor(gateway, options = {}) {
    const base = gateway.replace(/\/+$/, "");
    this.#options = options;
    this.lastSeen = options.lastSeen ?? null;
    this.#rest = new Rest(base, options.fetch ?? globalThis.fetch.bind(globalThis));
    this.#rest.login = options.login ?? null;
    const Socket = options.WebSocket ?? globalThis.WebSocket;
    this.#connection = new Connection(`${base.replace(/^http/, "ws")}/ws`, Socket, {
      token: () => this.login?.token ?? "",
      begin: (message) => this.#begin(message),
      take: (message) => this.#receive(message),
      tell: (state, error) => options.onState?.(state, error),
    });
  }

  /** @returns {Login | null} */
  get login() {
    return this.#rest.login;
  }

  /** Whether actions can be sent now. */
  get isReady() {
    return this.#connection.isReady;
  }

  /**
   * Log in as a guest under a name. Throws A2GError, as every request does.
   * @param {string} displayName
   * @returns {Promise<Login>}
   */
  async guest(displayName) {
    const login = await this.request("POST", "/api/auth/guest", { displayName });
    this.#rest.login = login;
    return login;
  }

  /**
   * Take a seat; the answer has `tableId`, `playerId` and `seatNumber`.
   * @param {string} roomId
   * @param {{ buyIn?: number, seat?: number, displayName?: string, playerType?: string }} [wish]
   */
  async join(roomId, wish = {}) {
    const seat = await this.request("POST", `/api/rooms/${encodeURIComponent(roomId)}/join`, wish);
    this.players.set(String(seat.tableId), String(seat.playerId));
    return seat;
  }

  /**
   * Give a seat back.
   * @param {string} roomId
   */
  leave(roomId) {
    return this.request("POST", `/api/rooms/${encodeURIComponent(roomId)}/leave`, {});
  }

  /**
   * Return a game's specification: Markdown with the rules and the schemas of its payloads.
   * @param {string} gameType
   * @returns {Promise<string>}
   */
  specification(gameType) {
    return this.request("GET", `/api/games/${encodeURIComponent(gameType)}/spec`);
  }

  /**
   * Send any other request of the REST part, and return the body of its answer.
   * @param {string} method
   * @param {string} path
   * @param {Json} [body]
   * @returns {Promise<any>}
   */
  request(method, path, body) {
    return this.#rest.send(method, path, body);
  }

  /** Open the socket, and again whenever it is lost, until `close`. Needs a login. */
  connect() {
    this.#connection.open();
  }

  /** Close the socket for good. */
  close() {
    this.#connection.close();
  }

  /** Try again now, such as when the network is back. */
  wake() {
    this.#connection.wake();
  }

  /**
   * Send an action for the open request of a table; returns whether it was sent. The request ends
   * with `onOver`; after `onError` with INVALID_ACTION or INVALID_AMOUNT it is still open.
   * @param {string} tableId
   * @param {Json} payload Such as `{ action: "raise", amount: 40 }`, as the Action Schema says.
   */
  submit(tableId, payload) {
    const turn = this.turns.get(tableId);
    if (turn?.state !== "DECIDING" || !this.isReady) return false;
    turn.state = "SUBMITTED";
    turn.sent = { ...envelope("submit_action", payload), tableId };
    if (turn.request.gameType) turn.sent.gameType = turn.request.gameType;
    if (turn.request.turn !== undefined) turn.sent.turn = turn.request.turn;
    this.#connection.send(turn.sent);
    return true;
  }

  /**
   * Send any other message, such as `balance_query`; returns whether it was sent.
   * @param {string} type
   * @param {Json} payload
   * @param {string} [tableId]
   */
  send(type, payload, tableId) {
    if (!this.isReady) return false;
    const message = envelope(type, payload);
    this.#connection.send(tableId === undefined ? message : { ...message, tableId });
    return true;
  }

  /**
   * Return the time that is left for a request, in milliseconds.
   * @param {Request} request
   * @param {number} [share] The share of the clock that may be used.
   */
  leftMs({ timeoutSeconds = 0, endsAt }, share = 1) {
    return Math.max(0, endsAt - timeoutSeconds * 1000 * (1 - share) - performance.now());
  }

  /**
   * Go on after the login was accepted on a new socket.
   * @param {Message} message
   */
  #begin(message) {
    this.#note(message);
    const { sessionId } = message.payload ?? {};
    const login = this.login;
    if (this.lastSeen !== null) {
      const earlier = { sessionId: login?.sessionId ?? sessionId };
      const resume = { ...earlier, lastSeenMessageId: this.lastSeen };
      this.#connection.send(envelope("reconnect", resume));
    }
    if (login && typeof sessionId === "string") this.#rest.login = { ...login, sessionId };
  }

  /**
   * Learn the server's clock.
   * @param {Message} message
   */
  #note({ timestamp = Number.NEGATIVE_INFINITY }) {
    this.#offset = Math.max(this.#offset, timestamp - performance.now());
  }

  /** @param {Message} message */
  #receive(message) {
    this.#note(message);
    if (message.type !== "reconnect_state") return this.#take(message);
    this.#options.onMessage?.(message);
    const { missedMessages } = message.payload ?? {};
    if (Array.isArray(missedMessages)) for (const missed of missedMessages) this.#take(missed);
    return undefined;
  }

  /**
   * Take a message, unless it was taken before. An open request that comes again has not got the
   * action that was sent, which is therefore sent again.
   * @param {Message} message
   */
  #take(message) {
    const { type, messageId, tableId = "", payload = {} } = message;
    if (typeof messageId === "string") {
      if (this.#seen.has(messageId)) return this.#repeat(messageId, tableId);
      this.#remember(messageId);
      if (tableId) this.lastSeen = messageId;
    }
    if (ASKS.has(type)) this.#ask({ ...message, tableId, payload, endsAt: 0 });
    else if (ENDS.has(type)) this.#over(tableId, type);
    else if (type === "ack") {
      const { sent } = this.turns.get(tableId) ?? {};
      if (sent && payload.relatedMessageId === sent.messageId) this.#over(tableId, type);
    } else if (type === "player_action_broadcast") {
      const playerId = message.playerId ?? payload.playerId;
      const isOwn = playerId === this.players.get(tableId);
      if (isOwn && this.turns.get(tableId)?.state === "SUBMITTED") this.#over(tableId, type);
    } else if (type === "error" || type === "game_error") this.#fail(message);
    return this.#options.onMessage?.(message);
  }

  /** @param {string} messageId */
  #remember(messageId) {
    this.#seen.add(messageId);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= MOST_SEEN) break;
      this.#seen.delete(oldest);
    }
  }

  /** @type {(messageId: string, tableId: string) => void} */
  #repeat(messageId, tableId) {
    const turn = this.turns.get(tableId);
    if (turn?.sent && turn.request.messageId === messageId) this.#connection.send(turn.sent);
  }

  /** @param {Request} request */
  #ask(request) {
    const now = performance.now();
    const sentAt = (request.timestamp ?? Number.POSITIVE_INFINITY) - this.#offset;
    request.endsAt = Math.min(sentAt, now) + (request.timeoutSeconds ?? 0) * 1000;
    this.turns.set(request.tableId, { state: "DECIDING", request, sent: null });
    this.#options.onRequest?.(request);
  }

  /** @type {(tableId: string, why: string) => void} */
  #over(tableId, why) {
    if (this.turns.delete(tableId)) this.#options.onOver?.(tableId, why);
  }

  /** @param {Message} message */
  #fail({ type, tableId = "", payload = {} }) {
    const error = new A2GError(payload, { tableId });
    if (error.code === "DUPLICATE_MESSAGE") return; // it was taken before the connection broke
    if (type === "game_error") {
      const turn = this.turns.get(tableId);
      if (turn && STILL_OPEN.has(error.code)) [turn.state, turn.sent] = ["DECIDING", null];
      else this.#over(tableId, error.code);
    }
    this.#options.onError?.(error);
  }
}

export { A2GError } from "./connection.js";
