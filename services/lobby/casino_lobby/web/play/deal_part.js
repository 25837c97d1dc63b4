/** The person's part in the deal: random bytes of this tab, given once the table is committed. */
// @ts-check

/** @import { Fields } from "../types.js" */

import { sha256, toText } from "../fair/sha256.js";
import { isRecord } from "../reading.js";

/**
 * @typedef {object} Part
 * @property {string} entropy
 * @property {string} commitment Its hash, which is given first.
 * @property {string | null} shown The table's commitment that it was revealed for.
 */

const SIZE = 32;
const MOST_BLOCKS = 50;

export class DealPart {
  /** @type {Map<string, Part>} By the block's name. */
  #parts = new Map();

  /**
   * Return the answer to a `contribution_request`: a commitment, then the entropy, for the first
   * commitment of a block alone; null: there is none.
   * @param {Fields} request
   * @param {string} playerId The person's.
   */
  answer({ block, commitment = null }, playerId) {
    if (typeof block !== "string") return null;
    const part = this.#parts.get(block) ?? null;
    if (commitment === null) return { block, commitment: (part ?? this.#begin(block)).commitment };
    if (!part || !isRecord(commitment) || commitment.block !== block) return null;
    const { commitments } = commitment;
    const isIn = (/** @type {unknown} */ one) =>
      isRecord(one) && one.playerId === playerId && one.commitment === part.commitment;
    if (!Array.isArray(commitments) || !commitments.some(isIn)) return null;
    const shown = JSON.stringify(commitment);
    part.shown ??= shown;
    return part.shown === shown ? { block, entropy: part.entropy } : null;
  }

  /**
   * @param {string} block
   * @returns {Part}
   */
  #begin(block) {
    const entropy = crypto.getRandomValues(new Uint8Array(SIZE));
    const part = { entropy: toText(entropy), commitment: toText(sha256(entropy)), shown: null };
    this.#parts.set(block, part);
    for (const oldest of this.#parts.keys()) {
      if (this.#parts.size <= MOST_BLOCKS) break;
      this.#parts.delete(oldest);
    }
    return part;
  }
}
