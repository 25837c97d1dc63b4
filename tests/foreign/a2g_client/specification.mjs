// A game's specification: front matter and the three schemas of its document, and a store of them.

import { Ajv2020 } from "ajv/dist/2020.js";
import { parse as parseYaml } from "yaml";

const SCHEMAS = { state: "State Schema", action: "Action Schema", result: "Result Schema" };
const REQUIRED = ["gameType", "gameModel", "defaultTimeoutAction", "schemaFormat"];
const MODELS = ["turn_based", "phase_based"];

export class Specification {
  /** Throws where the document lacks something that the protocol asks for. */
  constructor(document) {
    const { frontMatter, markdown } = split(document);
    for (const key of REQUIRED) {
      if (typeof frontMatter[key] !== "string") throw new Error(`the front matter has no ${key}`);
    }
    if (frontMatter.schemaFormat !== "json-schema") {
      throw new Error(`schemaFormat is ${frontMatter.schemaFormat}, not json-schema`);
    }
    if (!MODELS.includes(frontMatter.gameModel)) {
      throw new Error(`gameModel ${frontMatter.gameModel} is unknown`);
    }
    this.gameType = frontMatter.gameType;
    this.version = String(frontMatter.version);
    this.gameModel = frontMatter.gameModel;
    this.defaultTimeoutAction = frontMatter.defaultTimeoutAction;
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    this.schemas = {};
    this.validators = {};
    for (const [name, title] of Object.entries(SCHEMAS)) {
      const schema = jsonBlock(section(markdown, title), title);
      if (!ajv.validateSchema(schema)) {
        throw new Error(`the ${title} is no JSON Schema: ${ajv.errorsText(ajv.errors)}`);
      }
      this.schemas[name] = schema;
      this.validators[name] = ajv.compile(schema);
    }
  }

  /** What is wrong with a payload by the schema `state`, `action` or `result`; "" for nothing. */
  faults(name, payload) {
    const validate = this.validators[name];
    if (validate(payload)) return "";
    const lines = validate.errors.map((error) => `${error.instancePath} ${error.message}`);
    return lines.slice(0, 5).join("; ");
  }
}

export class SpecificationStore {
  #rest;
  #byGame = new Map();
  fetches = 0;

  constructor(rest) {
    this.#rest = rest;
  }

  /** The specification of a game, loaded when it is new or when another version is named. */
  async of(gameType, version) {
    const cached = this.#byGame.get(gameType);
    if (cached !== undefined) {
      const specification = await cached;
      if (version === undefined || specification.version === version) return specification;
    }
    const loading = this.#load(gameType);
    this.#byGame.set(gameType, loading);
    return loading;
  }

  /** By the protocol: the list first, then the document. */
  async #load(gameType) {
    const listed = (await this.#rest.games()).find((game) => game.gameType === gameType);
    if (listed === undefined) throw new Error(`${gameType} is not among the listed games`);
    this.fetches += 1;
    const specification = new Specification(await this.#rest.specification(gameType));
    if (specification.gameType !== gameType) {
      throw new Error(`the specification of ${gameType} is one of ${specification.gameType}`);
    }
    return specification;
  }
}

function split(document) {
  const lines = document.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = lines.indexOf("---", 1);
  if (lines[0] !== "---" || end < 0) throw new Error("the document has no front matter");
  return { frontMatter: parseYaml(lines.slice(1, end).join("\n")), markdown: lines.slice(end + 1) };
}

/** The lines below a heading, up to the next heading of its level or a higher one. */
function section(lines, title) {
  const found = [];
  let level = 0;
  let fence = "";
  for (const line of lines) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === "") fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = "";
    const heading = fence === "" ? /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) : null;
    if (heading !== null) {
      if (level > 0 && heading[1].length <= level) return found;
      if (level === 0 && heading[2] === title) {
        level = heading[1].length;
        continue;
      }
    }
    if (level > 0) found.push(line);
  }
  if (level === 0) throw new Error(`the document has no section "${title}"`);
  return found;
}

function jsonBlock(lines, title) {
  const start = lines.findIndex((line) => /^ {0,3}(`{3,}|~{3,})\s*json\s*$/i.test(line));
  if (start < 0) throw new Error(`the section "${title}" has no JSON code block`);
  const mark = /(`{3,}|~{3,})/.exec(lines[start])[1];
  const end = lines.findIndex((line, at) => at > start && line.trim().startsWith(mark));
  return JSON.parse(lines.slice(start + 1, end < 0 ? lines.length : end).join("\n"));
}
