/** The JSON that the page gets from the evaluator, as types. */
// @ts-check

/** @typedef {string | number | boolean | null | undefined} AttributeValue */
/** @typedef {Record<string, AttributeValue | ((event: Event) => unknown)>} Attributes */
/** @typedef {Node | string | null | undefined} Child */

/**
 * @typedef {object} Listing One scorecard in the list of a key's.
 * @property {string} card_id
 * @property {string[]} tags
 * @property {string} open_at
 * @property {string} last_update
 * @property {string | null} closed_at
 * @property {boolean} competition_mode
 * @property {string | null} seed
 */

/**
 * @typedef {object} Run One run of a session.
 * @property {string} guid
 * @property {number} score
 * @property {number} levels_completed
 * @property {number} actions
 * @property {number} resets
 * @property {string} state
 * @property {number[]} level_scores
 * @property {number[]} level_actions
 * @property {number[]} level_baseline_actions
 */

/**
 * @typedef {object} Chips What an environment counts beside the public API.
 * @property {number} hands
 * @property {number} chips
 * @property {number | null} chips_per_hand
 * @property {number | null} bb_per_100
 * @property {number[] | null} bb_per_100_interval_95
 * @property {number} decisions
 * @property {number} unavailable_actions
 * @property {number | null} unavailable_share
 * @property {number} opponent_defaults
 */

/**
 * @typedef {object} Environment One game of a scorecard.
 * @property {string} id
 * @property {string} title
 * @property {number} score
 * @property {number} actions
 * @property {number} levels_completed
 * @property {number} level_count
 * @property {number} resets
 * @property {boolean} completed
 * @property {Run[]} runs
 * @property {Chips} casino
 */

/**
 * @typedef {object} Summary A scorecard.
 * @property {string} card_id
 * @property {number} score
 * @property {string[]} tags
 * @property {string} [source_url]
 * @property {string} [seed]
 * @property {string} open_at
 * @property {string} last_update
 * @property {string} [closed_at]
 * @property {boolean} competition_mode
 * @property {number} total_environments
 * @property {number} total_environments_completed
 * @property {number} total_levels
 * @property {number} total_levels_completed
 * @property {number} total_actions
 * @property {Environment[]} environments
 * @property {Waiting[]} [waits] What its sessions wait for.
 */

/** @typedef {{ reason: string, since: string, what: string, fix: string }} Waiting */

/**
 * @typedef {object} Command One command of a session, as it was answered.
 * @property {number} number
 * @property {{ id: number, data: Record<string, unknown>, reasoning?: unknown }} action_input
 * @property {string[]} frames Each 4096 hexadecimal digits, row by row.
 * @property {string} state
 * @property {number} score
 * @property {boolean} full_reset
 * @property {number[]} available_actions
 */

/**
 * @typedef {object} ReplayPart Some commands of a session.
 * @property {string} guid
 * @property {string} game_id
 * @property {string} card_id
 * @property {number} commands_total
 * @property {number} dropped How many of the oldest are not kept any more.
 * @property {number} first
 * @property {Command[]} commands
 */

/** @typedef {{ name: "list" } | { name: "card", id: string } | { name: "replay", id: string }} Route */

export {};
