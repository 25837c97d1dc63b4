/** Which hands of a room are checked: live ones from their events, others by the lobby's proofs. */
// @ts-check

/** @import { FairMark, Fields, HandCheck, TableEvent } from "../types.js" */

import { api, Problem } from "../api.js";
import { isRecord, text } from "../reading.js";
import { CommittedBlock, canonical, DealFault } from "./fair.js";

export class HandChecks {
  /** Why hands could not be checked; "" where nothing stood in the way. */
  problem = "";
  /** Why the signature of a block is not checked; "" where each was. */
  unsigned = "";
  /** @type {FairMark | null} Whose key the lobby has read in the table's card. */
  mark = null;
  /** @type {Map<string, HandCheck & { number: number }>} By epoch and number. */
  #found = new Map();
  /** @type {Map<string, { content: string, block: Promise<CommittedBlock> }>} By name. */
  #blocks = new Map();
  /** @type {Fields | null} What the table committed to last. */
  #commitment = null;
  /** @type {Set<string>} The names of blocks whose contributions came as events. */
  #seen = new Set();
  /** @type {Set<string>} Those of them that had come before the hand began. */
  #ready = new Set();
  /** @type {TableEvent[]} Those of the running hand. */
  #events = [];
  #room;
  #onChange;

  /**
   * @param {string} room
   * @param {() => void} onChange Called when another hand is checked.
   */
  constructor(room, onChange) {
    this.#room = room;
    this.#onChange = onChange;
  }

  /** How many hands were checked. */
  get count() {
    return this.#found.size;
  }

  /** The first hand that failed, if any. */
  get failed() {
    return [...this.#found.values()].find(({ fault }) => fault !== "") ?? null;
  }

  /**
   * Return what came of a hand's check; null if it was not checked.
   * @param {number} epoch
   * @param {number} number
   */
  of(epoch, number) {
    return this.#found.get(`${epoch}.${number}`) ?? null;
  }

  /**
   * Take the next event of the room, and check the hand that it completes.
   * @param {TableEvent} event
   */
  take(event) {
    const { eventType, payload } = event;
    const { kind, commitment, contributed } = payload ?? {};
    if (kind === "deal_committed") this.#commitment = isRecord(commitment) ? commitment : null;
    if (kind === "deal_contributed" && this.#commitment && isRecord(contributed)) {
      this.#open(this.#commitment, contributed);
      this.#seen.add(text(contributed.block));
    }
    if (eventType === "hand_started") {
      this.#events = [event];
      this.#ready = new Set(this.#seen);
    } else if (this.#events.length > 0) this.#events.push(event);
    if (eventType !== "hand_completed" || this.#events.length === 0) return;
    const events = this.#events;
    this.#events = [];
    this.#check(events, this.#liveBlock(event, new Set(this.#ready)));
  }

  /**
   * Check a hand that was completed before; throws nothing: `problem` says why it is not checked.
   * @param {number} number
   * @param {number | null} epoch The newest hand with this number by default.
   */
  async checkPast(number, epoch) {
    try {
      const { commitment, contributed, events } = await api.proof(this.#room, number, epoch);
      await this.#check(events, this.#open(commitment, contributed));
    } catch (error) {
      this.#tell(error);
    }
  }

  /**
   * Return the block of a hand whose events were all received; its commitment may be older.
   * @param {TableEvent} completed
   * @param {Set<string>} ready The blocks to which everybody had contributed before the hand.
   */
  async #liveBlock({ payload, epoch }, ready) {
    const { opening, handNumber } = payload ?? {};
    const name = isRecord(opening) ? text(opening.block) : ([...ready].at(-1) ?? "");
    if (name === "") return null;
    if (this.#seen.has(name) && !ready.has(name))
      throw new DealFault("the table committed to it when it was dealt already");
    const known = this.#blocks.get(name);
    if (known) return known.block;
    const proof = await api.proof(this.#room, Number(handNumber), epoch ?? null);
    return this.#open(proof.commitment, proof.contributed);
  }

  /**
   * Return a block whose signature is right, where it can be checked; rejects with a DealFault.
   * @param {Fields} commitment
   * @param {Fields} contributed
   */
  #open(commitment, contributed) {
    const [name, content] = [text(commitment.block), canonical([commitment, contributed])];
    const known = this.#blocks.get(name);
    if (known?.content === content) return known.block;
    const block = known
      ? Promise.reject(new DealFault(`the table committed twice to the block ${name}`))
      : this.#signed(commitment, contributed);
    block.catch(() => {}); // said of each hand that was dealt from it
    this.#blocks.set(name, { content, block });
    return block;
  }

  /**
   * @param {Fields} commitment
   * @param {Fields} contributed
   */
  async #signed(commitment, contributed) {
    const block = new CommittedBlock(commitment, contributed);
    const unsigned = await block.unsigned();
    const { block: named = "", key } = this.mark ?? {};
    /** @type {(name: string) => string} Table and epoch. */
    const of = (name) => name.slice(0, name.lastIndexOf("/"));
    if (key && of(named) === of(block.name) && block.keyThumbprint !== key)
      throw new DealFault("the commitment is not signed by the key of the table’s card");
    this.unsigned ||= unsigned;
    return block;
  }

  /**
   * Check a hand by its events.
   * @param {TableEvent[]} events
   * @param {Promise<CommittedBlock | null>} from Null: the table has committed to nothing.
   */
  async #check(events, from) {
    const { epoch = 1, payload } = events.at(-1) ?? {};
    const number = Number(payload?.handNumber);
    let fault = "";
    try {
      const block = await from;
      if (!block) return;
      block.check(events);
    } catch (error) {
      if (!(error instanceof DealFault)) return this.#tell(error);
      fault = error.message;
    }
    this.#found.set(`${epoch}.${number}`, { number, fault });
    this.#onChange();
  }

  /** @param {unknown} error */
  #tell(error) {
    if (!(error instanceof Problem)) throw error;
    this.problem = error.message;
    this.#onChange();
  }
}
