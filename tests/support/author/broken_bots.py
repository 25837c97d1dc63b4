"""A bot on Python's library alone, of which each step can be replaced by a faulty one."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any

from casino.check.findings import Finding, Verdict

from support.processes import PATIENCE_S, reserved_port

SKILL = "urn:a2a-casino:typed-entrypoints:v1"

Json = dict[str, Any]
Reply = tuple[int, bytes] | None
"""Status and body; None closes the connection."""


def sound(turn: Json) -> Json:
    return {"action": "check" if "check" in turn["legalActions"] else "call"}


def named(_invitation: Json) -> Json:
    return {"displayName": "Bot"}


def unchanged(value: Json) -> Any:
    return value


@dataclass
class Bot:
    """Checks or calls; a field that is given replaces the step."""

    page: tuple[int, bytes] | None = None
    """Served in place of the card."""
    card: Callable[[Json], Any] = unchanged
    signup: Callable[[Json], Any] = named
    act: Callable[[Json], Any] = sound
    contribute: Callable[[Json], Any] | None = None
    """None: the card does not declare it."""
    envelope: Callable[[Json], Any] = unchanged
    """Changes the reply to a question."""
    asked: "Callable[[Bot, Json], Reply] | None" = None
    """Replies to the call of a question."""
    garbage: "Callable[[Bot], Reply] | None" = None
    """Replies to what is no JSON."""
    server: type[HTTPServer] = ThreadingHTTPServer
    protocol: str = "HTTP/1.1"
    pause_s: float | None = None
    """Between the writes of head and body; None: both are one write."""
    address: str = field(default="", init=False)
    is_dead: bool = field(default=False, init=False)
    released: threading.Event = field(default_factory=threading.Event, init=False)
    """Set at the end: what hangs is released."""
    turns: list[Json] = field(default_factory=list, init=False)
    """The questions."""

    def get(self) -> Reply:
        url = f"{self.address}/rpc"
        interface = {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        card = {
            "name": "Bot",
            "description": "A bot of a test.",
            "version": "1",
            "supportedInterfaces": [interface],
            "capabilities": {"extensions": [{"uri": SKILL}]},
            "skills": [{"id": "signup"}, {"id": "act"}],
        }
        if self.contribute:
            card["skills"] = [{"id": skill} for skill in ("signup", "act", "contribute")]
        return self.page or (200, _json(self.card(card)))

    def post(self, body: bytes) -> Reply:
        try:
            call = json.loads(body)
        except ValueError:
            return self.garbage(self) if self.garbage else _refused(None)
        try:
            return self._called(call)
        except (LookupError, TypeError):
            return _refused(call.get("id") if isinstance(call, dict) else None)

    def _called(self, call: Json) -> Reply:
        message = call["params"]["message"]
        data = message["parts"][0]["data"]
        skill = message["metadata"][SKILL]["skill"]
        if skill == "contribute" and self.contribute:
            return 200, _json(answered(call, self.contribute(data)))
        if skill == "signup":
            return 200, _json(answered(call, self.signup(data)))
        if "legalActions" in data:
            self.turns.append(data)
            if self.asked is not None:
                return self.asked(self, call)
        return self.reply(call)

    def reply(self, call: Json) -> Reply:
        return 200, _json(self.envelope(answered(call, self.act(turn_of(call)))))


def answered(call: Json, answer: Any) -> Json:
    """Return the reply to a call."""
    part = {"data": answer, "mediaType": "application/json"}
    message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [part]}
    return {"jsonrpc": "2.0", "id": call["id"], "result": {"message": message}}


def turn_of(call: Json) -> Json:
    turn: Json = call["params"]["message"]["parts"][0]["data"]
    return turn


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _refused(call_id: Any) -> Reply:
    error = {"code": -32602, "message": "no call of signup or act"}
    return 200, _json({"jsonrpc": "2.0", "id": call_id, "error": error})


class _Handler(BaseHTTPRequestHandler):
    bot: Bot
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        self._send(self.bot.get())

    def do_POST(self) -> None:
        self._send(self.bot.post(self.rfile.read(int(self.headers.get("content-length", 0)))))

    def _send(self, reply: Reply) -> None:
        if reply is None or self.bot.is_dead:
            self.close_connection = True
            return
        status, body = reply
        kept = "" if self.protocol_version == "HTTP/1.1" else "Connection: close\r\n"
        head = f"{self.protocol_version} {status} It\r\nContent-Type: application/json\r\n{kept}"
        self.wfile.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
        if self.bot.pause_s is not None:
            self.wfile.flush()
            self.bot.released.wait(self.bot.pause_s)
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def _ignore(*_: object) -> None:
    """Print nothing when a connection breaks: the check closes some."""


@contextmanager
def served(bot: Bot, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve a bot; gives its address."""
    handler = type("Handler", (_Handler,), {"bot": bot, "protocol_version": bot.protocol})
    with bot.server(("127.0.0.1", 0), handler) as server:
        if isinstance(server, ThreadingHTTPServer):
            server.daemon_threads = True
            server.block_on_close = False
        server.handle_error = _ignore  # type: ignore[assignment,method-assign]
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        scheme = "http" if tls is None else "https"
        bot.address = f"{scheme}://127.0.0.1:{server.server_address[1]}"
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        try:
            yield bot.address
        finally:
            bot.released.set()
            server.shutdown()
            serving.join()


