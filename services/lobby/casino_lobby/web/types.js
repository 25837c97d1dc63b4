/**
 * The shapes of data that the modules share, as types for `tsc`; no module loads this file.
 *
 * What the lobby sends of itself is typed as its contract says. What a table sends in events comes
 * from third parties, so a payload is a record of unknown values, which `reading.js` checks.
 */
// @ts-check

/** @import { Problem } from "./api.js" */
/** @import { Announcer, Connection, Title } from "./chrome.js" */
/** @import { Operator } from "./operator.js" */

/** @typedef {Record<string, unknown>} Fields Unchecked values by name. */

/** @typedef {{ rank: string, suit: string }} Card A rank such as "T" and a suit such as "spades". */

/**
 * @typedef {object} TableEvent An event of a table, as the lobby passes it on.
 * @property {string} eventType
 * @property {number} [epoch] The table's epoch; a higher one replaces all before it.
 * @property {number} [sequence] The event's number within its epoch.
 * @property {string} [message]
 * @property {string} [timestamp]
 * @property {string | null} [handId]
 * @property {Fields | null} [payload]
 */

/**
 * @typedef {object} Action A player's latest action.
 * @property {string} action
 * @property {number | null} amount What a call costs, or what a bet or raise comes to.
 * @property {string} outcome "ok", or how the player failed.
 * @property {string} why Why something answered in the player's place; "" where nothing did.
 * @property {string} [words] The action as text, in games other than Hold'em.
 */

/**
 * @typedef {object} HandPart What a seat has during a hand.
 * @property {number} bet Chips before the seat in this betting round.
 * @property {number} committed Chips paid in this hand.
 * @property {boolean} isDealt
 * @property {boolean} isFolded
 * @property {string | null} post The blind that was posted.
 * @property {Action | null} last
 * @property {string} says
 * @property {Card[] | null} cards Cards that everybody sees.
 * @property {string} rank The name of the hand that was shown.
 * @property {Card[] | null} best The five cards that count.
 * @property {number} won
 * @property {number | null} score The change of the stack, in games other than Hold'em.
 */

/**
 * @typedef {object} SeatPart What a seat has between hands, too.
 * @property {string} id The player's id.
 * @property {string} name
 * @property {number | null} number The place at the table, from 0.
 * @property {number} stack
 * @property {boolean} isOut Whether the player sits out.
 * @property {boolean} isGuest Whether a person plays it.
 * @property {string} model The language model that plays it; "" without one.
 * @property {number | null} finish The place in which the player went broke; 0 without one.
 */

/** @typedef {SeatPart & HandPart} Seat */
/** @typedef {Map<string, Seat>} Seats Seats by player id. */

/**
 * @typedef {object} ActionEntry
 * @property {"action"} kind
 * @property {string} id
 * @property {string} name
 * @property {string} action
 * @property {string} outcome
 * @property {string} why As of `Action`.
 * @property {string} model As of the seat.
 * @property {string} says
 * @property {number | null} amount
 * @property {string} [words]
 * @property {number | null} latencyMs
 */
/** @typedef {{ kind: "post", id: string, name: string, what: string, amount: number }} PostEntry */
/** @typedef {{ kind: "street", street: string, cards: Card[] }} StreetEntry */
/** @typedef {{ kind: "result", id: string, name: string, won: number, rank: string, cards: Card[] | null }} ResultEntry */
/** @typedef {{ kind: "score", name: string, score: number }} ScoreEntry */
/** @typedef {{ kind: "note", text: string }} NoteEntry */
/** @typedef {ActionEntry | PostEntry | StreetEntry | ResultEntry | ScoreEntry | NoteEntry} LogEntry */

/**
 * @typedef {object} Cost What decisions cost; null where nobody said it.
 * @property {string} model
 * @property {number | null} latencyMs How long the model took.
 * @property {number | null} tokens
 * @property {number | null} usd
 */

/**
 * @typedef {object} Decision What may be seen of a decision when its hand is over; "" for nothing.
 * @property {string} id The player's id.
 * @property {string} reasoning
 * @property {string} why As of `Action`.
 * @property {string} detail Why it failed, in the words of whoever noticed it.
 * @property {Cost | null} cost
 */

