/** A form whose faults stand beside their fields, in the words of the lobby's own problems. */

import { Problem } from "./api.js";
import { h, mark, say } from "./dom.js";

export class Form {
  #fields = new Map();
  #fault = h("p", { class: "fault", role: "alert" });
  #done = h("p", { class: "done", role: "status" });
  #button;
  #send;
  #main;

  /**
   * `id` is alone in the document.
   * `fields`: {name, label, type, value, hint, options, wide, change}; a dotted name is nested in the body.
   * `send(body)` does it and returns a sentence about it; `main` names the field that a refusal
   * without a pointer stands at.
   */
  constructor(id, fields, { submit, send, main = null, more = [] }) {
    this.#send = send;
    this.#main = main;
    this.#button = h("button", { type: "submit", class: "main" }, submit);
    this.element = h(
      "form",
      { class: "form", novalidate: true, onsubmit: (event) => this.#submit(event) },
      h(
        "div",
        { class: "fields" },
        fields.map((field) => this.#field(field, `${id}-${field.name}`)),
      ),
      this.#fault,
      h("div", { class: "row end" }, this.#done, ...more, this.#button),
    );
  }

  /** Set a field's value. */
  fill(name, value) {
    const field = this.#fields.get(name);
    if (field && value !== undefined && value !== null) field.input.value = value;
  }

  /** Offer other options, [value, text] each; what was chosen stays where it is among them. */
  offer(name, options) {
    const { input } = this.#fields.get(name);
    const chosen = input.value;
    input.replaceChildren(...options.map(([value, text]) => h("option", { value }, text)));
    input.value = options.some(([value]) => String(value) === chosen) ? chosen : options.at(-1)[0];
  }

  /** Return what is in a field. */
  value(name) {
    return this.#fields.get(name).input.value;
  }

  #field(
    {
      name,
      label,
      type = "text",
      value = "",
      hint = null,
      options = null,
      wide = false,
      change = null,
    },
    id,
  ) {
    const described = `${id}-fault${hint ? ` ${id}-hint` : ""}`;
    const given = {
      id,
      name,
      "aria-describedby": described,
      onchange: change,
      autocomplete: "off",
      spellcheck: "false",
    };
    const input = options
      ? h(
          "select",
          given,
          options.map(([key, text]) => h("option", { value: key }, text)),
        )
      : h("input", {
          ...given,
          type: type === "number" ? "text" : type,
          inputmode: type === "number" ? "decimal" : null,
        });
    input.value = value;
    const fault = h("p", { class: "fault", id: `${id}-fault` });
    this.#fields.set(name, { input, fault, type });
    return h(
      "div",
      { class: wide ? "field wide" : "field" },
      h("label", { for: id }, label),
      input,
      hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : null,
      fault,
    );
  }

  #body() {
    const body = {};
    for (const [name, { input, type }] of this.#fields) {
      const text = input.value.trim();
      if (text === "") continue;
      const path = name.split(".");
      const last = path.pop();
      const target = path.reduce((inner, key) => (inner[key] ??= {}), body);
      // What is no number goes as it is: the lobby says what it should be.
      target[last] = type === "number" && Number.isFinite(Number(text)) ? Number(text) : text;
    }
    return body;
  }

  async #submit(event) {
    event.preventDefault();
    this.#clear();
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

  #clear() {
    say(this.#fault, "");
    say(this.#done, "");
    for (const { input, fault } of this.#fields.values()) {
      mark(input, "aria-invalid", null);
      say(fault, "");
    }
  }

  #refuse(problem) {
    const unplaced = problem.errors.filter(({ pointer, detail }) => !this.#place(pointer, detail));
    const isPlaced = unplaced.length < problem.errors.length;
    if (problem.errors.length === 0 && this.#main) this.#place(this.#main, problem.message);
    else if (unplaced.length > 0 || !isPlaced) say(this.#fault, problem.message);
    this.element.querySelector("[aria-invalid]")?.focus();
  }

  /** Put a fault at the field that a pointer such as `#/config/bigBlind` means. */
  #place(pointer, detail) {
    const path = String(pointer).replace(/^#?\//, "").replaceAll("/", ".");
    const last = path.split(".").at(-1);
    const name = this.#fields.has(path)
      ? path
      : [...this.#fields.keys()].find((known) => known.split(".").at(-1) === last);
    const field = this.#fields.get(name);
    if (!field) return false;
    mark(field.input, "aria-invalid", "true");
    say(field.fault, String(detail));
    return true;
  }
}
