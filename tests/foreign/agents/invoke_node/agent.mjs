// A player of the original casino's kind, on Node's `http` alone: `agent.mjs PORT`.
//
// It knows the invoke profile, the nine fields of a question, and that `amount` is what is added.

import { createServer } from "node:http";

const port = Number(process.argv[2]);
const url = `http://127.0.0.1:${port}/`;
const card = { name: "Node", url, skills: [{ id: "signup" }, { id: "act" }] };

const RANKS = "23456789TJQKA";
const ROUNDS = ["preflop", "flop", "turn", "river"];
const SUITS = ["hearts", "diamonds", "clubs", "spades"];
const KINDS = ["fold", "check", "call", "bet", "raise", "all-in"];

const isAmount = (value) => typeof value === "number" && value >= 0;
const isCard = (value) => RANKS.includes(value?.rank) && SUITS.includes(value?.suit);
const areCards = (value) => Array.isArray(value) && value.every(isCard);

/** The field of a question → whether its value is valid. */
const QUESTION = {
  tableId: (value) => typeof value === "string",
  bettingRound: (value) => ROUNDS.includes(value),
  communityCards: areCards,
  holeCards: (value) => areCards(value) && value.length === 2,
  pot: isAmount,
  minimumRaise: isAmount,
  currentBet: isAmount,
  playerStack: isAmount,
  legalActions: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((kind) => KINDS.includes(kind)),
};
const isText = (value) => typeof value === "string";
const isChips = (value) => typeof value === "number" && value > 0;
const INVITATION = {
  casinoName: isText,
  tableId: isText,
  roomId: isText,
  minBuyIn: isChips,
  maxBuyIn: isChips,
  smallBlind: isChips,
  bigBlind: isChips,
};

/** Bets and raises good cards by half the pot, calls what is cheap, and says what it adds. */
function decide(question) {
  const { holeCards, legalActions, pot, minimumRaise, currentBet, playerStack } = question;
  const [first, second] = holeCards;
  const score = RANKS.indexOf(first.rank) + RANKS.indexOf(second.rank) + 4;
  const isStrong = first.rank === second.rank || score >= 22;
  const adding = (action, amount) => ({ action, amount, message: `adding ${amount}` });
  const more = Math.max(minimumRaise, Math.floor(pot / 2));
  if (isStrong && legalActions.includes("bet"))
    return adding("bet", Math.min(playerStack, currentBet + more));
  if (isStrong && legalActions.includes("raise") && currentBet * 3 < playerStack)
    return adding("raise", Math.min(playerStack, currentBet + more));
  if (legalActions.includes("check")) return { action: "check" };
  if (legalActions.includes("call") && (isStrong || currentBet * 5 < playerStack))
    return { action: "call", amount: currentBet };
  if (legalActions.includes("fold")) return { action: "fold" };
  return { action: "all-in", amount: playerStack };
}

const ENTRYPOINTS = {
  signup: {
    input: INVITATION,
    run: (invitation) => ({ displayName: "Node", actionSkill: "act", buyIn: invitation.maxBuyIn }),
  },
  act: { input: QUESTION, run: decide },
};

function invoke({ input: shape, run }, input) {
  const faults = Object.keys(shape).filter((field) => !shape[field](input?.[field]));
  if (faults.length > 0) {
    const issues = faults.map((field) => ({
      code: "invalid_value",
      path: [field],
      message: `Invalid input: ${field}`,
    }));
    return [400, { error: { code: "invalid_input", issues } }];
  }
  // As a schema of the original does: unknown fields are dropped.
  const known = Object.fromEntries(Object.keys(shape).map((field) => [field, input[field]]));
  return [200, { run_id: crypto.randomUUID(), status: "succeeded", output: run(known) }];
}

function answer(request, body) {
  const entrypoint = /^\/entrypoints\/(\w+)\/invoke$/.exec(request.url)?.[1];
  if (request.method === "GET" && request.url === "/.well-known/agent-card.json")
    return [200, card];
  if (request.method !== "POST" || !Object.hasOwn(ENTRYPOINTS, entrypoint ?? ""))
    return [404, { error: { code: "entrypoint_not_found" } }];
  try {
    return invoke(ENTRYPOINTS[entrypoint], JSON.parse(body).input);
  } catch (error) {
    return [500, { error: { code: "internal_error", message: String(error) } }];
  }
}

createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const [status, content] = answer(request, Buffer.concat(chunks).toString());
    if (status >= 400) console.log(request.method, request.url, JSON.stringify(content));
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify(content));
  });
}).listen(port, "127.0.0.1");
