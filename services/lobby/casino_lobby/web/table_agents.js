/** The operator's list of table agents: where they are, whether they answer, what they play. */
// @ts-check

/** @import { ListedTable } from "./types.js" */

import { api, Problem } from "./api.js";
import { h, linkTo, say } from "./dom.js";
import { roomLink } from "./router.js";

const PAUSE_MS = 10_000;
const MOST_TABLES = 200;
const HEALTH = new Map([
  ["silent", "it announces itself no more"],
  ["away", "its room cannot reach it"],
]);
const SOURCES = new Map([
  ["announced", "announced itself"],
  ["launched", "launched by the lobby"],
  ["named", "named by a room’s creator"],
]);

/**
 * Return what stands above the list.
 * @param {ListedTable[]} tables
 */
export function tablesLine(tables) {
  if (tables.length === 0)
    return "No table is there yet. A lobby that launches tables starts one with the next room.";
  const count = (/** @type {(table: ListedTable) => boolean} */ is) => tables.filter(is).length;
  const free = count(({ health, roomId }) => health === "ready" && roomId === undefined);
  const bad = count(({ health }) => health !== "ready");
  const more = tables.length > MOST_TABLES ? `, the first ${MOST_TABLES} are listed` : "";
  const all = `${tables.length} ${tables.length === 1 ? "table" : "tables"}${more}`;
  return [all, `${free} free`, bad > 0 && `${bad} not well`].filter(Boolean).join(" · ");
}

/**
 * Show the table agents in an open box, again and again until it is closed.
 * @param {HTMLDetailsElement} box
 */
export async function listTables(box) {
  const line = h("p", { class: "hint", role: "status" });
  const list = h("ul", { class: "table-agents" });
  box.append(line, list);
  while (box.open) {
    try {
      const { tables } = await api.tables();
      say(line, tablesLine(tables));
      list.replaceChildren(...tables.slice(0, MOST_TABLES).map(item));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(line, error.message);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE_MS);
      box.addEventListener("toggle", resolve, { once: true });
    });
  }
  for (const part of [line, list]) part.remove();
}

/** @param {ListedTable} table */
function item({ agentCardUrl, source, health, roomId }) {
  const free = health === "ready" ? "free" : "no room";
  const words = [SOURCES.get(source) ?? source, HEALTH.get(health)];
  return h(
    "li",
    {},
    h("span", { class: "pill", "data-kind": health }, health),
    h("span", { class: "name" }, agentCardUrl.replace(/\/\.well-known\/agent-card\.json$/, "")),
    roomId === undefined ? h("span", {}, free) : linkTo(roomLink(roomId), roomId),
    h("span", { class: "hint" }, words.filter(Boolean).join("; ")),
  );
}
