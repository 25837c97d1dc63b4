/**
 * Elements without markup: only text is put in, and the page's content policy refuses markup that
 * is made of strings.
 */
// @ts-check

/** @import { Attributes, Child } from "./types.js" */

/**
 * Return an element: `h("p", { class: "hint", onclick: act }, "text", child)`.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes] Attributes, and listeners under names that begin with "on".
 * @param {...(Child | Child[])} children
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * Set an element's text if it differs.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Return the element with an id, which the page has.
 * @param {string} id
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}
