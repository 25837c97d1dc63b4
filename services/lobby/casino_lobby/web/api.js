/** The lobby's REST interface as the page uses it; a refused request throws a Problem. */
// @ts-check

/** @import { Career, CareerList, HighlightList, League, LeagueList, MatchHand, MatchList, MatchResult } from "./matches/match_types.js" */
/** @import { Operator } from "./operator.js" */
/** @import { MyPlace } from "./router.js" */
/** @import { Feed, Fields, Games, HandEvents, HandProof, HandRecord, HandsPage, LobbyConfig, NetSeries, OwnDetail, OwnOrder, OwnPage, PlayerFaults, Room, RoomSummary, Seated, Standings, TableList, TakenSeat } from "./types.js" */

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
 * Send a request and return the JSON of the response; throws Problem, without an answer too.
 * @param {string} method
 * @param {string} path
 * @param {object} [options]
 * @param {unknown} [options.body]
 * @param {boolean} [options.isOperators] Whether only an operator may send it.
 * @param {string} [options.key] A key to send in place of the operator's.
 */
async function send(method, path, { body, isOperators = method !== "GET", key } = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (key !== undefined) headers.authorization = `Bearer ${key}`;
  const request = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
  let response;
  try {
    response =
      key === undefined
        ? await fetchWithKey(path, request, isOperators)
        : await fetch(url(path), { ...request, cache: "no-store" });
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(0, { detail: "The lobby does not answer. Is it running?" });
  }
  if (!response.ok) throw await Problem.of(response);
  return response.json();
}

/** @param {string} roomId */
function roomPath(roomId) {
  return `v1/rooms/${encodeURIComponent(roomId)}`;
}

/**
 * @param {string} roomId
 * @param {string} playerId
 */
function playerPath(roomId, playerId) {
  return `${roomPath(roomId)}/players/${encodeURIComponent(playerId)}`;
}

/** @param {Record<string, string | number | null>} values Those that are null are left out. */
function query(values) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== null) search.append(name, String(value));
  return search.size > 0 ? `?${search}` : "";
}

/**
 * Return the path of what a hand's deal is checked by.
 * @param {string} roomId
 * @param {number} number
 * @param {number | null} [epoch] The newest hand with this number by default.
 */
export function proofPath(roomId, number, epoch = null) {
  return `${roomPath(roomId)}/hands/${number}/proof${query({ epoch })}`;
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
  leave: (roomId, playerId) => send("DELETE", playerPath(roomId, playerId)),

  /**
   * The reasons come only with the operator's key, which is sent if there is one.
   * @type {(roomId: string, playerId: string) => Promise<PlayerFaults>}
   */
  faults: (roomId, playerId) =>
    send("GET", `${playerPath(roomId, playerId)}/faults`, {
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
    send(
      "GET",
      `${roomPath(roomId)}/hands${query({ order: "newest", limit: 200, after: cursor })}`,
    ),

  /** @type {(roomId: string, choice: Record<string, string>) => Promise<HandsPage>} */
  chosenHands: (roomId, choice) => send("GET", `${roomPath(roomId)}/hands${query(choice)}`),

  /**
   * Of two hands with the same number the newest, unless an epoch is named.
   * @type {(roomId: string, number: number, epoch?: number | null) => Promise<HandEvents>}
   */
  hand: (roomId, number, epoch = null) =>
    send("GET", `${roomPath(roomId)}/hands/${number}${query({ epoch })}`),

  /** @type {(roomId: string, number: number, epoch?: number | null) => Promise<HandProof>} */
  proof: (roomId, number, epoch = null) => send("GET", proofPath(roomId, number, epoch)),

  /** @type {(roomId: string, number: number, epoch?: number | null) => Promise<HandRecord>} */
  record: (roomId, number, epoch = null) =>
    send("GET", `${roomPath(roomId)}/hands/${number}/record${query({ epoch })}`, {
      isOperators: true,
    }),

  /** @type {(place: MyPlace, key: string, order: OwnOrder, after: string | null) => Promise<OwnPage>} */
  ownHands: ({ room, player }, key, order, after) =>
    send("GET", `${playerPath(room, player)}/hands${query({ order, after })}`, { key }),

  /** @type {(place: MyPlace, key: string, hand: { epoch: number, number: number }) => Promise<OwnDetail>} */
  ownHand: ({ room, player }, key, { epoch, number }) =>
    send("GET", `${playerPath(room, player)}/hands/${number}${query({ epoch })}`, { key }),

  /** @type {(choice?: Record<string, string | number>) => Promise<CareerList>} */
  players: (choice = {}) => send("GET", `v1/players${query(choice)}`),

  /** @type {(id: string) => Promise<Career>} */
  player: (id) => send("GET", `v1/players/${encodeURIComponent(id)}`),

  /** @type {(limit: number) => Promise<HighlightList>} */
  highlights: (limit) => send("GET", `v1/highlights${query({ limit })}`),

  /**
   * A page of matches, chosen by players and by where it begins.
   * @type {(choice?: Record<string, string | number>) => Promise<MatchList>}
   */
  matches: (choice = {}) => send("GET", `v1/matches${query(choice)}`),

  /** @type {(choice?: Record<string, string | number>) => Promise<LeagueList>} */
  leagues: (choice = {}) => send("GET", `v1/leagues${query(choice)}`),

  /** @type {(id: string) => Promise<MatchResult>} */
  match: (id) => send("GET", `v1/matches/${encodeURIComponent(id)}`),

  /**
   * A notable hand; they count from 1.
   * @type {(id: string, hand: number) => Promise<MatchHand>}
   */
  matchHand: (id, hand) => send("GET", `v1/matches/${encodeURIComponent(id)}/hands/${hand}`),

  /** @type {(id: string) => Promise<League>} */
  league: (id) => send("GET", `v1/leagues/${encodeURIComponent(id)}`),
};

/**
 * Return whether the lobby takes a key for its operator's; null if a lobby does not say so.
 * @param {string} token
 * @returns {Promise<boolean | null>}
 */
export async function isOperatorsKey(token) {
  try {
    const { isOperator } = await send("GET", "v1/config", { key: token });
    return typeof isOperator === "boolean" ? isOperator : null;
  } catch (error) {
    if (!(error instanceof Problem) || error.status === 0) throw error;
    return error.status === 401 ? false : null;
  }
}

/**
 * Return the path of a room's stream.
 * @param {string} roomId
 * @param {Feed} feed
 */
export function roomStream(roomId, feed) {
  return `${roomPath(roomId)}/stream?feed=${feed}`;
}
