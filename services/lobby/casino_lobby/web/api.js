/** The lobby's REST interface as the page uses it; a refused request throws a Problem. */
// @ts-check

/** @import { Operator } from "./operator.js" */
/** @import { Feed, Fields, Games, HandEvents, HandRecord, HandsPage, LobbyConfig, NetSeries, PlayerFaults, Room, RoomSummary, Seated, Standings, TableList, TakenSeat } from "./types.js" */

import { isEmbedded, ROOT } from "./router.js";

/**
 * Return the address of a path of the lobby, wherever the page is served.
 * @param {string} path
 */
export function url(path) {
  return new URL(ROOT + path, document.baseURI).href;
}

/** A problem document by RFC 9457; `errors` has the faults of single fields. */
export class Problem extends Error {
  /**
   * @param {number} status The HTTP status; 0 without a response.
   * @param {{ type?: string, title?: string, detail?: string, errors?: { pointer: string, detail: string }[] }} document
   */
  constructor(status, { type, title, detail, errors }) {
    super(detail || title || `The lobby answered with status ${status}.`);
    this.status = status;
    this.title = title ?? "";
    /** The problem's kind, such as "room-exists"; "" without one. */
    this.kind =
      String(type ?? "")
        .split("/")
        .at(-1) ?? "";
    this.errors = Array.isArray(errors) ? errors : [];
  }

  /**
   * Return the problem of a response.
   * @param {Response} response
   */
  static async of(response) {
    let document = {};
    try {
      document = await response.json();
    } catch {
      // no problem document: the status has to be enough
    }
    return new Problem(response.status, document ?? {});
  }
}

/** @type {Operator | null} */
let operator = null;

/**
 * Use this operator's key in requests that need it.
 * @param {Operator} keyHolder
 */
export function useOperator(keyHolder) {
  operator = keyHolder;
}

/**
 * Send a request to the lobby. If the lobby wants the key or rejects it, the operator is asked for
 * one, and the request is sent again. Throws Problem for every refusal, and what fetch throws.
 * @param {string} path
 * @param {Omit<RequestInit, "headers"> & { headers: Record<string, string> }} request
 * @param {boolean} isOperators Whether only an operator may send it.
 */
export async function fetchWithKey(path, { headers, ...rest }, isOperators) {
  if (isEmbedded && (isOperators || (rest.method ?? "GET") !== "GET")) {
    throw new Problem(403, { detail: "Commands are sent from the casino’s own page." });
  }
  /** @type {string | null} */
  let token = null;
  let isRefused = isOperators && operator?.isMissing; // then the lobby would refuse it
  for (;;) {
    if (isRefused && (isEmbedded || !(await operator?.requestKey(token, isOperators)))) {
      throw new Problem(401, {
        title: "The operator’s key is needed",
        detail: isOperators
          ? "Enter the operator key first: this lobby takes commands from its operator only."
          : "This lobby needs its operator’s key for that.",
      });
    }
    token = operator && (isOperators || operator.readsNeedKey) ? operator.token : null;
    const allHeaders = token === null ? headers : { ...headers, authorization: `Bearer ${token}` };
    const response = await fetch(url(path), { ...rest, headers: allHeaders });
    if (response.ok) return response;
    if (response.status !== 401) throw await Problem.of(response);
    isRefused = true;
  }
}

/**
 * Send a request and return the JSON of the response.
 * @param {string} method
 * @param {string} path
 * @param {{ body?: unknown, isOperators?: boolean }} [options]
 */
async function send(method, path, { body, isOperators = method !== "GET" } = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  const request = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
  let response;
  try {
    response = await fetchWithKey(path, request, isOperators);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(0, {
      title: "No connection",
      detail: "The lobby does not answer. Is it running?",
    });
  }
  return response.json();
}

/** @param {string} roomId */
function roomPath(roomId) {
  return `v1/rooms/${encodeURIComponent(roomId)}`;
}

/** @param {string | null} cursor */
function afterParameter(cursor) {
  return cursor ? `&after=${encodeURIComponent(cursor)}` : "";
}

