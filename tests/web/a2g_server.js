/**
 * A small A2G server in memory, written from the protocol's documents: REST answers through
 * `fetch`, and sockets of the class `WebSocket`. It keeps one table, "t1", and repeats an open
 * request and missed messages to a socket that comes back.
 */

let ids = 0;

export class A2GServer {
  sockets = [];
  /** Every message of clients, without heartbeats. */
  heard = [];
  requests = [];
  tokens = new Set();
  seats = new Map();
  /** What is sent to every socket that logs in, besides what it missed. */
  open = null;
  #log = [];
  #sequence = 0;

  constructor() {
    const server = this;
    this.fetch = (url, request) => this.#answer(new URL(url), request);
    this.WebSocket = class {
      constructor(url) {
        this.url = url;
        server.sockets.push(this);
        setImmediate(() => server.accepts && server.tell(this, "hello", HELLO));
        if (!server.accepts) setImmediate(() => this.close(1006));
      }
      send(text) {
        if (this.isClosed) throw new Error("the socket is closed");
        server.hear(this, JSON.parse(text));
      }
      close(code = 1000) {
        if (this.isClosed) return;
        this.isClosed = true;
        setImmediate(() => this.onclose?.({ code, reason: "" }));
      }
    };
  }

  accepts = true;

  get socket() {
    return this.sockets.at(-1);
  }

  /** Return a login that the server knows. */
  login() {
    const login = { token: `token-${++ids}`, sessionId: `session-${ids}`, expiresAt: "later" };
    this.tokens.add(login.token);
    return login;
  }

  /** Send a message that is no table's. */
  tell(socket, type, payload, more = {}) {
    const messageId = `m${++ids}`;
    const message = { type, messageId, protocolVersion: "1.0", timestamp: Date.now(), payload };
    const text = JSON.stringify({ ...message, ...more });
    if (!socket.isClosed) socket.onmessage?.({ data: text });
    return JSON.parse(text);
  }

  /** Send a message of the table; it is kept for those who miss it. */
  emit(type, payload, more = {}) {
    const envelope = { tableId: "t1", gameType: "kuhn_poker", sequence: ++this.#sequence, ...more };
    const sent = this.tell(this.socket ?? { isClosed: true }, type, payload, envelope);
    this.#log.push(sent);
    return sent;
  }

  /** Ask for an action; asked again until `open` is null. */
  ask(availableActions, more = {}) {
    const payload = { public: {}, private: {}, availableActions };
    this.open = this.emit("game_action_request", payload, { timeoutSeconds: 10, ...more });
    return this.open;
  }

  /** Break the connection, as a network does. */
  cut() {
    const { socket } = this;
    socket.isClosed = true;
    socket.onclose?.({ code: 1006, reason: "" });
  }

  hear(socket, message) {
    if (message.type !== "heartbeat") this.heard.push(message);
    const { payload } = message;
    if (message.type === "authenticate") {
      if (!this.tokens.has(payload.token)) {
        this.tell(socket, "error", { code: "AUTH_INVALID", message: "No such token." });
        return socket.close(1008);
      }
      this.tell(socket, "authenticated", { sessionId: `s-${payload.token}`, balance: 0 });
      if (this.open) socket.onmessage?.({ data: JSON.stringify(this.open) });
    } else if (message.type === "reconnect") {
      const seen = this.#log.findIndex(({ messageId }) => messageId === payload.lastSeenMessageId);
      const missedMessages = this.#log.slice(seen + 1);
      this.tell(socket, "reconnect_state", { tableId: "t1", currentState: {}, missedMessages });
    }
    return undefined;
  }

  #answer({ pathname }, { method, headers, body }) {
    const sent = body ? JSON.parse(body) : null;
    this.requests.push({ method, pathname, body: sent, authorization: headers.authorization });
    if (pathname === "/api/auth/guest") return Response.json({ ...this.login(), ...sent });
    if (!this.tokens.has(headers.authorization?.replace("Bearer ", "")))
      return Response.json({ code: "AUTH_REQUIRED", message: "Log in." }, { status: 401 });
    if (pathname === "/api/games/kuhn_poker/spec")
      return new Response("# Kuhn", { headers: { "content-type": "text/markdown" } });
    if (pathname === "/api/rooms/full/join")
      return Response.json({ code: "TABLE_FULL", message: "No seat is free." }, { status: 409 });
    if (pathname.endsWith("/join"))
      return Response.json({ tableId: "t1", playerId: "p1", seatNumber: 2, ...sent });
    return Response.json({ ok: true });
  }
}

const HELLO = {
  serverId: "stub",
  supportedGames: ["kuhn_poker"],
  capabilities: { provablyFair: false, multiTable: true },
};

/** Let everything happen that does not wait for a timer. */
export async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
