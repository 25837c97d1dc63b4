/** The seat of the person at this page: taken over the gateway, kept over a reload, given back. */
// @ts-check

/** @import { A2GError, Request } from "../a2g/client.js" */
/** @import { ConnectionState, Login, Message } from "../a2g/connection.js" */
/** @import { Card, Fields } from "../types.js" */
/** @import { Choice, Offer, PreAction } from "./offers.js" */

import { A2GClient } from "../a2g/client.js";
import { cardsIn } from "../game_state.js";
import { isRecord } from "../reading.js";
import { DealPart } from "./deal_part.js";
import { actionOf, choiceFor, choicesOf, isForGame } from "./offers.js";

/**
 * @typedef {object} Seated What is kept of a seat over a reload, the login's token included.
 * @property {string} gateway
 * @property {Login} login
 * @property {string | null} lastSeen
 * @property {string} playerId
 * @property {number} seatNumber
 * @property {string} name
 */

/**
 * @typedef {object} Platform
 * @property {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage It ends with the tab, as
 *   the seat does.
 * @property {any} [WebSocket]
 * @property {typeof globalThis.fetch} [fetch]
 */

const MOST_TALK = 200;
const GIVEN_BACK = "Your seat was given back while you were away.";
const REPLACED = "You play this seat in another window.";
/** Errors after which the seat is no longer this person's. */
const GONE = new Set(["TABLE_NOT_FOUND", "AUTH_INVALID", "AUTH_EXPIRED"]);

export class MySeat {
  /** @type {Seated | null} */
  seated = null;
  /** @type {ConnectionState} */
  connection = "closed";
  /** @type {Request | null} The request that waits for this person. */
  request = null;
  /** @type {Choice[]} The choices of the request. */
  choices = [];
  /** Whether an action was sent for the request. */
  isSent = false;
  /** What went wrong, for the person. */
  fault = "";
  /** What happened last, for the person. */
  note = "";
  /** @type {{ hand: number | null, cards: Card[] }} The own cards, and the number of their hand. */
  own = { hand: null, cards: [] };
  isSittingOut = false;
  /** Whether this game has pre-actions. */
  hasPreActions = false;
  /** @type {PreAction | null} */
  preAction = null;
  /** What is said with the next action. */
  talk = "";
  #gateway;
  #room;
  #platform;
  #onChange;
  #part = new DealPart();
  /** @type {A2GClient | null} */
  #client = null;

  /**
   * @param {string} gateway The gateway's base URL.
   * @param {string} room
   * @param {Platform} platform
   * @param {() => void} onChange Called when there is something to show.
   */
  constructor(gateway, room, platform, onChange) {
    this.#gateway = gateway;
    this.#room = room;
    this.#platform = platform;
    this.#onChange = onChange;
  }

  /** Take up the seat that was kept, if there is one. */
  resume() {
    const kept = this.#kept();
    if (!kept) return;
    this.seated = kept;
    this.#client = this.#newClient(kept);
    this.#client.players.set(this.#room, kept.playerId);
    this.#client.connect();
  }

