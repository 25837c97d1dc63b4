/** The operator's key: the dialog for it, and where it is kept. */
// @ts-check

import { isOperatorsKey, Problem } from "./api.js";
import { keep, kept } from "./chrome.js";
import { h, hint, mark, say } from "./dom.js";
import { isEmbedded } from "./router.js";

const KEPT_AS = "operator-token";
/** Why the dialog is open. */
const HINTS = {
  none: "This lobby has no key: start it with CASINO_LOBBY_OPERATOR_TOKEN to see the commentators’ data.",
  cards:
    "It allows every command, and shows every hand’s hole cards and odds once the hand is over.",
  command: "This lobby takes commands from its operator only.",
  read: "This lobby shows itself to its operator only.",
};

const WRONG = "The lobby does not accept this key.";

/** The key is kept for this tab alone: never in an address, nor in storage that outlasts the tab. */
export class Operator {
  /** Whether the lobby has refused to be read without the key. */
  readsNeedKey = false;
  /** @type {HTMLDialogElement} */
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
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #token = isEmbedded ? null : kept(sessionStorage, KEPT_AS) || null;
  /** @type {boolean | null} Null until the lobby has answered. */
  #isNeeded = null;
  /** @type {PromiseWithResolvers<boolean> | null} */
  #answer = null;
  #isDeclined = false;
  #locked;

  /**
   * @param {HTMLElement} button Opens the dialog.
   * @param {HTMLElement} locked The line that says that commands need the key.
   */
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
        hint("It is kept in this tab only, and forgotten when the tab is closed."),
        h(
          "div",
          { class: "row end" },
          h(
            "button",
            { type: "button", class: "quiet", onclick: () => this.#forget() },
            "Forget it",
          ),
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

  /** Whether the lobby has a key that is not entered here. */
  get isMissing() {
    return this.#isNeeded === true && this.#token === null;
  }

  /**
   * Whether the lobby has a key at all.
   * @param {boolean} isNeeded
   */
  set isNeeded(isNeeded) {
    this.#isNeeded = isNeeded;
    this.#draw();
  }

  /**
   * Call a listener when the key changes; returns a function that ends this.
   * @param {() => void} listener
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Ask for another key after the lobby has refused one; returns whether there is one to try.
   * Operators who decline are asked again for the next command, but not for what the page reads.
   * @param {string | null} token The key that was refused; null if none was sent.
   * @param {boolean} isCommand
   */
  async requestKey(token, isCommand) {
    if (!isCommand) this.readsNeedKey = true;
    if (this.#token !== null && this.#token !== token) return true; // entered in the meantime
    if (this.#token !== null) this.#keep(null);
    this.#isNeeded = true;
    this.#draw();
    if (!isCommand && this.#isDeclined) return false;
    if (this.#answer === null) {
      this.#open(isCommand ? "command" : "read", token === null ? "" : WRONG);
      this.#answer = Promise.withResolvers();
    }
    return this.#answer.promise;
  }

  /**
   * Show the dialog.
   * @param {keyof typeof HINTS} why
   * @param {string} [fault]
   */
  #open(why, fault = "") {
    say(this.#hint, HINTS[why]);
    say(this.#fault, fault);
    this.#input.value = this.#token ?? "";
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  /** Forget a key that was kept over a reload, if the lobby no longer accepts it. */
  async recheck() {
    const token = this.#token;
    if (token === null || (await faultOf(token)) !== WRONG) return;
    if (this.#token === token) this.#keep(null);
  }

  /**
   * Keep the key that was typed, once the lobby accepts it.
   * @param {Event} event
   */
  async #save(event) {
    event.preventDefault();
    const token = this.#input.value.trim() || null;
    const fault = token === null ? "" : await faultOf(token);
    if (!this.#dialog.open) return;
    if (fault !== "") {
      say(this.#fault, this.#isNeeded === false ? "This lobby has no key." : fault);
      this.#input.select();
      return;
    }
    const wasDeclined = this.#isDeclined && token !== null;
    this.#keep(token);
    this.#dialog.close();
    // What was refused without a key is loaded again.
    if (wasDeclined) location.reload();
  }

  #forget() {
    this.#keep(null);
    this.#dialog.close();
  }

  /** @param {string | null} token */
  #keep(token) {
    this.#token = token;
    keep(sessionStorage, KEPT_AS, token);
    this.#draw();
    for (const listener of this.#listeners) listener();
  }

  #closed() {
    this.#input.value = "";
    if (this.#answer === null) return;
    if (this.#token === null && this.readsNeedKey) this.#isDeclined = true;
    this.#answer.resolve(this.#token !== null);
    this.#answer = null;
  }

  #draw() {
    say(this.button, this.#token ? "Operator ✓" : this.isMissing ? "Operator key" : "Operator");
    mark(this.#locked, "hidden", !this.isMissing);
  }
}

/**
 * Return why a key cannot be used; "" if nothing speaks against it.
 * @param {string} token
 */
async function faultOf(token) {
  try {
    return (await isOperatorsKey(token)) === false ? WRONG : "";
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.message;
  }
}
