/** The shapes of published matches and leagues, as types for `tsc`; no module loads this file. */
// @ts-check

/** @import { CompletedHand, Costs, DefaultCount, HandRecord, PlayStatistics, TableEvent } from "../types.js" */

/** @typedef {{ low: number, high: number }} Interval In bb/100. */
/** @typedef {"better" | "worse" | "undecided"} Verdict */

/**
 * @typedef {object} Estimate
 * @property {"plain" | "all-in" | "adjusted"} estimator
 * @property {number} bbPer100
 * @property {Interval} [normal]
 * @property {Interval} [bootstrap]
 * @property {number} [varianceRatio]
 */

/**
 * @typedef {object} MatchPlayer
 * @property {string} name
 * @property {string} player
 * @property {string} [version]
 * @property {number} hands
 * @property {number} net
 * @property {Estimate[]} estimates
 * @property {PlayStatistics} [statistics]
 * @property {number} decisions
 * @property {Record<string, number>} outcomes
 * @property {DefaultCount[]} [defaulted] In which its program answered in its place.
 * @property {string[]} [models]
 * @property {Costs} [costs]
 * @property {{ decisions: number, p50: number, p95: number }} [latency]
 * @property {{ position: string, hands: number, net: number, statistics?: PlayStatistics }[]} [positions]
 * @property {{ street: string, net: number }[]} [streets]
 */

/** @typedef {{ decks: number, bbPer100: number, low: number, high: number }} SeriesPoint */

/**
 * @typedef {object} MatchPair
 * @property {string} first
 * @property {string} second
 * @property {Estimate[]} estimates
 * @property {string} headline
 * @property {Interval} [simultaneous]
 * @property {Verdict} verdict
 * @property {string} sentence
 * @property {SeriesPoint[]} [series]
 */

/**
 * @typedef {object} NotableHand
 * @property {number} deck
 * @property {number} seating
 * @property {number} pot
 * @property {string[]} players
 * @property {Record<string, number>} net
 * @property {"biggest" | "decisive"} kind
 * @property {string} history
 */

/**
 * @typedef {object} MatchHand
 * @property {number} handNumber
 * @property {number} deck
 * @property {number} seating
 * @property {"biggest" | "decisive"} kind
 * @property {TableEvent[]} events
 * @property {HandRecord} record
 */

/**
 * @typedef {object} MatchResult
 * @property {string} name
 * @property {Record<string, unknown>} plan
 * @property {string} planDigest
 * @property {string} digest
 * @property {number} decks
 * @property {number} hands
 * @property {boolean} isComplete
 * @property {number} bigBlind
 * @property {MatchPlayer[]} players
 * @property {MatchPair[]} pairs
 * @property {NotableHand[]} [notableHands]
 * @property {string} [finishedAt]
 */

/**
 * @typedef {object} PairSummary
 * @property {string} first
 * @property {string} second
 * @property {number} bbPer100
 * @property {Interval} [interval]
 * @property {Verdict} verdict
 * @property {string} sentence
 */

/**
 * @typedef {object} MatchSummary
 * @property {string} matchId
 * @property {string} name
 * @property {number} decks
 * @property {number} hands
 * @property {boolean} isComplete
 * @property {string[]} players
 * @property {PairSummary[]} pairs
 * @property {string} publishedAt
 * @property {string} [finishedAt]
 */

/** @typedef {{ matches: MatchSummary[], next?: number }} MatchList */
/** @typedef {{ leagueId: string, name: string, players: number, hands: number, leader?: string }} LeagueSummary */
/** @typedef {{ leagues: LeagueSummary[], next?: number }} LeagueList */

/**
 * @typedef {object} CareerLine A player's results in all rooms of a game: an entry of the ranking.
 * @property {string} id
 * @property {number | null} rank Null while nothing is decided.
 * @property {string} name
 * @property {{ model?: string }} [profile]
 * @property {number} rooms
 * @property {number} hands
 * @property {number} bbPer100
 * @property {number | null} halfInterval95 Null where it says nothing yet.
 * @property {boolean} decided
 * @property {Record<string, number>} faults Failed decisions by outcome.
 * @property {number} decisions
 * @property {string[]} seatedIn Ids of open rooms.
 */
/** @typedef {{ gameType: string, unit: "bb" | "chips", players: CareerLine[], next?: string }} CareerList */
/** @typedef {{ unit: "bb" | "chips", hands: number, bbPer100: number, halfInterval95: number | null }} CareerRate */
/** @typedef {CareerRate & { gameType: string, rank: number | null, rooms: number }} CareerGame */
/** @typedef {CareerRate & { roomId: string, playerId: string, state: string, net: number }} CareerRoom */
/** @typedef {{ roomId: string, epoch: number, handNumber: number, score?: number, net?: number }} CareerHand */

/**
 * @typedef {object} Career A player over all rooms of a casino.
 * @property {string} id
 * @property {string} name
 * @property {"human" | "ai"} [playerType]
 * @property {{ model?: string }} [profile]
 * @property {string} [description]
 * @property {string[]} seatedIn
 * @property {CareerGame[]} games
 * @property {CareerRoom[]} rooms
 * @property {PlayStatistics} [statistics]
 * @property {{ hands: number, words: string[] }} [style]
 * @property {{ decisions: number, p50: number, p95: number }} [latency]
 * @property {Record<string, number>} faults
 * @property {DefaultCount[]} [defaulted]
 * @property {Costs} [costs]
 * @property {CareerHand[]} bestHands
 * @property {CareerHand[]} greatestWins
 */

/**
 * @typedef {object} Highlight The best hand of a room's last hour.
 * @property {string} roomId
 * @property {string} gameType
 * @property {CompletedHand} hand
 */

/** @typedef {{ highlights: Highlight[] }} HighlightList */

/**
 * @typedef {object} LeagueEntry
 * @property {string} name
 * @property {string} player
 * @property {number} rank
 * @property {number} worstRank
 * @property {number} bbPer100
 * @property {Interval} [interval]
 * @property {number} hands
 * @property {boolean} isProvisional
 */

/**
 * @typedef {object} HeadToHead
 * @property {string} first
 * @property {string} second
 * @property {number} bbPer100
 * @property {Interval} [interval]
 * @property {number} hands
 * @property {Verdict} verdict
 * @property {string} [match]
 */

/**
 * @typedef {object} League
 * @property {string} name
 * @property {number} provisionalBelow
 * @property {LeagueEntry[]} players
 * @property {HeadToHead[]} matrix
 * @property {string} [updatedAt]
 */

export {};
