/** The dialog that lists the page's keys. */
// @ts-check

import { h } from "./dom.js";

/** @type {[keys: string[], what: string][]} */
const KEYS = [
  [["←", "→"], "one step back, one forward"],
  [["Home", "End"], "first and last step"],
  [["Space"], "play, pause"],
  [["+", "−"], "faster, slower"],
  [["↑", "↓"], "the next hand, the one before"],
  [["O"], "open or hide the cards that are shown later"],
  [["Esc"], "back to the table"],
  [["F"], "theatre: the table alone (not while you sit at it)"],
  [["?"], "this list"],
];

/** Open the list of keys; it is removed when it is closed. */
export function openHelp() {
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": "help-title", onclose: () => dialog.remove() },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "help-title" }, "Keys"),
      h(
        "dl",
        { class: "keys" },
        KEYS.flatMap(([keys, what]) => [
          h(
            "dt",
            {},
            keys.map((key) => h("kbd", {}, key)),
          ),
          h("dd", {}, what),
        ]),
      ),
      h("div", { class: "row end" }, h("button", { type: "submit", class: "main" }, "Close")),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
