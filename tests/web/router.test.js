/** Links into the page. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  handLink,
  isUnknown,
  parse,
  roomLink,
} from "../../services/lobby/casino_lobby/web/router.js";

const LINKS = [
  ["", null, null, null],
  ["#/", null, null, null],
  ["#/rooms/main", "main", null, null],
  ["#/rooms/a%3Ab/hands/3", "a:b", 3, null],
  ["#/rooms/main/hands/3/7", "main", 3, 7],
  ["#/rooms/main/hands/3/0", "main", 3, 0],
  ["#/rooms/main/hands/0", "main", null, null],
  ["#/rooms/main/hands/x/7", "main", null, null],
  ["#/rooms/main/hands/-1", "main", null, null],
  ["#/rooms/main?x=1", "main", null, null],
  ["#/rooms/%E0%A4%A/", "%E0%A4%A", null, null],
  ["#/elsewhere", null, null, null],
];

for (const [link, room, hand, step] of LINKS) {
  test(`"${link}" leads to room ${room}, hand ${hand}, step ${step}`, () => {
    assert.deepEqual(parse(link), { room, hand, step });
  });
}

for (const room of ["High Rollers", "Müller's table", "t 1", "a/../b", "100%", "%2e%2e", "a\\b"]) {
  test(`the link to "${room}" survives the address bar`, () => {
    const { hash } = new URL(handLink(room, 3, 1), "http://casino.test/");
    assert.deepEqual(parse(hash), { room, hand: 3, step: 1 });
  });
}

test("links lead to what they were made for", () => {
  assert.deepEqual(parse(roomLink("a/b ?#")), { room: "a/b ?#", hand: null, step: null });
  assert.deepEqual(parse(handLink("a:b", 3)), { room: "a:b", hand: 3, step: null });
  assert.deepEqual(parse(handLink("a:b", 3, 0)), { room: "a:b", hand: 3, step: 0 });
});

test("a link to neither rooms nor a room leads nowhere", () => {
  for (const link of ["", "#/", "#", "#/rooms", "#/rooms/", "#/rooms/elsewhere", "#/?x=1"])
    assert.equal(isUnknown(link), false, link);
  for (const link of ["#/elsewhere", "#/room/main", "#elsewhere", "#/Rooms/main"])
    assert.equal(isUnknown(link), true, link);
});