def of(verdict: Verdict, findings: list[Finding]) -> list[tuple[str, str]]:
    """Return check and name of the findings with a verdict."""
    return [(each.check, each.name) for each in findings if each.verdict is verdict]


# Faults that several tests look at.


def answering(answer: Any) -> partial[Bot]:
    """Return a bot that always decides so."""
    return partial(Bot, act=lambda _turn: answer)


def replying(body: bytes, status: int = 200) -> partial[Bot]:
    """Return a bot that always sends this body in reply to a question."""
    return partial(Bot, asked=lambda _bot, _call: (status, body))


def with_text(text: str) -> partial[Bot]:
    """Return a bot that answers with a text."""

    def changed(reply: Json) -> Json:
        reply["result"]["message"]["parts"] = [{"text": text}]
        return reply

    return partial(Bot, envelope=changed)


def hang(bot: Bot, _call: object = None) -> Reply:
    bot.released.wait(PATIENCE_S)
    return None


def _called_at(change: Callable[[str], str]) -> Callable[[Json], Json]:
    def changed(card: Json) -> Json:
        (interface,) = card["supportedInterfaces"]
        return card | {"supportedInterfaces": [interface | {"url": change(interface["url"])}]}

    return changed


def _card_of_03(card: Json) -> Json:
    (interface,) = card.pop("supportedInterfaces")
    skills: list[Json] = [
        {"id": name, "name": name, "description": name, "tags": []} for name in ("signup", "act")
    ]
    modes = {"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"]}
    version = {"protocolVersion": "0.3.0", "url": interface["url"]}
    return card | version | modes | {"skills": skills, "preferredTransport": "JSONRPC"}


def increment(turn: Json) -> Json:
    """Send what is added, not the total."""
    return {"action": "raise", "amount": turn["minRaiseTo"] - turn["currentBet"]}


CARD_ABSENT = partial(Bot, page=(404, b"{}"))
CARD_OF_HTML = partial(Bot, page=(200, b"<html><body>My bot</body></html>"))
CARD_OF_ANOTHER_SHAPE = partial(Bot, card=lambda _: {"name": ["My bot"], "skills": "signup, act"})
CARD_AT_DEAD_PORT = partial(
    Bot, card=_called_at(lambda _: f"http://127.0.0.1:{reserved_port()}/rpc")
)
CARD_OF_TLS = partial(Bot, card=_called_at(lambda url: url.replace("http:", "https:")))
CARD_OF_03 = partial(Bot, card=_card_of_03)
SIGNUP_WITHOUT_NAME = partial(Bot, signup=lambda _: {"ok": True})
CLOSES = partial(Bot, asked=lambda _bot, _call: None)
HANGS = partial(Bot, asked=hang)
ENVELOPE_FORGOTTEN = partial(Bot, asked=lambda bot, call: (200, _json(bot.act(turn_of(call)))))
OTHER_ID = partial(Bot, envelope=lambda reply: reply | {"id": "1"})
