// One table's state machine: what is asked of the player there, and what was answered.

import { setTimeout as pause } from "node:timers/promises";
import { choose, chooseDefault } from "./choice.mjs";

/** The share of a clock, in milliseconds per second, after which the default is taken. */
const OWN_CLOCK = 800;
const ATTEMPTS = 3;
const RETRY_MS = 1000;

export const State = { idle: "IDLE", deciding: "DECIDING", submitted: "SUBMITTED" };

export class Table {
  state = State.idle;
  #specification;
  #session;
  #statistics;
  #settings;
  #request;
  #submission;
  #sentOn = 0;
  #attempt = 0;
  #clock;

  /** `settings` has `random`, and `thinkMs`, which the decision takes. */
  constructor(tableId, specification, session, statistics, settings) {
    this.tableId = tableId;
    this.#specification = specification;
    this.#session = session;
    this.#statistics = statistics;
    this.#settings = settings;
  }

  set specification(specification) {
    this.#specification = specification;
  }

  /** Take one message of the table. */
  take(message) {
    const { type, payload } = message;
    switch (type) {
      case "game_action_request":
      case "betting_window_open":
        this.#check("state", message);
        this.#ask(message);
        break;
      case "game_state_update":
        this.#check("state", message);
        break;
      case "player_action_broadcast":
        this.#check("action", message);
        break;
      case "ack":
        if (this.#submission?.messageId === payload?.relatedMessageId) this.#confirm();
        break;
      case "betting_window_closed":
        this.#rest();
        break;
      case "round_result":
        this.#check("result", message);
        this.#checkResult(payload);
        this.#statistics.count("rounds", this.tableId);
        this.#rest();
        break;
      case "game_error":
        this.#refused(payload ?? {});
        break;
    }
  }

  /** An `error` about one of this table's submissions; tells whether it was one. */
  takeError({ code, relatedMessageId }) {
    const isOurs = this.#submission?.messageId === relatedMessageId;
    const mayPass = code === "RATE_LIMITED" || code === "INTERNAL_ERROR";
    if (mayPass && (isOurs || relatedMessageId == null)) this.#retry();
    if (isOurs && code === "DUPLICATE_MESSAGE") this.#confirm();
    return isOurs;
  }

  /** Send what is not known to have arrived once more, a little later, under the same id. */
  async #retry() {
    const submission = this.#submission;
    await pause(RETRY_MS, undefined, { ref: false });
    if (submission === undefined || this.#submission !== submission) return;
    this.#statistics.resent += 1;
    this.#send();
  }

  /** After a reconnect: what is not known to have arrived is sent again, under the same id. */
  resume() {
    if (this.#submission === undefined || this.#sentOn === this.#session.connection) return;
    this.#statistics.resent += 1;
    this.#send();
  }

  #ask(message) {
    this.#rest();
    this.#request = message;
    this.state = State.deciding;
    const { timeoutSeconds } = message;
    if (typeof timeoutSeconds !== "number") {
      this.#statistics.keep("violations", `${message.type} has no timeoutSeconds`);
      return;
    }
    this.#clock = setTimeout(() => this.#decideByDefault(message), timeoutSeconds * OWN_CLOCK);
    this.#decide(message, 1);
  }

  async #decide(request, attempt) {
    if (this.#settings.thinkMs > 0) await pause(this.#settings.thinkMs, undefined, { ref: false });
    if (this.#request !== request || this.state !== State.deciding) return;
    this.#submit(request, attempt, (offers) =>
      choose(this.#specification, offers, this.#settings.random),
    );
  }

  #decideByDefault(request) {
    if (this.#request !== request || this.state !== State.deciding) return;
    this.#statistics.defaults += 1;
    this.#submit(request, ATTEMPTS, (offers) => chooseDefault(this.#specification, offers));
  }

  #submit(request, attempt, chosen) {
    const offers = request.payload?.availableActions;
    let payload;
    try {
      if (!Array.isArray(offers) || offers.length === 0) throw new Error("no availableActions");
      if (offers.some((offer) => typeof offer.type !== "string")) {
        throw new Error(`an offer has no type: ${JSON.stringify(offers).slice(0, 300)}`);
      }
      payload = chosen(offers);
    } catch (error) {
      this.#statistics.keep("violations", `${request.gameType} ${request.type}: ${error.message}`);
      this.state = State.idle;
      return;
    }
    this.#statistics.check("action", this.#specification, "submit_action", payload);
    this.state = State.submitted;
    this.#attempt = attempt;
    this.#submission = {
      type: "submit_action",
      messageId: crypto.randomUUID(),
      protocolVersion: "1.0",
      timestamp: Date.now(),
      gameType: request.gameType,
      tableId: this.tableId,
      payload,
    };
    this.#statistics.submitted += 1;
    this.#send();
  }

  #send() {
    this.#sentOn = this.#session.send(this.#submission) ? this.#session.connection : 0;
  }

  /** A slip is decided anew; anything else means that the question is gone. */
  #refused({ code, message }) {
    const { gameType } = this.#specification;
    this.#statistics.count("gameErrors", code);
    const submitted = JSON.stringify(this.#submission?.payload);
    this.#statistics.keep("errorMessages", `${gameType} ${code}: ${message} (${submitted})`);
    const isSlip = code === "INVALID_ACTION" || code === "INVALID_AMOUNT";
    if (isSlip && this.state === State.submitted && this.#attempt < ATTEMPTS) {
      this.#submission = undefined;
      this.state = State.deciding;
      this.#decide(this.#request, this.#attempt + 1);
      return;
    }
    this.#rest();
  }

  #confirm() {
    this.#submission = undefined;
  }

  #rest() {
    clearTimeout(this.#clock);
    this.#request = undefined;
    this.#submission = undefined;
    this.state = State.idle;
  }

  #check(name, { type, payload }) {
    this.#statistics.check(name, this.#specification, type, payload);
  }

  #checkResult(payload) {
    const keys = ["playerId", "grossAmount", "rake", "netAmount"];
    const { winners, totalRake } = payload ?? {};
    const isWhole =
      Array.isArray(winners) &&
      winners.every((winner) => keys.every((key) => winner?.[key] !== undefined)) &&
      typeof totalRake === "number";
    if (!isWhole) {
      const shown = JSON.stringify({ winners, totalRake });
      this.#statistics.keep("violations", `round_result without winners' amounts: ${shown}`);
    }
  }
}
