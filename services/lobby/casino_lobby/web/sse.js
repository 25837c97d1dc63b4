/** Parses server-sent events out of a stream of text, by the rules of the HTML standard. */
// @ts-check

export class SseParser {
  #rest = "";
  /** @type {string[]} */
  #data = [];
  #name = "";
  /** @type {string | null} */
  #id = null;
  #emit;

  /**
   * @param {(name: string, data: string, id: string | null) => void} emit Called for every event;
   *   `id` is null where the event has none.
   */
  constructor(emit) {
    this.#emit = emit;
  }

  /**
   * Parse the next piece of text; lines and events may be cut anywhere.
   * @param {string} text
   */
  feed(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#parse(line);
  }

  /** @param {string} line */
  #parse(line) {
    if (line === "") return this.#dispatch();
    if (line.startsWith(":")) return undefined;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#name = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #dispatch() {
    const [name, data, id] = [this.#name || "message", this.#data, this.#id];
    [this.#name, this.#data, this.#id] = ["", [], null];
    if (data.length > 0) this.#emit(name, data.join("\n"), id);
  }
}
