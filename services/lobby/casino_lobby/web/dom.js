/**
 * Elements without markup. Whatever players call themselves stays text, because text is all that
 * is ever put in; the page's policy refuses markup made of strings besides.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Return an element: `h("p", { class: "hint", onclick: act }, "text", child)`. */
export function h(tag, given = {}, ...children) {
  return filled(document.createElement(tag), given, children);
}

/** Return an SVG element. */
export function svg(tag, given = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

function filled(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Set text only where it changed: what is unchanged costs no layout. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Set an attribute, or remove it for null and false; only where it changed. */
export function mark(element, name, value) {
  if (value === null || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value))
    element.setAttribute(name, value === true ? "" : value);
}

/** Set custom properties: the policy allows them here, not in markup. */
export function style(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
}
