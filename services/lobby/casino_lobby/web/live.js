/** A live room: its stream, the pace at which events are shown, and its completed hands. */
// @ts-check

/** @import { HandChecks } from "./fair/hand_checks.js" */
/** @import { Clock, ConnectionState, FairMark, Feed, HandRecord, Insight, PaceItem, Room, RoomConfig, RoomMessage, RoomSummary, TableEvent, TableMessage, TableState, Waiting } from "./types.js" */

import { api, Problem, roomStream } from "./api.js";
import { insightOf } from "./insight.js";
import { Pace, Rate } from "./pace.js";
import { History } from "./past_hands.js";
import { playerIdOf, records } from "./reading.js";
import { EMPTY, fromSnapshot, reduce } from "./reducer.js";
import { lobbyAway } from "./room_facts.js";
import { Stream } from "./stream.js";

const DEFAULT_CLOCK_MS = 10_000;
const RECORDS_KEPT = 4;
const RESULTS = new Set(["hand_completed", "player_busted"]);

export class LiveRoom {
  /** @type {TableState} */
  state = EMPTY;
  /** The latest event of the stream; what is shown may be behind it. */
  received = { epoch: 0, sequence: 0 };
  /** The hands that were played, also those that are not shown yet. */
  handCount = 0;
  /** @type {Map<string, string>} The names of all players in the events that arrived, by id. */
  names = new Map();
  /** @type {RoomConfig | null} */
  config = null;
  /** @type {string | null} */
  gameType = null;
  /** Whether the order of its cards follows from a chosen seed, which people may have. */
  isSeeded = false;
  /** Whether its table commits to its decks, so that anybody can check them. */
  isFair = false;
  /** @type {HandChecks | null} What came of these checks; null until they are loaded. */
  checks = null;
  /** @type {Feed} */
  feed = "public";
  pace;
  history;
  #id;
  /** @type {Map<string, Insight>} */
  #records = new Map();
  /** @type {Stream<RoomMessage> | null} */
  #stream = null;
  #since = 0;
  /** @type {FairMark | null} */
  #mark = null;
  /** @type {Promise<HandChecks> | null} */
  #loaded = null;
  #rate = new Rate();
  /** @type {Waiting[] | null} What the room waited for when the lobby was last heard. */
  #before = null;
  #onChange;
  #onConnection;

