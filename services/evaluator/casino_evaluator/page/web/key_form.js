/** The form that asks for an API key, or gets an anonymous one. */
// @ts-check

import { api, Refusal } from "./api.js";
import { h, say } from "./dom.js";

/**
 * Return the form.
 * @param {string} message Shown above it.
 * @param {(key: string) => void} use
 */
export function keyForm(message, use) {
  const input = h("input", {
    id: "api-key",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "api-key-hint",
  });
  const fault = h("p", { class: "fault", role: "alert" }, message);
  const anonymous = async () => {
    try {
      use((await api.anonymousKey()).api_key);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say(fault, error.message);
    }
  };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    // A header takes these characters; others make no key, and would fail the request.
    if (/^[\x21-\x7e]+$/.test(input.value)) use(input.value);
    else say(fault, "A key has letters, digits and signs only.");
  };
  return h(
    "form",
    { class: "panel key", onsubmit: submit },
    h("h1", {}, "Scorecards"),
    h(
      "p",
      {},
      "An evaluator’s scorecards belong to an API key. Enter the one that your agent plays with.",
    ),
    h("label", { for: "api-key" }, "API key"),
    input,
    h(
      "p",
      { class: "hint", id: "api-key-hint" },
      "It stays in this tab, and is sent as the header X-API-Key only.",
    ),
    fault,
    h(
      "div",
      { class: "row" },
      h("button", { class: "main" }, "Show the scorecards"),
      h("button", { type: "button", class: "quiet", onclick: anonymous }, "Get an anonymous key"),
    ),
  );
}
