/** A form that shows faults beside their fields: the lobby's problems in the form's own words. */
// @ts-check

/** @import { Child, Fields, Option } from "./types.js" */

import { Problem } from "./api.js";
import { h, mark, say } from "./dom.js";

/**
 * @typedef {object} FieldOptions
 * @property {string} name A dotted name is nested in the body.
 * @property {string} label
 * @property {string} [type]
 * @property {string} [value]
 * @property {string} [hint]
 * @property {Option[] | null} [options] The values to choose from; without them any may be typed.
 * @property {boolean} [wide]
 * @property {boolean} [isRare] Whether it is in the folded part of the form.
 * @property {() => void} [change] Called when the value changed.
 */
/**
 * @typedef {object} Field
 * @property {HTMLInputElement | HTMLSelectElement} input
 * @property {HTMLElement} fault
 * @property {string} type
 * @property {boolean} isEdited Whether the value is a person's, and not the form's own.
 */
/** @typedef {Record<string, string>} Places Fields by the kind of a problem that names none. */

const LARGEST = "9007199254740991";

export class Form {
  /** @type {Map<string, Field>} */
  #fields = new Map();
  #fault = h("p", { class: "fault", role: "alert" });
  #done = h("p", { class: "done", role: "status" });
  #button;
  #send;
  #main;
  #places;
  /** @type {Map<string, string>} Labels by the last part of the fields' names. */
  #labels = new Map();
  #rare;

