// Everything that goes over the wire, one JSON object a line: `{direction, via, at, text}`.

import { closeSync, openSync, writeSync } from "node:fs";

export class Dump {
  #file;

  /** Without a path nothing is written. */
  constructor(path) {
    this.#file = path === undefined ? undefined : openSync(path, "w");
  }

  received(via, text, more = {}) {
    this.#write("in", via, text, more);
  }

  sent(via, text, more = {}) {
    this.#write("out", via, text, more);
  }

  close() {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(direction, via, text, more) {
    if (this.#file === undefined) return;
    writeSync(this.#file, `${JSON.stringify({ direction, via, at: Date.now(), ...more, text })}\n`);
  }
}
