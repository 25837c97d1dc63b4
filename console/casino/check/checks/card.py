"""Check `card`: it can be read, offers an address that can be reached, and declares its skills."""

from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from casino_agentkit import (
    AddressNotAllowed,
    AgentError,
    Peer,
    ProtocolFault,
    TimedOut,
    Unreachable,
)
from casino_contracts.foreign_text import json_of

from casino.check.exchange import Exchange, recorded, shown_bytes
from casino.check.finding import Finding, Verdict, note, ok, skipped
from casino.check.subject import Subject

CHECK: Final = "card"
_WITHIN: Final = timedelta(seconds=5)
"""So long lobby and table wait for a card."""
_OK: Final = 200

_FIXES: Final = {
    "card-unreachable": "start the bot, and give the address on which it listens",
    "card-late": "answer GET at once: lobby and table wait 5 s for a card",
    "card-status": "serve the card at /.well-known/agent-card.json with status 200",
    "card-not-json": "serve the card as JSON (json.dumps), not as a page",
    "card-invalid": "take the card of README's bot, and change its texts",
    "card-without-interface": 'add supportedInterfaces: [{"url": "http://HOST:PORT/rpc",'
    ' "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]',
    "card-dead-address": "advertise the address on which the bot listens, such as that of the"
    " request's Host header",
    "card-address-not-allowed": "advertise an address on the card's own host",
    "https-for-http": "write http:// instead of https://, or serve TLS",
    "tls-certificate": "name the PEM file of your own authority in CASINO_TLS_CA for this check,"
    " and in CASINO_LOBBY_TLS_CA and CASINO_TABLE_TLS_CA for the casino",
    "card-0.3": "add supportedInterfaces of A2A 1.0 (docs/interoperability.md); until then the bot"
    " is called by A2A 0.3",
    "skills-missing": 'add to skills: {"id": "signup"} and {"id": "act"}',
}


async def check_card(subject: Subject) -> list[Finding]:
    """Read the card as a lobby does; a bot whose card is faulty cannot be called."""
    if subject.function is not None:
        subject.peer = await subject.client.resolve(subject.url, timeout=_WITHIN)
        return [skipped(CHECK, "a function has no card: casino join serves one for it")]
    with recorded() as exchange:
        try:
            peer = await subject.client.resolve(subject.url, timeout=_WITHIN)
        except AgentError as error:
            return [_finding(_name_of(error, exchange, subject.url), error.message, exchange)]
        if (dead := await _dead_address(subject, peer)) is not None:
            return [_finding(*dead, exchange)]
    subject.peer = peer
    return [*_about(peer, _content(exchange), exchange)]


def _about(peer: Peer, card: dict[str, Any], exchange: Exchange) -> list[Finding]:
    findings = []
    is_older = "supportedInterfaces" not in card and not peer.is_invoke
    if is_older:
        text = (
            f"the card is of A2A {card.get('protocolVersion', '0.3')}, without supportedInterfaces"
        )
        findings.append(_finding("card-0.3", text, exchange, Verdict.WARNING))
    missing = [skill for skill in ("signup", "act") if skill not in peer.skills]
    if missing:
        text = f"the card does not declare {' and '.join(missing)}: it is called all the same"
        findings.append(_finding("skills-missing", text, exchange, Verdict.WARNING))
    if peer.is_invoke:
        findings.append(note(CHECK, "it offers the invoke profile alone: amounts are chips added"))
    elif not peer.is_typed:
        text = "without the extension typed-entrypoints: questions are sent as text with a schema"
        findings.append(note(CHECK, text))
    return findings or [ok(CHECK, f"{peer.name}, called at {peer.url}")]


async def _dead_address(subject: Subject, peer: Peer) -> tuple[str, str] | None:
    """Return the fault of an advertised address that cannot be reached from here."""
    if not peer.url.startswith(("http://", "https://")):
        return None
    try:
        await subject.transport.inner.send("GET", peer.url, {}, b"", _WITHIN.total_seconds())
    except Unreachable as error:
        if "no connection" not in error.message and "TLS" not in error.message:
            return None  # it is there, and does not serve GET
        text = f"the card advertises {peer.url}, which cannot be reached from here"
        return _unreached(error, peer.url, "card-dead-address"), f"{text} ({error.message})"
    except AgentError:  # it is there; calls show what it answers
        return None
    return None


def _name_of(error: AgentError, exchange: Exchange, url: str) -> str:
    if isinstance(error, AddressNotAllowed):
        return "card-address-not-allowed"
    if isinstance(error, Unreachable):
        return _unreached(error, url, "card-unreachable")
    if isinstance(error, TimedOut):
        return "card-late"
    if isinstance(error, ProtocolFault) and "HTTP status" in error.message:
        return "card-status"
    if _served(exchange) is not None and not _content(exchange):
        return "card-not-json"
    return "card-without-interface" if "interface" in error.message else "card-invalid"


def _unreached(error: Unreachable, url: str, otherwise: str) -> str:
    """Name an address without a connection: a fault of TLS, or `otherwise`."""
    if urlsplit(url).scheme != "https" or "TLS" not in error.message:
        return otherwise
    return "tls-certificate" if "certificate" in error.message else "https-for-http"


def _served(exchange: Exchange) -> bytes | None:
    """Return the first body that came with status 200; None if none did."""
    replies = [sent.reply for sent in exchange.requests if sent.reply]
    return next((bytes(reply.body) for reply in replies if reply.status == _OK), None)


def _content(exchange: Exchange) -> dict[str, Any]:
    """Return the card as JSON, {} if it is no JSON object."""
    try:
        content = json_of(_served(exchange) or b"")
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _finding(name: str, text: str, exchange: Exchange, verdict: Verdict = Verdict.FAULT) -> Finding:
    first = exchange.requests[0] if exchange.requests else None
    sent = f"{first.method} {first.url}" if first else ""
    body = _served(exchange)
    came = exchange.came if body is None else shown_bytes(body)
    return Finding(CHECK, verdict, text, name, _FIXES[name], sent, came)
