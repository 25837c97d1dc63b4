/** Links into the page. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  handLink,
  isUnknown,
  lobbyLink,
  parse,
  roomLink,
  rootOf,
  within,
} from "../../services/lobby/casino_lobby/web/router.js";

const LINKS = [
  ["", null, null, null],
  ["/", null, null, null],
  ["/rooms/main", "main", null, null],
  ["/rooms/a%3Ab/hands/3", "a:b", 3, null],
  ["/rooms/main/hands/3/7", "main", 3, 7],
  ["/rooms/main/hands/3/0", "main", 3, 0],
  ["/rooms/main/hands/0", "main", null, null],
  ["/rooms/main/hands/x/7", "main", null, null],
  ["/rooms/main/hands/-1", "main", null, null],
  ["/rooms/main?x=1", "main", null, null],
  ["/rooms/%E0%A4%A/", "%E0%A4%A", null, null],
  ["/elsewhere", null, null, null],
];

for (const [link, room, hand, step] of LINKS) {
  test(`"${link}" leads to room ${room}, hand ${hand}, step ${step}, also after a #`, () => {
    assert.deepEqual(parse(link), { room, hand, step, epoch: null });
    assert.deepEqual(parse(`#${link}`), { room, hand, step, epoch: null });
  });
}

for (const room of ["High Rollers", "Müller's table", "t 1", "a/../b", "100%", "%2e%2e", "a\\b"]) {
  test(`the link to "${room}" survives the address bar`, () => {
    const url = new URL(handLink(room, 3, 1, 2), "http://casino.test/");
    assert.deepEqual(parse(within(url)), { room, hand: 3, step: 1, epoch: 2 });
    const older = new URL(`#${handLink(room, 3, 1)}`, "http://casino.test/rooms/other");
    assert.deepEqual(parse(within(older)), { room, hand: 3, step: 1, epoch: null });
  });
}

test("links lead to what they were made for", () => {
  const room = { hand: null, step: null, epoch: null };
  assert.deepEqual(parse(roomLink("a/b ?#")), { ...room, room: "a/b ?#" });
  assert.deepEqual(parse(handLink("a:b", 3)), { ...room, room: "a:b", hand: 3 });
  assert.deepEqual(parse(handLink("a:b", 3, 0)), { ...room, room: "a:b", hand: 3, step: 0 });
  assert.deepEqual(parse(handLink("a", 3, null, 4)), { ...room, room: "a", hand: 3, epoch: 4 });
  assert.deepEqual(parse(lobbyLink()), { ...room, room: null });
});

test("an epoch that is no number from 1 is none", () => {
  for (const epoch of ["0", "x", "-1", "", "1e3"])
    assert.equal(parse(`/rooms/main/hands/3?epoch=${epoch}`).epoch, null, epoch);
});

test("a link to neither rooms nor a room nor a hand leads nowhere", () => {
  for (const link of ["", "#/", "#", "/rooms", "/rooms/", "/rooms/elsewhere", "/?x=1"])
    assert.equal(isUnknown(link), false, link);
  for (const link of ["/rooms/a/", "/rooms/a/hands/3", "/rooms/a/hands/3/0", "#/rooms/a/hands/3"])
    assert.equal(isUnknown(link), false, link);
  for (const link of ["#/elsewhere", "/room/main", "#elsewhere", "/Rooms/main", "/v1/rooms"])
    assert.equal(isUnknown(link), true, link);
  for (const link of ["/rooms/a/hands", "/rooms/a/hands/0", "/rooms/a/x", "/rooms/a/hands/3/4/5"])
    assert.equal(isUnknown(link), true, link);
  assert.equal(isUnknown("/rooms/a/hands/3/x"), true);
});

test("the page knows where it is from the address of its modules", () => {
  assert.equal(rootOf("http://casino.test/page/v-0123456789abcdef/router.js"), "/");
  assert.equal(rootOf("http://casino.test/page/router.js"), "/");
  assert.equal(
    rootOf("https://host/my/page/casino/page/v-0123456789abcdef/router.js"),
    "/my/page/casino/",
  );
  assert.equal(rootOf("file:///a/clone/named/page/web/router.js"), "/");
});

test("an address is read below the page's own path", () => {
  const address = new URL("https://host/casino/rooms/main/hands/3?epoch=2#chart");
  assert.equal(within(address, "/casino/"), "/rooms/main/hands/3?epoch=2");
  assert.equal(within(new URL("https://host/casino/embed/rooms/a"), "/casino/embed/"), "/rooms/a");
  assert.equal(within(new URL("https://host/casino/rooms/a#/rooms/b"), "/casino/"), "/rooms/b");
});
