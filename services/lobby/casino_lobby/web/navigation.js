/** Moves within the page without loading it again: by links, by calls, and back and forth. */
// @ts-check

import { isUnknown, ROOT, within } from "./router.js";

/**
 * Go to a link of the page.
 * @param {string} link As the router makes it.
 */
export function go(link) {
  const url = new URL(link, location.href);
  if (url.href === location.href) return;
  history.pushState(null, "", url);
  dispatchEvent(new PopStateEvent("popstate"));
}

/**
 * Call a function whenever the address has changed.
 * @param {() => void} onMove
 */
export function followLinks(onMove) {
  // Its address is relative, and browsers ask for it again when that of the page changes.
  const icon = document.querySelector("link[rel=icon]");
  if (icon instanceof HTMLLinkElement) icon.href = `${icon.href}`;
  let known = "";
  addEventListener("popstate", () => {
    known = location.href;
    onMove();
  });
  // A link to a fragment causes both events in most browsers, and the second one in all.
  addEventListener("hashchange", ({ newURL }) => {
    if (newURL !== known) onMove();
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.defaultPrevented || !isPlain(event) || !isOfPage(link)) return;
    event.preventDefault();
    go(link.href);
  });
}

/** Return the link of the current address, and show it as a path if it is an older one. */
export function currentLink() {
  const link = within(location);
  if (location.hash.startsWith("#/") && !isUnknown(link))
    history.replaceState(null, "", pathOf(link));
  return link;
}

/** Return the current address as it can be sent to others: also out of a frame. */
export function sharedAddress() {
  return new URL(`${ROOT}${within(location).slice(1)}`, location.origin).href;
}

/** @param {string} link */
function pathOf(link) {
  const here = within({ pathname: location.pathname, search: "", hash: "" });
  const base = location.pathname.slice(0, location.pathname.length - here.length + 1);
  return `${base}${link.slice(1)}`;
}

/** @param {MouseEvent} event */
function isPlain({ button, altKey, ctrlKey, metaKey, shiftKey }) {
  return button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey;
}

/** @param {HTMLAnchorElement} link */
function isOfPage(link) {
  const isElsewhere = link.target !== "" || link.hasAttribute("download");
  return !isElsewhere && link.origin === location.origin && !isUnknown(within(link));
}
