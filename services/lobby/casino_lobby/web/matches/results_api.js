/** The lobby's matches and leagues, as the page reads them. */
// @ts-check

/** @import { League, LeagueList, MatchHand, MatchList, MatchResult } from "./types.js" */

import { fetchWithKey, Problem } from "../api.js";

/**
 * Return the JSON of a path; throws Problem.
 * @param {string} path
 */
async function read(path) {
  let response;
  try {
    response = await fetchWithKey(path, { headers: { accept: "application/json" } }, false);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(0, { detail: "The lobby does not answer. Is it running?" });
  }
  return response.json();
}

/**
 * Return a page of matches.
 * @param {Record<string, string | number>} query Players, and where the page begins.
 * @returns {Promise<MatchList>}
 */
export function matches(query = {}) {
  return read(`v1/matches${search(query)}`);
}

/**
 * Return a page of leagues.
 * @param {Record<string, string | number>} query
 * @returns {Promise<LeagueList>}
 */
export function leagues(query = {}) {
  return read(`v1/leagues${search(query)}`);
}

/**
 * @param {string} id
 * @returns {Promise<MatchResult>}
 */
export function match(id) {
  return read(`v1/matches/${encodeURIComponent(id)}`);
}

/**
 * Return a notable hand of a match; they count from 1.
 * @param {string} id
 * @param {number} hand
 * @returns {Promise<MatchHand>}
 */
export function matchHand(id, hand) {
  return read(`v1/matches/${encodeURIComponent(id)}/hands/${hand}`);
}

/**
 * @param {string} id
 * @returns {Promise<League>}
 */
export function league(id) {
  return read(`v1/leagues/${encodeURIComponent(id)}`);
}

/** @param {Record<string, string | number>} query */
function search(query) {
  const entries = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : "";
}