/** @param {number | null} epoch */
function epochQuery(epoch) {
  return epoch === null ? "" : `?epoch=${epoch}`;
}

/** The lobby's routes, each with the type of its response. */
export const api = {
  /** @returns {Promise<Games>} */
  games: () => send("GET", "api/games"),

  /** @returns {Promise<LobbyConfig>} */
  config: () => send("GET", "v1/config"),

  /** @returns {Promise<TableList>} */
  tables: () => send("GET", "v1/tables"),

  /**
   * With as many events as a small board needs: those of a hand.
   * @type {(roomId: string) => Promise<Room>}
   */
  room: (roomId) => send("GET", `${roomPath(roomId)}?events=60`),

  /** @type {(body: Fields) => Promise<RoomSummary>} */
  createRoom: (body) => send("POST", "v1/rooms", { body }),

  /** @type {(roomId: string, body: Fields) => Promise<TakenSeat>} */
  register: (roomId, body) => send("POST", `${roomPath(roomId)}/players`, { body }),

  /** @type {(roomId: string, playerId: string) => Promise<Seated>} */
  leave: (roomId, playerId) =>
    send("DELETE", `${roomPath(roomId)}/players/${encodeURIComponent(playerId)}`),

  /**
   * The reasons come only with the operator's key, which is sent if there is one.
   * @type {(roomId: string, playerId: string) => Promise<PlayerFaults>}
   */
  faults: (roomId, playerId) =>
    send("GET", `${roomPath(roomId)}/players/${encodeURIComponent(playerId)}/faults`, {
      isOperators: operator?.token != null,
    }),

  /** @type {(roomId: string) => Promise<Standings>} */
  standings: (roomId) => send("GET", `${roomPath(roomId)}/standings`),

  /** @type {(roomId: string) => Promise<NetSeries>} */
  series: (roomId) => send("GET", `${roomPath(roomId)}/series`),

  /** @type {(roomId: string, body: Fields) => Promise<unknown>} */
  start: (roomId, body) => send("POST", `${roomPath(roomId)}/start`, { body }),

  /** @type {(roomId: string) => Promise<unknown>} */
  close: (roomId) => send("POST", `${roomPath(roomId)}/close`),

  /** @type {(roomId: string, cursor: string | null) => Promise<HandsPage>} */
  hands: (roomId, cursor) =>
    send("GET", `${roomPath(roomId)}/hands?order=newest&limit=200${afterParameter(cursor)}`),

  /** @type {(roomId: string, query: Record<string, string>) => Promise<HandsPage>} */
  chosenHands: (roomId, query) =>
    send("GET", `${roomPath(roomId)}/hands?${new URLSearchParams(query)}`),

  /**
   * Of two hands with the same number the newest, unless an epoch is named.
   * @type {(roomId: string, number: number, epoch?: number | null) => Promise<HandEvents>}
   */
  hand: (roomId, number, epoch = null) =>
    send("GET", `${roomPath(roomId)}/hands/${number}${epochQuery(epoch)}`),

  /** @type {(roomId: string, number: number, epoch?: number | null) => Promise<HandRecord>} */
  record: (roomId, number, epoch = null) =>
    send("GET", `${roomPath(roomId)}/hands/${number}/record${epochQuery(epoch)}`, {
      isOperators: true,
    }),
};

/**
 * Return whether the lobby takes a key for its operator's; null if a lobby does not say so.
 * @param {string} token
 * @returns {Promise<boolean | null>}
 */
export async function isOperatorsKey(token) {
  let response;
  try {
    const headers = { accept: "application/json", authorization: `Bearer ${token}` };
    response = await fetch(url("v1/config"), { headers });
  } catch {
    throw new Problem(0, { detail: "The lobby does not answer. Is it running?" });
  }
  if (response.status === 401) return false;
  if (!response.ok) return null;
  const { isOperator } = await response.json();
  return typeof isOperator === "boolean" ? isOperator : null;
}

/**
 * Return the path of a room's stream.
 * @param {string} roomId
 * @param {Feed} feed
 */
export function roomStream(roomId, feed) {
  return `${roomPath(roomId)}/stream?feed=${feed}`;
}
