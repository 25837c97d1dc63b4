/** Links into the page: `#/`, `#/rooms/{room}`, `#/rooms/{room}/hands/{hand}/{step}`. */

/** Return {room, hand, step}, each null where the link does not say it. */
export function parse(hash) {
  const [path] = hash.replace(/^#\/?/, "").split("?");
  const [rooms, room, hands, hand, step] = path.split("/").map(decoded);
  if (rooms !== "rooms" || !room) return { room: null, hand: null, step: null };
  const isHand = hands === "hands" && whole(hand) > 0;
  return { room, hand: isHand ? whole(hand) : null, step: isHand ? whole(step) : null };
}

export function roomLink(room) {
  return `#/rooms/${encodeURIComponent(room)}`;
}

export function handLink(room, hand, step = null) {
  return `${roomLink(room)}/hands/${hand}${step === null ? "" : `/${step}`}`;
}

function whole(text) {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
