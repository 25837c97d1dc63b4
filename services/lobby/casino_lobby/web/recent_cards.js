/** The agent cards that were seated from this browser, the last one first. */
// @ts-check

/** @import { SampleBot } from "./types.js" */

import { keep, kept } from "./chrome.js";

const KEPT_AS = "recent-cards";
const MOST = 6;
const LONGEST = 2_048;

/**
 * Return the cards in a stored text; what is no card is left out.
 * @param {string | null} text
 * @returns {SampleBot[]}
 */
export function cardsIn(text) {
  let stored;
  try {
    stored = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  return Array.isArray(stored) ? stored.filter(isCard).slice(0, MOST) : [];
}

/**
 * Return the cards after one more was used.
 * @param {SampleBot[]} cards
 * @param {SampleBot} used
 */
export function withCard(cards, used) {
  const others = cards.filter(({ agentCardUrl }) => agentCardUrl !== used.agentCardUrl);
  return (isCard(used) ? [used, ...others] : others).slice(0, MOST);
}

/** Return the cards of this browser. */
export function recentCards() {
  return cardsIn(kept(localStorage, KEPT_AS));
}

/**
 * Remember a card.
 * @param {SampleBot} used
 */
export function rememberCard(used) {
  keep(localStorage, KEPT_AS, JSON.stringify(withCard(recentCards(), used)));
}

/** Forget all. */
export function forgetCards() {
  keep(localStorage, KEPT_AS, null);
}

/**
 * @param {unknown} card
 * @returns {card is SampleBot}
 */
function isCard(card) {
  if (typeof card !== "object" || card === null) return false;
  const { name, agentCardUrl } = /** @type {Record<string, unknown>} */ (card);
  const isUrl = typeof agentCardUrl === "string" && /^https?:\/\//.test(agentCardUrl);
  return typeof name === "string" && isUrl && agentCardUrl.length <= LONGEST;
}
