// The schemas of the protocol document as it states them; judges inputs.
//
//   node shapes.mjs < [{"shape": …, "input": …}, …]
//
// Prints a list with an item for each: {"value": …} as the schema reads it, or {"issues": […]} with
// the path and the code of each fault.
import { readFileSync } from "node:fs";

import { z } from "zod";

const cardSchema = z.object({
  rank: z.enum(["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]),
  suit: z.enum(["hearts", "diamonds", "clubs", "spades"]),
});

const actionKindSchema = z.enum(["fold", "check", "call", "bet", "raise", "all-in"]);

const tableConfigSchema = z.object({
  startingStack: z.number().positive(),
  smallBlind: z.number().positive(),
  bigBlind: z.number().positive(),
  minBuyIn: z.number().positive(),
  maxBuyIn: z.number().positive(),
  maxHands: z.number().int().positive(),
  maxSeats: z.number().int().min(2).max(10),
});

const shapes = {
  signupInvitation: z.object({
    casinoName: z.string(),
    tableId: z.string(),
    roomId: z.string(),
    minBuyIn: z.number().positive(),
    maxBuyIn: z.number().positive(),
    smallBlind: z.number().positive(),
    bigBlind: z.number().positive(),
  }),
  playerSignupResponse: z.object({
    displayName: z.string().min(1),
    actionSkill: z.string().min(1).default("act"),
    buyIn: z.number().positive().optional(),
  }),
  actionRequest: z.object({
    tableId: z.string(),
    bettingRound: z.enum(["preflop", "flop", "turn", "river"]),
    communityCards: z.array(cardSchema),
    holeCards: z.array(cardSchema).length(2),
    pot: z.number().nonnegative(),
    minimumRaise: z.number().nonnegative(),
    currentBet: z.number().nonnegative(),
    playerStack: z.number().nonnegative(),
    legalActions: z.array(actionKindSchema).min(1),
  }),
  actionResponse: z.object({
    action: actionKindSchema,
    amount: z.number().nonnegative().optional(),
    message: z.string().optional(),
  }),
  createRoomInput: z.object({
    roomId: z.string().optional(),
    tableId: z.string().optional(),
    tableAgentCardUrl: z.string().url().optional(),
    tableAgentSkills: z
      .object({
        configure: z.string().default("configureTable"),
        register: z.string().default("registerPlayer"),
        start: z.string().default("startGame"),
        summary: z.string().default("tableSummary"),
      })
      .default({
        configure: "configureTable",
        register: "registerPlayer",
        start: "startGame",
        summary: "tableSummary",
      }),
    config: tableConfigSchema,
    launchOptions: z
      .object({
        port: z.number().int().positive().optional(),
      })
      .optional(),
  }),
  registerPlayerInput: z.object({
    roomId: z.string(),
    agentCardUrl: z.string().url(),
    signupSkill: z.string().min(1).default("signup"),
    actionSkill: z.string().min(1).optional(),
    preferredSeat: z.number().int().nonnegative().optional(),
  }),
  startRoomInput: z.object({
    roomId: z.string(),
    overrides: z
      .object({
        maxHands: z.number().int().positive().optional(),
        smallBlind: z.number().positive().optional(),
        bigBlind: z.number().positive().optional(),
      })
      .optional(),
  }),
  configureTableInput: z.object({
    tableId: z.string(),
    casinoName: z.string(),
    config: tableConfigSchema,
    casinoCallback: z.object({
      agentCardUrl: z.string().url(),
      eventSkill: z.string().min(1),
    }),
  }),
  seatPlayerInput: z.object({
    playerId: z.string(),
    displayName: z.string(),
    agentCardUrl: z.string().url(),
    actionSkill: z.string().min(1),
    startingStack: z.number().positive(),
    preferredSeat: z.number().int().nonnegative().optional(),
  }),
  tableEvent: z.object({
    tableId: z.string(),
    eventType: z.enum([
      "player_registered",
      "hand_started",
      "action_taken",
      "hand_completed",
      "player_busted",
      "table_error",
      "table_status",
    ]),
    message: z.string(),
    timestamp: z.string(),
    payload: z.record(z.any()).optional(),
  }),
};

const judged = JSON.parse(readFileSync(0, "utf8")).map(({ shape, input }) => {
  const { success, data, error } = shapes[shape].safeParse(input);
  if (success) return { value: data };
  return { issues: error.issues.map(({ path, code }) => [path.join("."), code]) };
});
process.stdout.write(JSON.stringify(judged));
