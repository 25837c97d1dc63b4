/** The operator's key: when it is asked for, where it is typed, and for how long it is kept. */

import { keep, kept } from "./chrome.js";
import { h, mark, say } from "./dom.js";

const KEPT_AS = "operator-token";
const HINTS = {
  none: "This lobby has no key: start it with CASINO_LOBBY_OPERATOR_TOKEN to open the commentators’ data.",
  cards:
    "It opens every command, and shows every hand’s hole cards and odds once the hand is over.",
  command: "This lobby takes commands from its operator only.",
  read: "This lobby shows itself to its operator only.",
};

/** The operator's key, for this tab alone: never in an address, nor in what outlasts the tab. */
export class Operator {
  /** Whether reading needs the key, too; learned from the lobby's refusal. */
  readsNeedKey = false;
  #dialog;
  #input = h("input", {
    type: "password",
    id: "token",
    name: "token",
    autocomplete: "off",
    "aria-describedby": "token-hint token-fault",
  });
  #hint = h("p", { class: "hint", id: "token-hint" });
  #fault = h("p", { class: "fault", id: "token-fault", role: "alert" });
  #changed = new Set();
  #token = kept(sessionStorage, KEPT_AS) || null;
  #isNeeded = null;
  #answer = null;
  #isTurnedAway = false;
  #locked;

  /** `button` opens the dialog, `locked` is the line that says that commands need the key. */
  constructor(button, locked) {
    this.#locked = locked;
    this.#dialog = h(
      "dialog",
      { class: "dialog", "aria-labelledby": "operator-title", onclose: () => this.#closed() },
      h(
        "form",
        { method: "dialog", onsubmit: (event) => this.#save(event) },
        h("h2", { id: "operator-title" }, "Operator’s key"),
        this.#hint,
        h("label", { for: "token" }, "Key"),
        this.#input,
        this.#fault,
        h(
          "p",
          { class: "hint" },
          "It is kept in this tab only, and forgotten when the tab is closed.",
        ),
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", class: "quiet", onclick: () => this.#drop() }, "Forget it"),
          h(
            "button",
            { type: "button", class: "quiet", onclick: () => this.#dialog.close() },
            "Cancel",
          ),
          h("button", { type: "submit", class: "main" }, "Use it"),
        ),
      ),
    );
    document.body.append(this.#dialog);
    this.button = button;
    button.addEventListener("click", () => this.#open(this.#isNeeded === false ? "none" : "cards"));
    this.#draw();
  }

  get token() {
    return this.#token;
  }

  /** Whether the lobby has a key, and we do not. */
  get isMissing() {
    return this.#isNeeded === true && this.#token === null;
  }

  /** Say whether the lobby has a key at all. */
  set isNeeded(isNeeded) {
    this.#isNeeded = isNeeded;
    this.#draw();
  }

  /** Call `listener()` when the key changes; returns the end of that. */
  onChange(listener) {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  /**
   * The lobby has refused `token` (null: none was shown): forget it, and ask for another one.
   * Returns whether there is one to try. Whoever says no is asked again for the next command, and
   * not for what the page reads by itself.
   */
  async another(token, isCommand) {
    if (!isCommand) this.readsNeedKey = true;
    if (this.#token !== null && this.#token !== token) return true; // typed meanwhile
    if (this.#token !== null) this.#keep(null);
    this.#isNeeded = true;
    this.#draw();
    if (!isCommand && this.#isTurnedAway) return false;
    if (this.#answer === null) {
      this.#open(
        isCommand ? "command" : "read",
        token === null ? "" : "The lobby does not accept this key.",
      );
      this.#answer = Promise.withResolvers();
    }
    return this.#answer.promise;
  }

  #open(why, fault = "") {
    say(this.#hint, HINTS[why]);
    say(this.#fault, fault);
    this.#input.value = this.#token ?? "";
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #save(event) {
    event.preventDefault();
    const token = this.#input.value.trim() || null;
    const wasTurnedAway = this.#isTurnedAway && token !== null;
    this.#keep(token);
    this.#dialog.close();
    // What was given up for want of a key begins anew.
    if (wasTurnedAway) location.reload();
  }

  #drop() {
    this.#keep(null);
    this.#dialog.close();
  }

  #keep(token) {
    this.#token = token;
    keep(sessionStorage, KEPT_AS, token);
    this.#draw();
    for (const listener of this.#changed) listener();
  }

  #closed() {
    this.#input.value = "";
    if (this.#answer === null) return;
    if (this.#token === null && this.readsNeedKey) this.#isTurnedAway = true;
    this.#answer.resolve(this.#token !== null);
    this.#answer = null;
  }

  #draw() {
    say(this.button, this.#token ? "Operator ✓" : this.isMissing ? "Operator key" : "Operator");
    mark(this.#locked, "hidden", !this.isMissing);
  }
}
