/** A room as the lobby tells it: the stream, the pace at which it is shown, the hands so far. */

import { Problem, roomStream } from "./api.js";
import { History } from "./history.js";
import { insightOf } from "./insight.js";
import { Pace } from "./pace.js";
import { EMPTY, fromSnapshot, reduce } from "./reducer.js";
import { Stream } from "./stream.js";

const DEFAULT_CLOCK_MS = 10_000;
const RECORDS_KEPT = 4;

export class LiveRoom {
  state = EMPTY;
  /** How far the stream was heard; what is shown may lag behind it. */
  heard = { epoch: 0, sequence: 0 };
  config = null;
  gameType = null;
  /** Whether the order of its cards follows from a seed that somebody chose, and may know. */
  isSeeded = false;
  feed = "public";
  pace;
  history;
  #id;
  #records = new Map();
  #stream = null;
  #since = 0;
  #changed;
  #tell;

  /**
   * `changed(sentence)` is called when there is something to draw; the sentence, if any, is the last
   * event's. `tell(state)` hears of the connection.
   */
  constructor(id, { changed, tell, isCalm }) {
    [this.#id, this.#changed, this.#tell] = [id, changed, tell];
    this.history = new History(id);
    this.pace = new Pace((items) => this.#show(items), { isCalm });
    this.#loadHistory();
  }

  /** Listen to a feed; that of the commentators is the operator's. */
  listen(feed) {
    this.feed = feed;
    this.#records.clear();
    this.#stream?.stop();
    this.#stream = new Stream(roomStream(this.#id, feed), {
      hear: (name, data) => this.#hear(name, data),
      tell: this.#tell,
      isOperators: feed === "commentator",
    });
    this.#stream.start();
  }

  stop() {
    this.#stream?.stop();
    this.pace.clear();
  }

  /** What an operator knows of the hand that is shown, or null. */
  get insight() {
    return this.#records.get(this.state.hand?.id) ?? null;
  }

  /** The actor's clock. It runs for whoever acts now, not for what is shown later than it was. */
  get clock() {
    const lengthMs = this.config?.actionTimeoutMs ?? DEFAULT_CLOCK_MS;
    const goneMs = Math.min(lengthMs, Math.max(0, performance.now() - this.#since));
    const isRunning = this.pace.isLive && this.feed === "public";
    return { key: this.state.sequence, isRunning, lengthMs, goneMs };
  }

  #hear(name, data) {
    if (name === "snapshot") return this.#begin(data.room);
    if (name === "room_closed") return this.#closed(data.room);
    if (name === "table_event") {
      const { epoch = this.heard.epoch, sequence } = data.event;
      const isGap =
        sequence !== undefined && epoch === this.heard.epoch && sequence > this.heard.sequence + 1;
      if (isGap && this.feed === "public") return this.#stream.restart();
      if (sequence !== undefined) this.heard = { epoch, sequence };
    } else if (name === "hand_record_missing") return undefined;
    return this.pace.push({ name, data });
  }

  #begin(room) {
    this.pace.clear();
    this.config = room.config;
    this.gameType = room.gameType ?? null;
    this.isSeeded = room.seeded === true;
    this.state = fromSnapshot(room);
    this.heard = { epoch: this.state.epoch, sequence: this.state.sequence };
    const last = Date.parse(this.state.at ?? "");
    this.#since = performance.now() - (Number.isNaN(last) ? 0 : Math.max(0, Date.now() - last));
    for (const event of room.events)
      if (event.eventType === "hand_completed") this.history.add(event);
    this.#changed(null);
  }

  #closed(summary) {
    this.pace.flush();
    this.state = { ...this.state, status: summary.status, state: summary.state ?? "closed" };
    this.#stream.stop();
    this.#changed(null);
  }

  /** Show items in their order: one when people can follow, a burst when they could not. */
  #show(items) {
    for (const { name, data } of items) {
      if (name === "hand_record") this.#keepRecord(data);
      else {
        this.state = reduce(this.state, data.event);
        if (data.event.eventType === "hand_completed") this.history.add(data.event);
      }
    }
    this.#since = performance.now();
    const last = items.findLast(({ name }) => name === "table_event");
    this.#changed(last ? String(last.data.event.message ?? "") : null);
  }

  #keepRecord(record) {
    this.#records.set(record.handId, insightOf(record));
    if (this.#records.size > RECORDS_KEPT) this.#records.delete(this.#records.keys().next().value);
  }

  async #loadHistory() {
    try {
      await this.history.load();
      this.#changed(null);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // The graph then begins with the next hand; the stream says why, if the room is not there.
    }
  }
}
