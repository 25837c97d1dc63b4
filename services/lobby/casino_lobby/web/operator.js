/** The operator's token: where it is typed, and for how long it is kept. */

import { keep, kept } from "./chrome.js";
import { h, say } from "./dom.js";

/** The operator's bearer token, for this tab alone. */
export class Operator {
  #dialog;
  #input = h("input", { type: "password", id: "token", name: "token", autocomplete: "off", "aria-describedby": "token-hint" });
  #hint = h("p", { class: "hint", id: "token-hint" });
  #changed = new Set();

  constructor(button) {
    this.#dialog = h("dialog", { class: "dialog", "aria-labelledby": "operator-title" },
      h("form", { method: "dialog", onsubmit: (event) => this.#save(event) },
        h("h2", { id: "operator-title" }, "Operator’s token"),
        this.#hint,
        h("label", { for: "token" }, "Token"),
        this.#input,
        h("div", { class: "row end" },
          h("button", { type: "button", class: "quiet", onclick: () => this.#keep("") }, "Forget it"),
          h("button", { type: "button", class: "quiet", onclick: () => this.#dialog.close() }, "Cancel"),
          h("button", { type: "submit", class: "main" }, "Use it"))));
    document.body.append(this.#dialog);
    this.button = button;
    button.addEventListener("click", () => this.open());
    this.#draw();
  }

  get token() {
    return kept(sessionStorage, "operator-token") || null;
  }

  /** Tell whether the lobby has a token at all; null: not known. */
  set isPossible(isPossible) {
    const how = isPossible === false
      ? "This lobby has none: start it with CASINO_LOBBY_OPERATOR_TOKEN to open the commentators’ data."
      : "It shows every hand’s hole cards and odds once the hand is over. It is kept in this tab only.";
    say(this.#hint, how);
  }

  /** Call `listener()` when the token changes; returns the end of that. */
  onChange(listener) {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  open() {
    this.#input.value = this.token ?? "";
    this.#dialog.showModal();
  }

  #save(event) {
    event.preventDefault();
    this.#keep(this.#input.value.trim());
  }

  #keep(token) {
    keep(sessionStorage, "operator-token", token);
    this.#dialog.close();
    this.#draw();
    for (const listener of this.#changed) listener();
  }

  #draw() {
    say(this.button, this.token ? "Operator ✓" : "Operator");
  }
}
