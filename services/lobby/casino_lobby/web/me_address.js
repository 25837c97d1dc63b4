/**
 * Links to a bot's own hands: `#/me/{room}/{player}`, `#/me/{room}/{player}/{epoch}.{hand}`.
 *
 * `?key=…` behind the fragment brings the key: a browser sends no fragment to any server.
 */
// @ts-check

/**
 * @typedef {object} MyPlace
 * @property {string} room
 * @property {string} player
 * @property {{ epoch: number, number: number } | null} hand Null is the list.
 * @property {string | null} key The player's key, if the link brings it.
 */

/**
 * Return where a link leads; null if it is none to a bot's own hands.
 * @param {string} hash
 * @returns {MyPlace | null}
 */
export function myPlace(hash) {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [me, room, player, hand = ""] = path.split("/").map(decoded);
  if (me !== "me" || !room || !player) return null;
  const [, epoch, number] = /^(\d{1,9})\.(\d{1,9})$/.exec(hand) ?? [];
  return {
    room,
    player,
    hand: epoch && number ? { epoch: Number(epoch), number: Number(number) } : null,
    key: new URLSearchParams(query).get("key") || null,
  };
}

/**
 * Return the link to a bot's hands, or to one of them; it never has the key.
 * @param {string} room
 * @param {string} player
 * @param {{ epoch: number, number: number } | null} [hand]
 */
export function myLink(room, player, hand = null) {
  const place = `#/me/${encodeURIComponent(room)}/${encodeURIComponent(player)}`;
  return hand ? `${place}/${hand.epoch}.${hand.number}` : place;
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
