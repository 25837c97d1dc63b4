/** The parser of server-sent events. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SseParser } from "../../services/lobby/casino_lobby/web/stream.js";

/** Return the events of a text that arrives in pieces of a size. */
function parse(text, size) {
  const events = [];
  const parser = new SseParser((...event) => events.push(event));
  for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size));
  return events;
}

test("a stream may be cut anywhere", () => {
  const text =
    ": hello\n\nid: 7\r\nevent: a\r\ndata: {\r\ndata:  1}\r\n\r\n: heartbeat\n\n" +
    "data:x\n\nevent: empty\n\nid: 8\rdata: y\r\rretry: 5\ndata: z\n\n";
  for (let size = 1; size <= text.length; size += 1) {
    assert.deepEqual(
      parse(text, size),
      [
        ["a", "{\n 1}", "7"],
        ["message", "x", null],
        ["message", "y", "8"],
        ["message", "z", null],
      ],
      `in pieces of ${size}`,
    );
  }
});

test("an id with a null character is none, and an event without its end is not there yet", () => {
  assert.deepEqual(parse("id: a\0b\ndata: 1\n\ndata: 2\n", 3), [["message", "1", null]]);
});