  /**
   * @param {string} id A prefix for the ids of the elements, unique in the document.
   * @param {FieldOptions[]} fields
   * @param {object} options
   * @param {string} options.submit The text of the button.
   * @param {(body: Fields) => Promise<string | void>} options.send Sends the body; returns a
   *   sentence for success.
   * @param {string | null} [options.main] The field for a fault that names none.
   * @param {Places} [options.places]
   * @param {string} [options.rare] The title of the folded part.
   * @param {Child[]} [options.more] Further buttons.
   */
  constructor(id, fields, { submit, send, main = null, places = {}, rare = "More", more = [] }) {
    this.#send = send;
    this.#main = main;
    this.#places = places;
    const build = (/** @type {FieldOptions} */ field) => this.#field(field, `${id}-${field.name}`);
    const rareFields = fields.filter(({ isRare }) => isRare).map(build);
    this.#rare = h(
      "details",
      { class: "rare", hidden: rareFields.length === 0 },
      h("summary", {}, rare),
      h("div", { class: "fields" }, rareFields),
    );
    this.#button = h("button", { type: "submit", class: "main" }, submit);
    this.element = h(
      "form",
      { class: "form", novalidate: true, onsubmit: (event) => this.#submit(event) },
      h("div", { class: "fields" }, fields.filter(({ isRare }) => !isRare).map(build)),
      this.#rare,
      this.#fault,
      h("div", { class: "row end" }, this.#done, ...more, this.#button),
    );
  }

  /**
   * Set a field's value.
   * @param {string} name
   * @param {string | number | null | undefined} value
   */
  fill(name, value) {
    const field = this.#fields.get(name);
    if (!field || value === undefined || value === null) return;
    field.input.value = String(value);
    field.isEdited = false;
  }

  /**
   * Set a field's value unless a person has changed it.
   * @param {string} name
   * @param {string | number | null | undefined} value
   */
  propose(name, value) {
    if (!this.#fields.get(name)?.isEdited) this.fill(name, value);
  }

  /** Take back what was said of the last attempt. */
  clear() {
    say(this.#fault, "");
    say(this.#done, "");
    for (const { input, fault } of this.#fields.values()) {
      mark(input, "aria-invalid", null);
      say(fault, "");
    }
  }

  /** Move the focus to the first field. */
  focus() {
    for (const { input } of this.#fields.values()) return input.focus();
  }

  /**
   * Replace a field's options; the chosen value stays if it is among them.
   * @param {string} name
   * @param {Option[]} options
   */
  offer(name, options) {
    const input = this.#fields.get(name)?.input;
    const last = options.at(-1);
    if (!input || !last) return;
    const chosen = input.value;
    input.replaceChildren(...options.map(([value, text]) => h("option", { value }, text)));
    input.value = options.some(([value]) => String(value) === chosen) ? chosen : String(last[0]);
  }

  /**
   * Return a field's value.
   * @param {string} name
   */
  value(name) {
    return this.#fields.get(name)?.input.value ?? "";
  }

  /**
   * Add a field and return its element.
   * @param {FieldOptions} options
   * @param {string} id
   */
  #field({ name, label, type = "text", value = "", hint, options, wide = false, change }, id) {
    const describedBy = `${id}-fault${hint ? ` ${id}-hint` : ""}`;
    const attributes = {
      id,
      name,
      "aria-describedby": describedBy,
      oninput: () => {
        field.isEdited = true;
      },
      onchange: change,
      autocomplete: "off",
      spellcheck: "false",
    };
    const input = options
      ? h(
          "select",
          attributes,
          options.map(([key, text]) => h("option", { value: key }, text)),
        )
      : h("input", {
          ...attributes,
          type: type === "number" ? "text" : type,
          inputmode: type === "number" ? "decimal" : null,
        });
    input.value = value;
    const fault = h("p", { class: "fault", id: `${id}-fault` });
    /** @type {Field} */
    const field = { input, fault, type, isEdited: false };
    this.#fields.set(name, field);
    this.#labels.set(name.split(".").at(-1) ?? name, plainLabel(label));
    return h(
      "div",
      { class: wide ? "field wide" : "field" },
      h("label", { for: id }, label),
      input,
      hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : null,
      fault,
    );
  }

  /** Return the values of the fields as a request body. */
  #body() {
    /** @type {Fields} */
    const body = {};
    for (const [name, { input, type }] of this.#fields) {
      const text = input.value.trim();
      if (text === "") continue;
      const keys = name.split(".");
      const last = keys.pop() ?? name;
      // A text that is no number is sent as it is: the lobby says what it should be.
      const value = type === "number" && Number.isFinite(Number(text)) ? Number(text) : text;
      const target = keys.reduce((inner, key) => {
        inner[key] ??= {};
        return /** @type {Fields} */ (inner[key]);
      }, body);
      target[last] = value;
    }
    return body;
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    this.clear();
    this.#button.disabled = true;
    try {
      say(this.#done, (await this.#send(this.#body())) ?? "");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#refuse(error);
    } finally {
      this.#button.disabled = false;
    }
  }

  /**
   * Show the faults of a problem.
   * @param {Problem} problem
   */
  #refuse(problem) {
    const unplaced = problem.errors.filter(({ pointer, detail }) => !this.#place(pointer, detail));
    const isPlaced = unplaced.length < problem.errors.length;
    const place = this.#places[problem.kind] ?? this.#main;
    if (problem.errors.length === 0 && place) this.#place(place, problem.message);
    else if (unplaced.length > 0 || !isPlaced) say(this.#fault, this.#inWords(problem.message));
    const faulty = [...this.#fields.values()].find(({ input }) => input.ariaInvalid);
    faulty?.input.focus();
  }

  /**
   * Show a fault at the field that a pointer such as `#/config/bigBlind` names; returns whether
   * there is such a field.
   * @param {string} pointer
   * @param {string} detail
   */
  #place(pointer, detail) {
    const path = String(pointer).replace(/^#?\//, "").replaceAll("/", ".");
    const last = path.split(".").at(-1);
    const similar = [...this.#fields.keys()].find((name) => name.split(".").at(-1) === last);
    const field = this.#fields.get(path) ?? this.#fields.get(similar ?? "");
    if (!field) return false;
    mark(field.input, "aria-invalid", "true");
    say(field.fault, this.#inWords(detail));
    if (this.#rare.contains(field.input)) this.#rare.open = true;
    return true;
  }

  /** @param {string} text */
  #inWords(text) {
    return inWords(String(text), this.#labels);
  }
}

/**
 * Return a refusal's text with fields as people see them, and without limits that nobody reaches.
 * @param {string} text Such as "must be at least smallBlind, 3".
 * @param {Map<string, string>} labels Labels of fields by their names in the API.
 */
export function inWords(text, labels) {
  const sane = text
    .replace(` and at most ${LARGEST}`, "")
    .replace(`at most ${LARGEST}`, "a smaller number")
    .replace(/\b(at (?:most|least)) (\d{5,15})\b/g, (_, limit, digits) => {
      return `${limit} ${Number(digits).toLocaleString("en")}`;
    });
  return sane.replace(/\b[a-z]+(?:[A-Z][a-z]*)+\b/g, (name) => {
    const label = labels.get(name);
    return label ? `“${label}”` : name;
  });
}

/**
 * Return the label of a field without its unit and remarks: "Clock (ms)" is "Clock".
 * @param {string} label
 */
export function plainLabel(label) {
  return label.replace(/ \(.*\)$/, "");
}
