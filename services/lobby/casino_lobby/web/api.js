/** The lobby's REST as the page uses it; every refusal is a Problem that says what would be right. */

/** Return the address of a path of the lobby, wherever the page is served. */
export function url(path) {
  return new URL(path, document.baseURI).href;
}

/** An RFC 9457 problem; `errors` are {pointer, detail} of single fields. */
export class Problem extends Error {
  constructor(status, { title, detail, errors }) {
    super(detail || title || `The lobby answered with status ${status}.`);
    this.status = status;
    this.title = title ?? "";
    this.errors = Array.isArray(errors) ? errors : [];
  }

  static async of(reply) {
    let told = {};
    try {
      told = await reply.json();
    } catch {
      // not a problem document: the status has to say it
    }
    return new Problem(reply.status, told ?? {});
  }
}

let operator = null;

/** Show this operator's key to the lobby where it is needed. */
export function askWith(given) {
  operator = given;
}

/**
 * Ask the lobby; `isOperators` says that only an operator may. Where the lobby wants the key, or
 * another one, the operator is asked for it, and the request is sent again.
 * Throws Problem for every refusal, and what fetch throws.
 */
export async function ask(path, { headers, ...rest }, isOperators) {
  let isRefused = isOperators && operator.isMissing; // known without asking
  for (let token = null; ; isRefused = true) {
    if (isRefused && !(await operator.another(token, isOperators))) {
      throw new Problem(401, {
        title: "The operator’s key is needed",
        detail: "This lobby needs its operator’s key for that.",
      });
    }
    token = isOperators || operator.readsNeedKey ? operator.token : null;
    const shown = token === null ? headers : { ...headers, authorization: `Bearer ${token}` };
    const reply = await fetch(url(path), { ...rest, headers: shown });
    if (reply.ok) return reply;
    if (reply.status !== 401) throw await Problem.of(reply);
  }
}

async function send(method, path, { body, isOperators = method !== "GET" } = {}) {
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  const request = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
  let reply;
  try {
    reply = await ask(path, request, isOperators);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(0, {
      title: "No connection",
      detail: "The lobby does not answer. Is it running?",
    });
  }
  return reply.json();
}

const room = (roomId) => `v1/rooms/${encodeURIComponent(roomId)}`;

export const api = {
  games: () => send("GET", "api/games"),
  config: () => send("GET", "v1/config"),
  rooms: (after) =>
    send("GET", `v1/rooms?limit=100${after ? `&after=${encodeURIComponent(after)}` : ""}`),
  room: (roomId) => send("GET", room(roomId)),
  createRoom: (body) => send("POST", "v1/rooms", { body }),
  register: (roomId, body) => send("POST", `${room(roomId)}/players`, { body }),
  leave: (roomId, playerId) =>
    send("DELETE", `${room(roomId)}/players/${encodeURIComponent(playerId)}`),
  start: (roomId, body) => send("POST", `${room(roomId)}/start`, { body }),
  close: (roomId) => send("POST", `${room(roomId)}/close`),
  hands: (roomId, after) =>
    send(
      "GET",
      `${room(roomId)}/hands?order=newest&limit=200${after ? `&after=${encodeURIComponent(after)}` : ""}`,
    ),
  hand: (roomId, number) => send("GET", `${room(roomId)}/hands/${number}`),
  record: (roomId, number) =>
    send("GET", `${room(roomId)}/hands/${number}/record`, { isOperators: true }),
};

/** Return the address of a room's stream. */
export function roomStream(roomId, feed) {
  return `${room(roomId)}/stream?feed=${feed}`;
}
