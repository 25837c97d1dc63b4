/**
 * Elements without markup. Names and messages of players stay text, because only text is put in;
 * the page's content policy also refuses markup made of strings.
 */
// @ts-check

/** @import { AttributeValue, Attributes, Child } from "./types.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Return an element: `h("p", { class: "hint", onclick: act }, "text", child)`.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes] Attributes, and listeners under names that begin with "on".
 * @param {...(Child | Child[])} children
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * Return a paragraph beside what is said first.
 * @param {...(Child | Child[])} children
 */
export function hint(...children) {
  return h("p", { class: "hint" }, ...children);
}

/**
 * Return a section of a view.
 * @param {Child} title
 * @param {...(Child | Child[])} children
 */
export function panel(title, ...children) {
  return h("section", { class: "panel" }, h("h2", {}, title), ...children);
}

/**
 * @param {string} href
 * @param {...(Child | Child[])} children
 */
export function linkTo(href, ...children) {
  return h("a", { href }, ...children);
}

/**
 * Return a button that submits no form.
 * @param {Child} text
 * @param {(event: Event) => unknown} onclick
 * @param {Attributes} [attributes]
 */
export function button(text, onclick, attributes) {
  return h("button", { type: "button", onclick, ...attributes }, text);
}

/**
 * Return an SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 * @param {(Child | Child[])[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
}

/**
 * Set an element's text if it differs: unchanged text costs no layout.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Set an attribute if it differs; null and false remove it.
 * @param {Element} element
 * @param {string} name
 * @param {AttributeValue} value
 */
export function mark(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value))
    element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * Load a style sheet that few views need, once.
 * @param {URL} url
 */
export function useStyles({ href }) {
  if (!document.head.querySelector(`link[href="${href}"]`))
    document.head.append(h("link", { rel: "stylesheet", href }));
}

/**
 * Set custom properties of an element; the content policy allows them here, but not in markup.
 * @param {HTMLElement} element
 * @param {Record<string, number>} properties
 */
export function style(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    element.style.setProperty(name, String(value));
  }
}

/**
 * Make elements the children of a parent, in their order. Those that stay are moved only if they
 * have to be; the focus stays, or goes to `rest` if its element is removed.
 * @param {Element} parent
 * @param {Element[]} children
 * @param {HTMLElement} [rest]
 */
export function putInOrder(parent, children, rest) {
  const { activeElement } = document;
  const focused =
    activeElement instanceof HTMLElement && parent.contains(activeElement) ? activeElement : null;
  const staying = new Set(children);
  for (const child of [...parent.children]) if (!staying.has(child)) child.remove();
  children.forEach((child, index) => {
    const there = parent.children[index];
    if (there !== child) parent.insertBefore(child, there ?? null);
  });
  if (!focused || document.activeElement === focused) return;
  if (focused.isConnected) focused.focus({ preventScroll: true });
  else rest?.focus();
}

/**
 * Return a choice between a few options, as radio buttons.
 * @param {string} name
 * @param {string} label
 * @param {[value: string, text: string][]} options
 * @param {string} chosen
 * @param {(value: string) => void} change
 * @param {boolean} [isLabelSeen] Whether more than screen readers have the label.
 */
export function choice(name, label, options, chosen, change, isLabelSeen = true) {
  return h(
    "fieldset",
    { class: "filters" },
    h("legend", { class: isLabelSeen ? null : "unseen" }, label),
    options.map(([value, text]) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name,
          value,
          checked: value === chosen,
          onchange: () => change(value),
        }),
        h("span", {}, text),
      ),
    ),
  );
}

/**
 * Open a dialog in front of the page; it is removed when it is closed.
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function openDialog(attributes, ...children) {
  const dialog = h("dialog", { class: "dialog", ...attributes }, ...children);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Return a table that scrolls where it does not fit.
 * @param {string} label
 * @param {(string | HTMLElement)[]} columns Their heads.
 * @param {HTMLElement} body
 */
export function scrollingTable(label, columns, body) {
  const heads = columns.map((column) =>
    typeof column === "string" ? h("th", { scope: "col" }, column) : column,
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, heads)), body),
  );
}