/**
 * @typedef {object} GameState The public state of a game other than Hold'em.
 * @property {string} type
 * @property {unknown} first The state at the start of the hand.
 * @property {unknown} state The state now.
 * @property {string[]} told The state in the game's own sentences; none of a game without.
 * @property {number | null} house What the bank of a banked game won.
 */

/**
 * @typedef {object} Hand
 * @property {number} number
 * @property {string | null} id
 * @property {number | null} buttonSeat
 * @property {number} smallBlind
 * @property {number} bigBlind
 * @property {number} ante
 * @property {string} street
 * @property {Card[]} board
 * @property {number} pot
 * @property {number[]} pots The main pot and the side pots, once there are several.
 * @property {{ id: string, amount: number }[][]} awards The winners of each pot, once it is over.
 * @property {string[]} shown The ids of players who showed their hands, in this order.
 * @property {number} pauseMs How long the table waits after it.
 * @property {number} currentBet
 * @property {string[]} due The ids of players who have to act.
 * @property {string | null} actor The id of the player who acts now.
 * @property {{ id: string, amount: number } | null} returned An unmatched bet that went back.
 * @property {"betting" | "over" | "cancelled"} phase
 * @property {Map<string, number>} stacks The stacks at the start of the hand.
 * @property {LogEntry[]} log
 * @property {(Decision | undefined)[]} decisions What became public of them with the hand's end.
 * @property {GameState | null} game Null in Hold'em.
 */

/** @typedef {Hand & { game: GameState }} GameHand A hand of a game other than Hold'em. */

/**
 * @typedef {object} TableState
 * @property {number} epoch
 * @property {number} sequence
 * @property {string} status The table's status.
 * @property {string | null} state The room's state, where it is more than the table's status.
 * @property {string} message
 * @property {string | null} at When the latest event happened.
 * @property {number} handCount
 * @property {number | null} handsLeft
 * @property {Seats} seats
 * @property {NoteEntry[]} between What happened since the latest hand was over.
 * @property {Seats | null} atEnd The players of the last hand, once the table is closed.
 * @property {Hand | null} hand
 * @property {Waiting[]} [waits] Why the room does not go on, the oldest first.
 */

/** @typedef {{ reason: string, since: string, what: string, fix: string, playsOn?: boolean }} Waiting */

/**
 * @typedef {object} RoomConfig
 * @property {number} startingStack
 * @property {number} smallBlind
 * @property {number} bigBlind
 * @property {number} maxSeats
 * @property {number} actionTimeoutMs
 * @property {number | null} [paceMs] The least time between two decisions.
 * @property {number | null} [resultMs] How long the table waits after a hand.
 * @property {number} [minBuyIn]
 * @property {number} [maxBuyIn]
 */

/**
 * @typedef {object} RoomSummary A room in the lobby's list.
 * @property {Waiting[]} [waits]
 * @property {string} roomId
 * @property {string} [gameType]
 * @property {string} status
 * @property {string} [state]
 * @property {number} handCount
 * @property {number} playerCount
 * @property {Fields[]} [players] Who sits there.
 * @property {number} [maxSeats]
 * @property {number} [smallBlind] Absent in games without blinds.
 * @property {number} [bigBlind]
 */

/**
 * @typedef {object} Room A room with its newest events.
 * @property {string} roomId
 * @property {string} [gameType]
 * @property {RoomConfig} config
 * @property {boolean} [seeded]
 * @property {FairMark} [fair] Absent where the table deals by itself.
 * @property {number} [epoch]
 * @property {string} [state]
 * @property {TableEvent[]} events
 * @property {{ status: string, handCount: number, message?: string, players?: Fields[], waits?: Waiting[] }} [summary]
 */

/** @typedef {{ playerId?: string, reason: string }} LeftOut A contributor; the lobby has no id. */
/** @typedef {{ block: string, contributors: string[], missing?: LeftOut[], key?: string }} FairMark */

/**
 * @typedef {object} LobbyConfig
 * @property {string} name
 * @property {boolean} operatorTokenNeeded
 * @property {Record<string, string | number>} [defaultConfig]
 * @property {string} [gatewayUrl] Where people take seats.
 * @property {boolean} [isOperator] Whether everybody who reads it is the operator.
 * @property {SampleBot[]} [sampleBots] What the lobby offers for free seats.
 */