  /**
   * Take a seat. Throws A2GError if the gateway refuses it.
   * @param {{ name: string, buyIn: number | null, seat: number | null }} wish
   */
  async sit({ name, buyIn, seat }) {
    const client = this.#newClient(null);
    const login = await client.guest(name);
    const taken = await client.join(this.#room, {
      displayName: name,
      playerType: "human",
      ...(buyIn === null ? {} : { buyIn }),
      ...(seat === null ? {} : { seat }),
    });
    const { playerId, seatNumber } = taken;
    const gateway = this.#gateway;
    this.seated = { gateway, login, lastSeen: null, name, playerId, seatNumber };
    [this.fault, this.note] = ["", "The next hand deals you in."];
    this.#client = client;
    this.#keep();
    client.connect();
  }

  /**
   * Take a choice for the open request; returns whether it was sent.
   * @param {Offer} offer
   * @param {number | null} [amount]
   */
  act(offer, amount = null) {
    const said = this.talk.trim().slice(0, MOST_TALK);
    const action = { ...actionOf(offer, amount), ...(said ? { message: said } : {}) };
    const isSent = this.#client?.submit(this.#room, action) ?? false;
    if (isSent) [this.isSent, this.talk, this.fault] = [true, "", ""];
    else if (this.request) this.fault = "Not connected: your action was not sent.";
    this.#onChange();
    return isSent;
  }

  /**
   * Choose what to do when the question comes; an open question is answered at once. Null: nothing.
   * @param {PreAction | null} preAction
   */
  prepare(preAction) {
    const isAsked = this.request !== null && !this.isSent;
    this.preAction = isAsked ? null : preAction;
    const offer = isAsked && preAction ? choiceFor(preAction, this.choices)?.offers[0] : null;
    if (offer) this.act(offer);
    this.#onChange();
  }

  /**
   * Sit out, so that the table does not wait; or come back.
   * @param {boolean} isOut
   */
  sitOut(isOut) {
    if (!this.#client?.send("sit_out", { sittingOut: isOut }, this.#room)) return;
    this.isSittingOut = isOut;
    this.#onChange();
  }

  /**
   * Give the seat back, after the hand; the table does not wait for the rest of it. Throws A2GError
   * if the gateway cannot do it.
   */
  async leave() {
    this.sitOut(true);
    await this.#client?.leave(this.#room);
    this.end("");
  }

  /** Close the connection; the seat is kept for `resume`. */
  stop() {
    this.#client?.close();
  }

  /** Connect again at once, such as when the network is back. */
  wake() {
    this.#client?.wake();
  }

  /**
   * Forget the seat, because it is no longer this person's.
   * @param {string} why
   */
  end(why) {
    const client = this.#client;
    [this.#client, this.seated, this.request] = [null, null, null];
    [this.note, this.isSittingOut, this.preAction] = [why, false, null];
    this.own = { hand: null, cards: [] };
    this.#platform.storage.removeItem(this.#key);
    client?.close();
    this.#onChange();
  }

  /** The time that is left for the request, in milliseconds. */
  get leftMs() {
    return this.request ? (this.#client?.leftMs(this.request) ?? 0) : 0;
  }

  get #key() {
    return `seat ${this.#room}`;
  }

  /** @param {Seated | null} kept */
  #newClient(kept) {
    const { WebSocket, fetch } = this.#platform;
    return new A2GClient(this.#gateway, {
      ...(WebSocket ? { WebSocket } : {}),
      ...(fetch ? { fetch } : {}),
      login: kept?.login ?? null,
      lastSeen: kept?.lastSeen ?? null,
      onMessage: (message) => this.#hear(message),
      onRequest: (request) => this.#ask(request),
      onOver: (tableId, why) => this.#over(tableId, why),
      onError: (error) => this.#fail(error),
      onState: (state, error) => this.#connected(state, error),
    });
  }

  /** @type {(state: ConnectionState, error: A2GError | null) => void} */
  #connected(state, error) {
    this.connection = state;
    if (state === "ready" && this.isSittingOut) this.sitOut(true);
    if (state === "refused" && error) {
      if (GONE.has(error.code)) return this.end(error.message);
      this.fault = error.code === "REPLACED" ? REPLACED : error.message;
    }
    return this.#onChange();
  }

  /** @param {Request} request */
  #ask(request) {
    if (request.tableId !== this.#room) return;
    this.request = request;
    this.choices = choicesOf(request.payload.availableActions);
    this.isSent = false;
    [this.note, this.fault] = ["", ""];
    this.hasPreActions = isForGame(this.choices);
    this.prepare(this.preAction);
  }

  /** @type {(tableId: string, why: string) => void} */
  #over(tableId, why) {
    if (tableId !== this.#room) return;
    this.request = null;
    if (why === "TIMEOUT") this.note = "Too late: the table acted for you.";
    this.#onChange();
  }

  /** @param {A2GError} error */
  #fail(error) {
    if (error.tableId && error.tableId !== this.#room) return;
    if (GONE.has(error.code)) this.end(error.message);
    else if (error.code !== "TIMEOUT") this.fault = error.message;
    this.isSent = false;
    this.#onChange();
  }

  /** @param {Message} message */
  #hear(message) {
    if (!this.seated) return;
    const { type, tableId, payload = {}, handNumber: hand = null } = message;
    if (type === "reconnect_state" && payload.tableId === null) return this.end(GIVEN_BACK);
    if (tableId !== this.#room) return;
    if (type === "contribution_request") {
      const part = this.#part.answer(payload, this.seated.playerId);
      if (part) this.#client?.send("contribution", part, this.#room);
    }
    const state = type === "reconnect_state" ? payload.currentState : payload;
    if (isRecord(state) && isRecord(state.private))
      this.own = { hand, cards: cardsIn(state.private, "private") };
    if (type === "round_result") {
      const score = isRecord(payload.scores) ? payload.scores[this.seated.playerId] : null;
      this.note = resultWords(score);
    }
    if (type === "seat_closed") return this.end(closedWords(payload));
    this.#keep();
    return this.#onChange();
  }

  #keep() {
    if (!this.seated || !this.#client) return;
    this.seated.lastSeen = this.#client.lastSeen;
    this.seated.login = this.#client.login ?? this.seated.login;
    try {
      this.#platform.storage.setItem(this.#key, JSON.stringify(this.seated));
    } catch {
      // private windows may forbid it: then the seat is lost with the view
    }
  }

  /** @returns {Seated | null} */
  #kept() {
    try {
      const kept = JSON.parse(this.#platform.storage.getItem(this.#key) ?? "null");
      return kept?.gateway === this.#gateway && kept.login?.token ? kept : null;
    } catch {
      return null;
    }
  }
}

/** @param {unknown} score What the hand brought the player. */
function resultWords(score) {
  if (typeof score !== "number") return "";
  if (score === 0) return "The hand is over: you neither win nor lose.";
  return score > 0 ? `You win ${score}.` : `You lose ${-score}.`;
}

/** @param {Fields} payload */
function closedWords({ reason }) {
  if (reason === "away") return GIVEN_BACK;
  const why = typeof reason === "string" && reason ? `: ${reason}` : "";
  return `You are no longer at this table${why}.`;
}
