"""Requests with typed calls as bytes: right ones, and ones that are changed in any place."""

import json
import random
from collections.abc import Callable
from typing import Any, Final

from casino_agentkit.protocol import CAPABILITY_PATH, EXTENSION, REST_PATH, RPC_PATH
from fuzz.envelopes import other_method, other_route, spoilt
from fuzz.http_cases import ODD_TARGETS, RUBBISH, in_pieces, request, with_odd_headers
from fuzz.paths.questions import question
from fuzz.typed_calls import TypedCall
from fuzz.values import ODD, SPOILT, Pairs, encoded, mutated
from support.plain.requests import HEADERS, envelope

Pieces = tuple[bytes, ...]

SKILLS: Final = (
    "quick", "prompt", "thread", "refuse", "fail", "who", "context", "refuse_later", "fail_later",
    "who_later", "context_later", "known", "known_later", "act", "act", "act_later", "nowhere",
)  # fmt: skip
_IDS: Final = (
    7, "", "a", 0, -1, 2**63, 2**63 - 1, 1.0, True, None, "\u202e\U0001f4a3", "x" * 300,
)  # fmt: skip
_PATHS: Final = (
    RPC_PATH, RPC_PATH + "/", f"{CAPABILITY_PATH}sesame{RPC_PATH}",
    f"{CAPABILITY_PATH}x{RPC_PATH}/", f"{CAPABILITY_PATH}{RPC_PATH}", RPC_PATH + "?a=b",
    RPC_PATH + "//", RPC_PATH.upper(),
    RPC_PATH.replace("j", "%6a"), f"{CAPABILITY_PATH}%C3%A9{RPC_PATH}", "/.." + RPC_PATH,
    f"{CAPABILITY_PATH}a.b-c_d~e{RPC_PATH}", f"{CAPABILITY_PATH}a+b{RPC_PATH}", REST_PATH, "/",
)  # fmt: skip
_LINES: Final = (
    "Connection: keep-alive", "Connection: Keep-Alive", "Connection: close", "Connection: x",
    "connection: keep-alive, close", "Proxy-Connection: close", "Expect: 100-continue", "TE: x",
    "Authorization: Bearer sesame", "authorization: bearer sesame", "Authorization: Basic YTpi",
    "Authorization: Bearer a b", "Authorization: Bearer", "Authorization:", "Host: evil.example",
    "Host: 127.0.0.1", "Origin: http://127.0.0.1", "Origin: null", "Sec-Fetch-Site: same-origin",
    "Sec-Fetch-Site: cross-site", "Referer: http://127.0.0.1/", "Referer: http://evil.example/",
    "A2A-Version: 1.0", "A2A-Version: 0.3", "a2a-version:1.0", "A2A-Version: 1.0 ",
    "A2A-Version: 1.0.0", f"A2A-Extensions: {EXTENSION}", f"a2a-extensions: x, {EXTENSION}",
    f"A2A-Extensions: {EXTENSION},x", f"A2A-Extensions: {EXTENSION}x", "A2A-Extensions:",
    "Content-Type: text/plain", "Content-Type:", "content-type: application/json; charset=utf-8",
    "Content-Type: application/json\t", "Content-Encoding: gzip", "Content-Length: 2",
    "Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Trailer: x", "Upgrade: h2c",
    f"traceparent: 00-{'a' * 32}-{'b' * 16}-01", "Traceparent: 00-x", "traceparent:",
    "X: y", "X:y", "X: \t y \t", "X:", "X: a\tb", "X-\u00e9: y", "X: \u00e9", "X : y", " X: y",
    "X_Y: z", "X.Y: z", "A" * 1_500 + ": b", "X: " + "y" * 3_000, "Accept: text/html",
    "Accept: */*", "User-Agent: x", "Accept-Encoding: gzip", "Cookie: a=b", "X-Forwarded-For: x",
    "Forwarded: for=x", "A2A-Version: ", "Keep-Alive: timeout=1", "HTTP2-Settings: AAAA",
)  # fmt: skip
_LENGTH_NAMES: Final = ("Content-Length", "content-length", "CONTENT-LENGTH")


def _data(rng: random.Random, skill: str) -> Any:
    if skill.startswith("act") and rng.random() < 0.9:
        data = question(rng)
    else:
        data = {"text": rng.choice(("", "hello", "\u00e9\u202e", "x" * 900))}
        if rng.random() < 0.4:
            data["amount"] = rng.choice((0, 1, 1.0, 2**53, -1, 1.5, "1"))
        if rng.random() < 0.4:
            data["requestId"] = rng.choice(("q", "r", "", None, 7))
            data["hurryMs"] = rng.choice((1, 2, 3, None))
    return mutated(rng, data) if rng.random() < 0.5 else data


