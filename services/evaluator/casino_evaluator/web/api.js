/** The evaluator's REST interface as the page uses it; a refused request throws a Refusal. */
// @ts-check

/** @import { Listing, ReplayPart, Summary } from "./types.js" */

const KEY = "evaluator-api-key";

/** A request that was refused, with the evaluator's own message. */
export class Refusal extends Error {
  /**
   * @param {number} status The HTTP status; 0 without a response.
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The API key, kept for this tab and sent as a header only. */
export const apiKey = {
  /** @returns {string | null} */
  get: () => sessionStorage.getItem(KEY),

  /** @param {string} key */
  keep: (key) => sessionStorage.setItem(KEY, key),

  forget: () => sessionStorage.removeItem(KEY),
};

/**
 * Send a request and return the JSON of the response.
 * @param {string} path
 * @param {string | null} [key] The API key; null sends none.
 */
async function get(path, key = apiKey.get()) {
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json" };
  if (key !== null) headers["x-api-key"] = key;
  let response;
  try {
    response = await fetch(new URL(path, document.baseURI), { headers, credentials: "omit" });
  } catch {
    throw new Refusal(0, "The evaluator does not answer. Is it running?");
  }
  let body = null;
  try {
    body = await response.json();
  } catch {
    // no JSON: the status has to be enough
  }
  if (response.ok && body !== null) return body;
  throw new Refusal(
    response.status,
    body?.message ?? `The evaluator answered with status ${response.status}.`,
  );
}

/** The routes that the page reads. */
export const api = {
  /** @returns {Promise<{ api_key: string }>} */
  anonymousKey: () => get("api/games/anonkey", null),

  /** @returns {Promise<{ scorecards: Listing[] }>} */
  cards: () => get("api/scorecards"),

  /** @type {(cardId: string) => Promise<Summary>} */
  card: (cardId) => get(`api/scorecard/${encodeURIComponent(cardId)}`),

  /** @type {(guid: string, first: number) => Promise<ReplayPart>} */
  replay: (guid, first) => get(`api/replay/${encodeURIComponent(guid)}?first=${first}&limit=100`),
};
