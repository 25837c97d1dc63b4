/** The shapes of published matches and leagues, as types for `tsc`; no module loads this file. */
// @ts-check

/** @import { Costs, DefaultCount, HandRecord, PlayStatistics, TableEvent } from "../types.js" */

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