/** @typedef {{ name: string, agentCardUrl: string }} SampleBot */
/** @typedef {{ agentCardUrl: string, source: string, health: string, roomId?: string }} ListedTable */
/** @typedef {{ tables: ListedTable[] }} TableList */
/** @typedef {{ players?: { playerId: string }[] }} Seated A table's summary: who sits there. */
/** @typedef {{ text: string, take: (number: number) => void }} SeatOffer What a free seat's button does. */

/** @typedef {{ gameType: string, name: string, players: { min: number, max: number } }} Game */
/** @typedef {{ games: Game[] }} Games The games that the tables play. */
/** @typedef {{ displayName: string, seatNumber: number, stack: number }} TakenSeat */

/**
 * @typedef {object} CompletedHand A hand of the lobby's list of completed hands.
 * @property {unknown} [handNumber]
 * @property {number} [epoch]
 * @property {unknown} [kinds]
 * @property {unknown} [message]
 * @property {unknown} [pots]
 * @property {unknown} [stacks]
 * @property {unknown} [communityCards]
 */

/** @typedef {{ hands: CompletedHand[], next?: string | null }} HandsPage */
/** @typedef {{ events: TableEvent[] }} HandEvents The events of a hand. */
/** @typedef {HandEvents & { commitment: Fields, contributed: Fields }} HandProof What its deal is checked by. */
/** @typedef {{ fault: string }} HandCheck What came of a deal's check; "" without a fault. */

/**
 * @typedef {object} PastHand
 * @property {number} number
 * @property {number} epoch
 * @property {string} message
 * @property {number} pot
 * @property {Map<string, number>} stacks
 * @property {string[]} kinds What makes it worth looking at; empty while it is new.
 */

/** @typedef {{ win: number, tie: number, isAbout?: boolean }} Odds Chances; `isAbout`: estimated. */

/**
 * @typedef {object} PlayerFault A decision that failed; `turns` that a seat missed in a row.
 * @property {number} [handNumber]
 * @property {string} [bettingRound]
 * @property {string} outcome
 * @property {string} [defaulted] The reason of a default.
 * @property {number} turns
 * @property {number} [latencyMs] Absent if nothing was asked.
 * @property {string} [reason]
 */

/**
 * @typedef {object} PlayerFaults
 * @property {Record<string, number>} outcomes The number of decisions by outcome.
 * @property {PlayerFault[]} [faults] The newest first; absent without the right to read them.
 */

/**
 * @typedef {object} Standing What a player has won in a room.
 * @property {string} playerId
 * @property {string} displayName
 * @property {number} hands
 * @property {number} net Chips won, without those that were bought.
 * @property {number} bought
 * @property {number} stack
 * @property {number | null} [bbPer100] The win rate; in games without blinds chips per 100 hands.
 * @property {number | null} [halfInterval95] Null while it says nothing.
 * @property {Record<string, number>} [faults] Failed decisions by outcome.
 * @property {DefaultCount[]} [defaulted] In which its program answered in its place.
 * @property {Costs} [costs]
 * @property {{ model?: string }} [profile]
 * @property {PlayStatistics} [statistics] Of Hold'em.
 * @property {{ decisions: number, p50: number, p95: number }} [latency] In ms.
 * @property {boolean} [isGuest]
 * @property {boolean} [hasLeft]
 * @property {string} [career] Its id among the casino's players.
 */
/** @typedef {{ reason: string, count: number, detail?: string }} DefaultCount */
/**
 * @typedef {object} Costs What a player's decisions cost.
 * @property {string[]} models
 * @property {number} decisions
 * @property {number} latencyMs
 * @property {number} inputTokens
 * @property {number} outputTokens
 * @property {number} [costUsd]
 * @property {number} [unpriced] Decisions without a price.
 * @property {number} tokensPer100Hands
 * @property {number} [usdPer100Hands]
 * @property {number} [wonPerUsd] In the unit of the win rate.
 * @property {number} [wonPer1000Tokens]
 */
/** @typedef {{ count: number, of: number }} Tally */
/** @typedef {Record<"vpip" | "pfr" | "threeBet" | "cBet" | "aggression" | "wentToShowdown" | "wonAtShowdown", Tally>} PlayStatistics */
/** @typedef {{ playerId: string, net: number, nets: (number | null)[] }} NetLine Two nets for each step. */
/** @typedef {{ firstHand?: number, lastHands: number[], players: NetLine[] }} NetSeries */
/** @typedef {{ hands: number, players: Standing[] }} Standings A room's, sorted by net. */

