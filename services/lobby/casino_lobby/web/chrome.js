/** What stands around every view: theme, connection, the operator's token, words for screen readers. */

import { h, mark, say, svg } from "./dom.js";

const SUN = "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v4h-2zm0 18h2v4h-2zM1 11h4v2H1zm18 0h4v2h-4zM4 5.500 5.500 4l3 3L7 8.500zM15.500 17l1.500-1.500 3 3-1.500 1.500zM4 18.500l3-3L8.500 17l-3 3zM15.500 7l3-3L20 5.500l-3 3z";
const MOON = "M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z";
const LINES = new Map([
  ["connecting", "Connecting…"], ["live", "Live"], ["ended", "Ended"],
]);
const TELL_MS = 1500;
const MOST_LINES = 4;

/** Let a button change between light and dark, and keep the choice. */
export function themeButton(button) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const draw = () => {
    button.replaceChildren(svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: isDark() ? SUN : MOON })));
    mark(button, "aria-label", isDark() ? "Use the light theme" : "Use the dark theme");
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(localStorage, "theme", root.dataset.theme);
    draw();
  });
  system.addEventListener("change", draw);
  draw();
}

/** The line that says whether the page hears the lobby. */
export class Connection {
  constructor(element) {
    this.element = element;
  }

  tell(state) {
    mark(this.element, "data-kind", state.kind);
    if (state.kind === "waiting") say(this.element, "Connection lost, trying again…");
    else if (state.kind === "refused") say(this.element, state.problem.message);
    else if (state.kind === "connecting" && !state.isFirst) say(this.element, "Reconnecting…");
    else say(this.element, LINES.get(state.kind) ?? "");
  }

  clear() {
    mark(this.element, "data-kind", null);
    say(this.element, "");
  }
}

/** Tells screen readers what happens, politely: a few lines at a time. */
export class Announcer {
  #lines = [];
  #timer = null;

  constructor(element) {
    this.element = element;
  }

  tell(line) {
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const lines = this.#lines.splice(0).slice(-MOST_LINES);
      this.element.replaceChildren(...lines.map((text) => h("p", {}, text)));
    }, TELL_MS);
  }
}

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
    try {
      return sessionStorage.getItem("operator-token") || null;
    } catch {
      return null;
    }
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

/** Keep a choice where the browser lets us. */
export function keep(storage, key, value) {
  try {
    if (value) storage.setItem(key, value);
    else storage.removeItem(key);
  } catch {
    // private windows may forbid it: then it lasts as long as the view
  }
}
