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

async function send(method, path, { body, token } = {}) {
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (token) headers.authorization = `Bearer ${token}`;
  let reply;
  try {
    reply = await fetch(url(path), { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Problem(0, { title: "No connection", detail: "The lobby does not answer. Is it running?" });
  }
  if (!reply.ok) throw await Problem.of(reply);
  return reply.json();
}

const room = (roomId) => `v1/rooms/${encodeURIComponent(roomId)}`;

export const api = {
  games: () => send("GET", "api/games"),
  config: () => send("GET", "v1/config"),
  rooms: (after) => send("GET", `v1/rooms?limit=100${after ? `&after=${encodeURIComponent(after)}` : ""}`),
  room: (roomId) => send("GET", room(roomId)),
  createRoom: (body) => send("POST", "v1/rooms", { body }),
  register: (roomId, body) => send("POST", `${room(roomId)}/players`, { body }),
  leave: (roomId, playerId) => send("DELETE", `${room(roomId)}/players/${encodeURIComponent(playerId)}`),
  start: (roomId, body) => send("POST", `${room(roomId)}/start`, { body }),
  close: (roomId) => send("POST", `${room(roomId)}/close`),
  hands: (roomId, after) =>
    send("GET", `${room(roomId)}/hands?order=newest&limit=200${after ? `&after=${encodeURIComponent(after)}` : ""}`),
  hand: (roomId, number) => send("GET", `${room(roomId)}/hands/${number}`),
  record: (roomId, number, token) => send("GET", `${room(roomId)}/hands/${number}/record`, { token }),
};

/** Return the address of a room's stream. */
export function roomStream(roomId, feed) {
  return `${room(roomId)}/stream?feed=${feed}`;
}
