/** The REST part of A2G: requests of one login, and their refusals. */
// @ts-check

/** @typedef {Record<string, unknown>} Json */
/** @typedef {{ token: string, sessionId?: string | null, expiresAt?: unknown }} Login */

/** A refusal: `code` is one of A2G's, `details` what came with it, `status` of HTTP (0: none). */
export class A2GError extends Error {
  /**
   * @param {Json | null | undefined} body
   * @param {{ status?: number, tableId?: string | null }} [where]
   */
  constructor(body, { status = 0, tableId = null } = {}) {
    super(String(body?.message || `The server answered with status ${status}.`));
    this.code = String(body?.code ?? "INTERNAL_ERROR");
    this.status = status;
    this.tableId = tableId;
    this.details = body ?? {};
  }
}

/** Sends requests to a server, with the token of the login once there is one. */
export class Rest {
  /** @type {Login | null} */
  login = null;
  #base;
  #fetch;

  /**
   * @param {string} base The server's base URL.
   * @param {typeof globalThis.fetch} fetch
   */
  constructor(base, fetch) {
    this.#base = base;
    this.#fetch = fetch;
  }

  /**
   * Return the body of an answer: JSON, or a text such as a specification. Throws A2GError, with
   * status 0 if there is no answer.
   * @param {string} method
   * @param {string} path
   * @param {Json} [body]
   * @returns {Promise<any>}
   */
  async send(method, path, body) {
    /** @type {Record<string, string>} */
    const headers = { accept: "application/json, text/markdown" };
    if (this.login) headers.authorization = `Bearer ${this.login.token}`;
    if (body) headers["content-type"] = "application/json";
    const content = body ? JSON.stringify(body) : null;
    let response;
    let text;
    try {
      response = await this.#fetch(this.#base + path, { method, headers, body: content });
      text = await response.text();
    } catch {
      throw new A2GError({ code: "INTERNAL_ERROR", message: "The server does not answer." });
    }
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    const answer = isJson ? parsed(text) : null;
    if (!response.ok) throw new A2GError(answer, { status: response.status });
    return isJson ? answer : text;
  }
}

/**
 * Return the object in a text, null if there is none.
 * @param {string} text
 * @returns {Json | null}
 */
export function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
