/** The page of scorecards and replays: it shows the view of the address, or asks for a key. */
// @ts-check

/** @import { Route } from "./types.js" */

import { api, apiKey, Refusal } from "./api.js";
import { cardView, listView } from "./card_view.js";
import { byId, h, say } from "./dom.js";
import { ReplayView } from "./replay_view.js";
import { routeOf } from "./router.js";

const main = byId("main");
const forget = byId("forget");

/** @type {ReplayView | null} */
let replay = null;
/** Counts the views, so that a slow answer does not replace a newer view. */
let shown = 0;

/**
 * Put a view in place, and move the focus to its heading.
 * @param {HTMLElement} view
 */
function put(view) {
  main.replaceChildren(view);
  const heading = view.querySelector("h1");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus();
  document.title = `${heading.textContent} · A2A Casino`;
}

/**
 * Return the view of an address; throws Refusal.
 * @param {Route} route
 * @returns {Promise<HTMLElement>}
 */
async function viewOf(route) {
  if (route.name === "card") return cardView(route.id);
  if (route.name === "list") return listView();
  const view = new ReplayView(route.id, (text) => say(byId("announcements"), text));
  await view.load();
  replay = view;
  return view.element;
}

/**
 * Ask for a key.
 * @param {string} [message] Why the one before was not enough.
 */
function ask(message = "") {
  put(
    keyForm(message, (key) => {
      apiKey.keep(key);
      show();
    }),
  );
}

async function show() {
  shown += 1;
  const mine = shown;
  replay?.stop();
  replay = null;
  say(byId("announcements"), "");
  forget.hidden = apiKey.get() === null;
  if (apiKey.get() === null) {
    ask();
    return;
  }
  try {
    const view = await viewOf(routeOf(location.hash));
    if (mine === shown) put(view);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (mine !== shown) return;
    if (error.status === 401) {
      apiKey.forget();
      forget.hidden = true;
      ask("The evaluator does not know this key.");
      return;
    }
    put(
      h(
        "section",
        {},
        h("h1", {}, "Not available"),
        h("p", { class: "fault", role: "alert" }, error.message),
        h("p", {}, h("a", { href: "#/" }, "All scorecards")),
      ),
    );
  }
}

/**
 * Return the form that asks for an API key, or gets an anonymous one.
 * @param {string} message Shown above it.
 * @param {(key: string) => void} use
 */
function keyForm(message, use) {
  const input = h("input", {
    id: "api-key",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "api-key-hint",
  });
  const fault = h("p", { class: "fault", role: "alert" }, message);
  const anonymous = async () => {
    try {
      use((await api.anonymousKey()).api_key);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say(fault, error.message);
    }
  };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    // A header takes these characters; others make no key, and would fail the request.
    if (/^[\x21-\x7e]+$/.test(input.value)) use(input.value);
    else say(fault, "A key has letters, digits and signs only.");
  };
  return h(
    "form",
    { class: "panel key", onsubmit: submit },
    h("h1", {}, "Scorecards"),
    h(
      "p",
      {},
      "An evaluator’s scorecards belong to an API key. Enter the one that your agent plays with.",
    ),
    h("label", { for: "api-key" }, "API key"),
    input,
    h(
      "p",
      { class: "hint", id: "api-key-hint" },
      "It stays in this tab, and is sent as the header X-API-Key only.",
    ),
    fault,
    h(
      "div",
      { class: "row" },
      h("button", { class: "main" }, "Show the scorecards"),
      h("button", { type: "button", class: "quiet", onclick: anonymous }, "Get an anonymous key"),
    ),
  );
}

byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});
forget.addEventListener("click", () => {
  apiKey.forget();
  show();
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.ctrlKey || event.altKey;
  const isPressing = event.target instanceof HTMLButtonElement && event.key === " ";
  if (!isTyping && !isPressing && !event.metaKey && replay?.press(event.key))
    event.preventDefault();
});
window.addEventListener("hashchange", show);
show();
