/** Read a room of a running lobby with the page's own functions: `read_room.js LOBBY ROOM`. */

const [lobby, room] = process.argv.slice(2);
globalThis.document = { baseURI: `${lobby}/` };
const { api, roomStream, url } = await import("../../services/lobby/casino_lobby/web/api.js");
const { parse, roomLink } = await import("../../services/lobby/casino_lobby/web/router.js");

const { hands } = await api.hands(room, null);
const stream = await fetch(url(roomStream(room, "public")));
const { value } = await stream.body.getReader().read();
const answer = {
  link: parse(roomLink(room)).room,
  room: (await api.room(room)).roomId,
  detail: (await api.hand(room, hands[0].handNumber)).roomId,
  stream: new TextDecoder().decode(value),
};
process.stdout.write(JSON.stringify(answer), () => process.exit());