/**
 * @typedef {object} HandRecord What the lobby shows of a hand to an operator.
 * @property {string} handId
 * @property {{ bettingRound: string, odds: (Odds & { playerId: string })[] }[]} [odds]
 * @property {Fields | null} [privateStates]
 * @property {{ playerId: string, cards: Card[] }[]} [holeCards]
 * @property {Fields[]} [decisions]
 */

/**
 * @typedef {object} Insight A hand's record as the views use it; maps by player id.
 * @property {string} handId
 * @property {Map<string, Card[]>} cards
 * @property {Map<string, Map<string, Odds>>} odds By street.
 * @property {(Decision | undefined)[]} decisions In their order.
 */

/** @typedef {"public" | "commentator"} Feed */
/** @typedef {{ key: number, isRunning: boolean, lengthMs: number, elapsedMs: number }} Clock */

/** @typedef {{ name: "table_event", data: { roomId: string, event: TableEvent } }} TableMessage */
/** @typedef {{ name: "hand_record", data: HandRecord }} RecordMessage */
/** @typedef {{ name: "room_opened" | "room_closed", data: { room: RoomSummary } }} SummaryMessage */
/** @typedef {{ name: "snapshot", data: { room: Room } }} RoomSnapshot */
/** @typedef {{ name: "snapshot", data: { rooms: RoomSummary[] } }} LobbySnapshot */

/**
 * @typedef {object} OwnHand
 * @property {number} handNumber
 * @property {number} epoch
 * @property {string} message
 * @property {string} [position]
 * @property {number} [net]
 * @property {Card[]} [holeCards]
 * @property {Card[]} communityCards
 * @property {number} decisions
 * @property {number} faults
 * @property {number} [slowestMs]
 */
/** @typedef {{ standing?: Standing, hands: OwnHand[], next?: string, cardsMissing?: string }} OwnPage */
/**
 * @typedef {object} Answered One decision: question, answer, and what came of it.
 * @property {string} [bettingRound]
 * @property {string} [action]
 * @property {number} [amount]
 * @property {string} [outcome]
 * @property {number} [latencyMs]
 * @property {string} [reason]
 * @property {string} [reasoning]
 * @property {Fields} [defaulted]
 * @property {Fields} [usage]
 * @property {string} [refused] The refused answer as JSON, possibly cut off.
 * @property {Fields} [answer]
 * @property {Fields} [question]
 */
/** @typedef {{ hand: OwnHand, decisions: Answered[], privateState?: Fields, recordMissing?: string }} OwnDetail */

/** @typedef {"newest" | "losses" | "faults"} OwnOrder */

/** @typedef {TableMessage | RecordMessage} PaceItem What is shown in its turn. */
/** @typedef {{ name: "room_waits", data: { waits: Waiting[] } }} WaitsMessage */
/** @typedef {RoomSnapshot | SummaryMessage | WaitsMessage | PaceItem} RoomMessage An event of a room's stream. */
/** @typedef {LobbySnapshot | SummaryMessage | TableMessage} LobbyMessage An event of the lobby's. */

/**
 * @typedef {{ kind: "connecting", isFirst: boolean } | { kind: "live" } | { kind: "ended" }
 *   | { kind: "silent", seconds: number, isLost: true } | { kind: "waiting", waitMs: number, isLost: boolean } | { kind: "refused", problem: Problem }} ConnectionState
 *   `isLost`: another attempt has failed.
 */

/** @typedef {{ room: string | null, hand: number | null, step: number | null, epoch: number | null }} Link */

/**
 * @typedef {object} Shared What every view may use.
 * @property {Connection} connection
 * @property {Announcer} announcer
 * @property {Operator} operator
 * @property {Promise<LobbyConfig | null>} config
 * @property {Title} title
 */

/** @typedef {{ element: HTMLElement, stop: () => void, navigate: (link: Link) => unknown }} View What the address names. */

/** @typedef {string | number | boolean | null | undefined} AttributeValue */
/** @typedef {Record<string, AttributeValue | ((event: Event) => unknown)>} Attributes */
/** @typedef {Node | string | null | undefined} Child */
/** @typedef {[value: string | number, text: string]} Option */

export {};
