// The schemas of a dialect's messages, and which of them a message has to fulfil.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const STRICT = "strict";
const OWN = { seed: "seed.json", strict: "strict.json" };
/** File of the organisation's schemas by message. */
const FILES = {
  get_state: "requests/get_state.json",
  perform_action: "requests/perform_action.json",
  get_state_response: "responses/get_state.json",
  perform_action_response: "responses/perform_action.json",
  push_event: "responses/push_event.json",
};

export class Messages {
  #validators = new Map();
  #dialect;

  /** `directory` has the organisation's own schemas of the strict dialect. */
  constructor(dialect, directory) {
    this.#dialect = dialect;
    const ajv =
      dialect === STRICT
        ? new Ajv({ allErrors: true })
        : new Ajv2020({ allErrors: true, strictTypes: false });
    addFormats(ajv);
    for (const [name, schema] of Object.entries(this.#read(directory))) {
      this.#validators.set(name, ajv.compile(schema));
    }
  }

  /** What is wrong with a message; "" for nothing, and where the dialect has no schema for it. */
  faults(message) {
    const name = this.nameOf(message);
    const validate = this.#validators.get(name);
    if (validate === undefined) {
      return this.#dialect === STRICT && name === "error" ? "" : `${name} is no message`;
    }
    if (validate(message)) return "";
    const lines = validate.errors.map((error) => `${error.instancePath} ${error.message}`);
    return `${name}: ${lines.slice(0, 5).join("; ")}`;
  }

  /** The strict dialect's pushes need no `type`. */
  nameOf(message) {
    return message.type ?? (message.event === undefined ? "nothing" : "push_event");
  }

  #read(directory) {
    if (directory === undefined) {
      return JSON.parse(readFileSync(new URL(OWN[this.#dialect], import.meta.url), "utf8"));
    }
    readdirSync(directory); // throws, naming it, where it is not there
    return Object.fromEntries(
      Object.entries(FILES).map(([name, file]) => [
        name,
        JSON.parse(readFileSync(join(directory, file), "utf8")),
      ]),
    );
  }
}
