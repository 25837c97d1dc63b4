// The bot's part in a fair deal: nobody can choose the cards while one player's part is random.
// It is 32 random bytes for each block of hands. The table first gets their hash, and the bytes only
// for the first decks to which it commits itself, so that it cannot try one deck after the other.
import { createHash, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

const MOST_BLOCKS = 1000; // after so many it takes no part until it is started again
const parts = new Map();

/** Answer one of the table's three calls for a block; throws an Error. */
export function contribute({ tableId, playerId, block, commitment, contributed }) {
  if (contributed) return {}; // what all gave, from which anybody can compute the deal
  const place = JSON.stringify([tableId, playerId, block]);
  if (!commitment) {
    if (!parts.has(place) && parts.size < MOST_BLOCKS)
      parts.set(place, { entropy: randomBytes(32) });
    return parts.has(place) ? { commitment: hashOf(parts.get(place)) } : {};
  }
  const part = parts.get(place);
  const ours = part && { playerId, commitment: hashOf(part) };
  if (!ours || !commitment.commitments?.some((one) => isDeepStrictEqual(one, ours)))
    throw new Error("commitment: it does not have this bot's part");
  part.first ??= commitment;
  if (!isDeepStrictEqual(part.first, commitment))
    throw new Error("commitment: the block has had another one before");
  return { entropy: part.entropy.toString("base64url") };
}

/** Return what the table gets first. */
function hashOf(part) {
  return createHash("sha256").update(part.entropy).digest("base64url");
}
