/** A question before a command that cannot be undone. */
// @ts-check

import { h } from "./dom.js";

/**
 * Ask, and return whether the answer is yes; closing the dialog is a no.
 * @param {object} question
 * @param {string} question.title
 * @param {string} question.text What will happen.
 * @param {string} question.yes The button that does it.
 * @param {string} question.no
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, yes, no }) {
  /** @type {PromiseWithResolvers<boolean>} */
  const answer = Promise.withResolvers();
  let isYes = false;
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    {
      class: "dialog",
      "aria-labelledby": "confirm-title",
      "aria-describedby": "confirm-text",
      onclose: () => {
        dialog.remove();
        answer.resolve(isYes);
      },
    },
    h("h2", { id: "confirm-title" }, title),
    h("p", { id: "confirm-text" }, text),
    h(
      "div",
      { class: "row end" },
      h(
        "button",
        { type: "button", class: "quiet", autofocus: true, onclick: () => dialog.close() },
        no,
      ),
      h(
        "button",
        {
          type: "button",
          class: "danger",
          onclick: () => {
            isYes = true;
            dialog.close();
          },
        },
        yes,
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return answer.promise;
}
