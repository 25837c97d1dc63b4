// Serves the bot: `node server.js`. There is nothing to change here to play better.
import { createServer } from "node:http";
import { act, NAME } from "./bot.js";
import { contribute } from "./deal.js";

const EXTENSION = "urn:a2a-casino:typed-entrypoints:v1";
const [PARSE_ERROR, NO_METHOD, BAD_PARAMS, FAILED] = [-32700, -32601, -32602, -32603];

/** Return the agent card: where the bot is called, and what it can do. */
function card(address) {
  const skill = (id, description) => ({ id, name: id, description, tags: ["poker"] });
  return {
    name: NAME,
    description: "Plays Texas Hold'em for chips.",
    version: "1",
    supportedInterfaces: [
      { url: `http://${address}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ],
    capabilities: { extensions: [{ uri: EXTENSION }] },
    defaultInputModes: ["application/json"],
    defaultOutputModes: ["application/json"],
    skills: [
      skill("signup", "Takes a seat."),
      skill("act", "Decides a turn."),
      skill("contribute", "Takes part in the deal."),
    ],
  };
}

/** A call that gets an error as its answer: a code of JSON-RPC and a sentence. */
class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const skills = {
  /** Take a seat at a table; games that the bot cannot play are refused. */
  signup(invitation) {
    const game = invitation.gameType ?? "texas-holdem";
    if (game !== "texas-holdem")
      throw new Refused(BAD_PARAMS, `${NAME} plays texas-holdem only, not ${game}`);
    console.log(`seat at ${invitation.tableId}`);
    return { displayName: NAME };
  },

  /** Decide a turn and log it. */
  act(turn) {
    if (turn.holeCards?.length !== 2 || !turn.legalActions)
      throw new Refused(BAD_PARAMS, "act needs holeCards and legalActions");
    if (turn.rejected) console.log(`rejected: ${turn.rejected.message}`);
    const answer = act(turn);
    const { requestId = "?", bettingRound = "", pot, toCall } = turn;
    const dealt = `${cards(turn.holeCards)} | ${cards(turn.communityCards ?? [])}`;
    const decision = [answer.action, answer.amount].filter((part) => part !== undefined);
    console.log(
      `${requestId} ${bettingRound} ${dealt}  pot ${pot}, to call ${toCall}: ${decision.join(" ")}`,
    );
    return answer;
  },

  /** Take part in the deal. */
  contribute(request) {
    try {
      return contribute(request);
    } catch (error) {
      console.log(`the deal is not fair: ${error.message}`);
      throw new Refused(BAD_PARAMS, error.message);
    }
  },
};

/** Return cards as letters, such as `Ks Td`. */
function cards(dealt) {
  return dealt.map((card) => card.rank + card.suit[0]).join(" ") || "-";
}

/** Answer a JSON-RPC call; every fault is an answer, too, so that the caller learns of it. */
function replyTo(body) {
  let call;
  try {
    call = JSON.parse(body);
  } catch (error) {
    return fault(null, PARSE_ERROR, `the body is no JSON: ${error.message}`);
  }
  if (typeof call !== "object" || call === null || Array.isArray(call))
    return fault(null, BAD_PARAMS, "the body is no JSON object");
  const id = call.id ?? null;
  const message = call.params?.message;
  const skill = message?.metadata?.[EXTENSION]?.skill;
  const input = message?.parts?.[0]?.data;
  if (call.method !== "SendMessage")
    return fault(id, NO_METHOD, `no method ${call.method}; there is SendMessage`);
  if (!Object.hasOwn(skills, skill ?? ""))
    return fault(id, BAD_PARAMS, `no skill ${skill}; there are ${Object.keys(skills).join(", ")}`);
  if (typeof input !== "object" || input === null)
    return fault(id, BAD_PARAMS, "not a call of a skill: the first part has no data");
  try {
    const part = { data: skills[skill](input), mediaType: "application/json" };
    const answer = { messageId: `r-${id}`, role: "ROLE_AGENT", parts: [part] };
    return { jsonrpc: "2.0", id, result: { message: answer } };
  } catch (error) {
    if (error instanceof Refused) return fault(id, error.code, error.message);
    console.error(error); // a mistake in `act`: the table is told which
    return fault(id, FAILED, String(error));
  }
}

/** Return a JSON-RPC error. */
function fault(id, code, message) {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** Send JSON, headers and body together. */
function reply(response, status, answer) {
  const body = JSON.stringify(answer);
  const length = Buffer.byteLength(body);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": length });
  response.end(body);
}

/** Serve one request: the card, at the address that it was asked at, or a call. */
async function serve(request, response) {
  if (request.method === "POST") {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    reply(response, 200, replyTo(Buffer.concat(chunks).toString()));
  } else if (request.url === "/.well-known/agent-card.json") {
    reply(response, 200, card(request.headers.host));
  } else {
    reply(response, 404, { error: "the card is at /.well-known/agent-card.json" });
  }
}

const host = process.env.HOST ?? "127.0.0.1";
const port = Number(process.env.PORT ?? 9000);
const server = createServer((request, response) => {
  serve(request, response).catch((error) => console.error(`a broken request: ${error.message}`));
});
server.keepAliveTimeout = 75_000; // the casino keeps an unused connection for 60 s
server.listen(port, host, () => {
  console.log(`${NAME}: http://${host}:${port}/.well-known/agent-card.json`);
});
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    console.log("stopped");
    process.exit(0);
  });
}
