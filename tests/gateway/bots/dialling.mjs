// A bot behind a router: node --experimental-websocket dialling.mjs ws://gateway:4050 ROOM
const [gateway, roomId] = process.argv.slice(2);
const seat = { requestId: crypto.randomUUID(), roomId };
let token, joined;

function act(turn) {
  return { action: turn.legalActions.includes("check") ? "check" : "call" };
}

function connect() {
  const socket = new WebSocket(`${gateway}/bots`);
  const send = (frame) => socket.send(JSON.stringify(frame));
  socket.onopen = () => send({ id: "hello", skill: "hello", data: { name: "Nodding", token } });
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.skill === "act") send({ id: frame.id, data: act(frame.data) });
    else if (frame.skill === "signup") {
      joined = frame.data;
      send({ id: frame.id, data: { displayName: "Nodding" } });
    } else if (frame.error) throw new Error(frame.error.message);
    else if (frame.id === "hello") {
      token = frame.data.token; // the same address again at the next connection
      if (!joined) send({ id: "join", skill: "join", data: seat });
    } else if (frame.id === "join") console.log(`seat ${frame.data.seatNumber}`);
  };
  socket.onclose = () => setTimeout(connect, 500);
}
connect();