  /**
   * @param {string} id
   * @param {object} options
   * @param {(sentence: string | null, isResult?: boolean) => void} options.onChange Called when
   *   there is something to draw, with the message of the latest event, if any.
   * @param {(state: ConnectionState) => void} options.onConnection
   * @param {boolean} options.isCalm Whether to show events no faster than people can follow.
   */
  constructor(id, { onChange, onConnection, isCalm }) {
    this.#id = id;
    this.#onChange = onChange;
    this.#onConnection = onConnection;
    this.history = new History(id);
    this.pace = new Pace((items) => this.#show(items), { isCalm });
    this.#loadHistory();
  }

  /**
   * Receive a feed; the commentators' feed needs the operator's key.
   * @param {Feed} feed
   */
  listen(feed) {
    this.feed = feed;
    this.#records.clear();
    this.#stream?.stop();
    this.#stream = new Stream(roomStream(this.#id, feed), {
      onMessage: (message) => this.#receive(message),
      onConnection: (state) => {
        this.#onConnection(state);
        this.#hear(state);
      },
      isOperators: feed === "commentator",
    });
    this.#stream.start();
  }

  /** Close the stream, and show nothing more. */
  stop() {
    this.#stream?.stop();
    this.pace.clear();
  }

  /** Whether more happens than people can follow. */
  get isBusy() {
    return this.#rate.isBusy(performance.now());
  }

  /** What an operator may see of the hand that is shown, or null. */
  get insight() {
    return this.#records.get(this.state.hand?.id ?? "") ?? null;
  }

  /**
   * The actor's clock. It runs only if what is shown is what happens now.
   * @returns {Clock}
   */
  get clock() {
    const lengthMs = this.config?.actionTimeoutMs ?? DEFAULT_CLOCK_MS;
    const elapsedMs = Math.min(lengthMs, Math.max(0, performance.now() - this.#since));
    const isNow = this.pace.isLive && this.feed === "public" && !this.isBusy;
    const isRunning = !this.#before && isNow;
    return { key: this.state.sequence, isRunning, lengthMs, elapsedMs };
  }

  /**
   * Show that the lobby is away, until it is heard again.
   * @param {ConnectionState} connection
   */
  #hear(connection) {
    if ("isLost" in connection && connection.isLost) {
      if (this.#before) return;
      this.#before = this.state.waits ?? [];
      this.#wait([lobbyAway()]);
    } else if (connection.kind === "live" && this.#before) {
      this.#wait(this.#before);
      this.#before = null;
      this.#learnWaits();
    }
  }

  /** @param {Waiting[]} waits */
  #wait(waits) {
    this.state = { ...this.state, waits };
    this.#onChange(null);
  }

  /** Learn what the room waits for by now: a stream that resumes tells changes only. */
  async #learnWaits() {
    const { waits } = this.state;
    const room = await api.room(this.#id).catch(() => null); // the next change is told
    if (room && this.state.waits === waits) this.#wait(room.summary?.waits ?? []);
  }

  /** @param {RoomMessage} message */
  #receive(message) {
    switch (message.name) {
      case "snapshot":
        return this.#begin(message.data.room);
      case "room_closed":
        return this.#close(message.data.room);
      case "room_waits":
        return this.#wait(message.data.waits);
      case "table_event":
        if (this.#isGapBefore(message.data.event)) return this.#stream?.restart();
        return this.#push(message);
      case "hand_record":
        return this.pace.push(message);
      default:
        return undefined;
    }
  }

  /** @param {TableMessage} message */
  #push(message) {
    const { eventType } = message.data.event;
    if (eventType === "hand_completed") this.handCount += 1;
    this.#remember(message.data.event);
    this.#check([message.data.event]);
    this.pace.push(message);
    const isCounted = eventType === "hand_started" || eventType === "hand_completed";
    if (isCounted && !this.pace.isLive) this.#onChange(null); // it says how far behind it is
  }

  /**
   * Keep the names in an event: they are needed after the players have left.
   * @param {TableEvent} event
   */
  #remember({ payload }) {
    for (const player of [payload ?? {}, ...records(payload?.players)]) {
      const id = playerIdOf(player);
      if (id && typeof player.displayName === "string") this.names.set(id, player.displayName);
    }
  }

  /**
   * Note an event as received; returns whether public events before it are missing.
   * @param {TableEvent} event
   */
  #isGapBefore({ epoch = this.received.epoch, sequence }) {
    if (sequence === undefined) return false;
    const { received } = this;
    const isGap = epoch === received.epoch && sequence > received.sequence + 1;
    if (isGap && this.feed === "public") return true;
    this.received = { epoch, sequence };
    return false;
  }

  /**
   * Begin anew with a snapshot.
   * @param {Room} room
   */
  #begin(room) {
    this.pace.clear();
    this.config = room.config;
    this.gameType = room.gameType ?? null;
    this.isSeeded = room.seeded === true;
    this.#mark = room.fair ?? null;
    this.isFair = this.#mark !== null;
    this.state = fromSnapshot(room);
    this.handCount = this.state.handCount;
    for (const event of room.events) this.#remember(event);
    this.received = { epoch: this.state.epoch, sequence: this.state.sequence };
    const last = Date.parse(this.state.at ?? "");
    this.#since = performance.now() - (Number.isNaN(last) ? 0 : Math.max(0, Date.now() - last));
    for (const event of room.events)
      if (event.eventType === "hand_completed") this.history.add(event);
    this.#check(room.events);
    this.#onChange(null);
  }

  /**
   * Check the hands that events complete, where the table has committed to their decks.
   * @param {TableEvent[]} events
   */
  async #check(events) {
    this.isFair ||= events.some(({ payload }) => payload?.kind === "deal_committed");
    if (!this.isFair) return;
    const checks = await this.loadChecks();
    checks.mark = this.#mark;
    for (const event of events) checks.take(event);
  }

  /**
   * Check a hand that was completed before, if its table had committed to its decks.
   * @param {number} number
   * @param {number | null} epoch
   */
  async checkPast(number, epoch) {
    if (this.isFair) await (await this.loadChecks()).checkPast(number, epoch);
  }

  /** Load what checks hands, once; few rooms need it. */
  loadChecks() {
    this.#loaded ??= import("./fair/hand_checks.js").then(({ HandChecks }) => {
      this.checks = new HandChecks(this.#id, () => this.#onChange(null));
      return this.checks;
    });
    return this.#loaded;
  }

  /** @param {RoomSummary} summary */
  #close(summary) {
    this.pace.flush();
    this.state = {
      ...this.state,
      status: summary.status,
      state: summary.state ?? "closed",
      waits: [],
    };
    this.#stream?.stop();
    this.#onChange(null);
  }

  /**
   * Show messages in their order.
   * @param {PaceItem[]} items
   */
  #show(items) {
    /** @type {string | null} */
    let sentence = null;
    let isResult = false;
    for (const item of items) {
      if (item.name === "hand_record") this.#keepRecord(item.data);
      else {
        const { event } = item.data;
        this.state = reduce(this.state, event);
        if (event.eventType === "hand_completed") this.history.add(event);
        sentence = String(event.message ?? "");
        isResult = RESULTS.has(event.eventType);
      }
    }
    this.#since = performance.now();
    this.#rate.count(this.#since);
    this.#onChange(sentence, isResult);
  }

  /** @param {HandRecord} record */
  #keepRecord(record) {
    this.#records.set(record.handId, insightOf(record));
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= RECORDS_KEPT) break;
      this.#records.delete(oldest);
    }
  }

  async #loadHistory() {
    try {
      await this.history.load();
      this.#onChange(null);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // The chart then begins with the next hand; if there is no such room, the stream shows it.
    }
  }
}
