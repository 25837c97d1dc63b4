/** Tables of results, which scroll where they do not fit. */
// @ts-check

/** @import { Child } from "../types.js" */

import { h } from "../dom.js";

/** @typedef {string | { name: string, title: string }} Column The title explains a short name. */
/** @typedef {Child | { content: Child, kind: string }} Cell A kind is a look: "better", "left", … */

/**
 * Return a table whose first column has the names of its rows.
 * @param {string} label
 * @param {Column[]} columns
 * @param {Cell[][]} rows
 */
export function resultTable(label, columns, rows) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((column, at) => head(column, kindOf(rows[0]?.[at]))),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map(([first, ...cells]) =>
          h("tr", {}, h("th", { scope: "row" }, contentOf(first)), cells.map(cellOf)),
        ),
      ),
    ),
  );
}

/**
 * Return the head of a column; it is where its cells are.
 * @param {Column} column
 * @param {string | null} kind Of its first cell.
 */
function head(column, kind) {
  const where = { scope: "col", "data-kind": kind === "left" ? kind : null };
  return typeof column === "string"
    ? h("th", where, column)
    : h("th", { ...where, title: column.title }, column.name);
}

/** @param {Cell} cell */
function cellOf(cell) {
  return h("td", { "data-kind": kindOf(cell) }, contentOf(cell));
}

/** @param {Cell | undefined} cell */
function contentOf(cell) {
  return cell instanceof Object && "content" in cell ? cell.content : cell;
}

/** @param {Cell | undefined} cell */
function kindOf(cell) {
  return cell instanceof Object && "kind" in cell ? cell.kind : null;
}