def _envelope(rng: random.Random) -> tuple[str, dict[str, Any]]:
    skill = rng.choice(SKILLS)
    whole = envelope(skill, _data(rng, skill), rng.choice(_IDS) if rng.random() < 0.3 else "a")
    if rng.random() < 0.2:
        whole["params"]["message"]["contextId"] = rng.choice(("", "c", "c" * 300, "\0", None, 7))
    return skill, whole


def _body(rng: random.Random) -> bytes:
    """Return a body: mostly a right call, or one with a few things changed."""
    draw = rng.random()
    skill, whole = _envelope(rng)
    if draw < 0.5:
        return _written(rng, whole)
    if draw < 0.75:
        return encoded(mutated(rng, whole))
    if draw < 0.85:
        return spoilt(rng, TypedCall(skill, _data(rng, skill))).body
    if draw < 0.95:
        return rng.choice(SPOILT)(rng, _written(rng, whole))
    return other_method(rng).body


def _written(rng: random.Random, whole: dict[str, Any]) -> bytes:
    """Return the JSON of an envelope in one of the spellings of JSON."""
    draw = rng.random()
    if draw < 0.6:
        return encoded(whole)
    if draw < 0.7:
        return json.dumps(whole, indent=1).encode()
    if draw < 0.8:
        shuffled = list(whole.items())
        rng.shuffle(shuffled)
        return encoded(Pairs(shuffled))
    if draw < 0.9:
        twice = rng.choice(list(whole.items()))
        return encoded(Pairs([*whole.items(), (twice[0], rng.choice((twice[1], rng.choice(ODD))))]))
    if draw < 0.95:
        return encoded(whole).replace(b"SendMessage", b"\\u0053endMessage")
    return b" \r\n" + encoded(whole) + b"\n "


def _call(rng: random.Random) -> bytes:
    """Return a request with a call, whose head may say more, or less."""
    lines = list(HEADERS)
    path, body = RPC_PATH, _body(rng)
    draw = rng.random()
    if draw < 0.4:
        for _ in range(rng.choice((1, 1, 2))):
            lines.insert(rng.randint(0, len(lines)), rng.choice(_LINES))
    elif draw < 0.5:
        del lines[rng.randrange(len(lines))]
    elif draw < 0.55:
        rng.shuffle(lines)
    if rng.random() < 0.15:
        path = rng.choice(_PATHS)
    length = f"{rng.choice(_LENGTH_NAMES)}: {len(body)}"
    if rng.random() < 0.1:
        length = _odd_length(rng, len(body))
    lines.insert(len(lines) if rng.random() < 0.9 else rng.randint(0, len(lines)), length)
    head = "\r\n".join([f"POST {path} HTTP/1.1", *lines, "", ""])
    return head.encode("utf-8") + body


def _odd_length(rng: random.Random, length: int) -> str:
    return "Content-Length:" + rng.choice(
        (f"{length}", f" 0{length}", f"  {length}", f" {length} ", f"\t{length}", f" +{length}",
         f" {length + 1}", f" {max(0, length - 1)}", f" {length}, {length}", " ", f" {length}.0",
         f" {2**64 + length}", f" -{length}", " 0", f" {length:x}h"),
    )  # fmt: skip


def _one(rng: random.Random) -> bytes:
    draw = rng.random()
    if draw < 0.7:
        return _call(rng)
    _, whole = _envelope(rng)
    headers = dict(line.split(": ", 1) for line in HEADERS)
    if draw < 0.78:
        return with_odd_headers(rng, "POST", RPC_PATH, headers, encoded(whole))
    if draw < 0.92:
        return rng.choice(RUBBISH)(rng, request("POST", RPC_PATH, headers, encoded(whole)))
    if draw < 0.96:
        method, way = other_route(rng)
        return request(method, way.path, way.headers, way.body)
    return request(rng.choice(("GET", "POST")), rng.choice(ODD_TARGETS), headers, b"{}")


def _few(rng: random.Random) -> Pieces:
    requests = tuple(_one(rng) for _ in range(rng.randint(2, 4)))
    return requests if rng.random() < 0.5 else in_pieces(rng, b"".join(requests))


def pieces(rng: random.Random) -> Pieces:
    """Return what is sent on a connection, in pieces that are read one by one."""
    make: Callable[[random.Random], Pieces]
    make = _few if rng.random() < 0.15 else lambda dice: in_pieces(dice, _one(dice))
    return make(rng)
