/** Addresses of the page's views. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cardLink,
  replayLink,
  routeOf,
} from "../../services/evaluator/casino_evaluator/web/router.js";

test("links lead to their views, whatever the id is", () => {
  for (const id of ["5f0c-1", "a/b?c#d %", "ä"]) {
    assert.deepEqual(routeOf(cardLink(id)), { name: "card", id });
    assert.deepEqual(routeOf(replayLink(id)), { name: "replay", id });
  }
});

test("every other address is the list", () => {
  for (const hash of ["", "#", "#/", "#/cards/", "#/cards/a/b", "#/rooms/a", "#/cards/%ff"])
    assert.deepEqual(routeOf(hash), { name: "list" });
});
