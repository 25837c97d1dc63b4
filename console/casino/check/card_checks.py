"""Checks `card`, `signup`, `seat-token`, `contribute`: the bot is found, seated, part of a deal."""

import secrets
import time
from typing import Any, Final
from urllib.parse import urlsplit

from casino_agentkit import (
    AddressNotAllowed,
    AgentError,
    ProtocolFault,
    RemoteAgent,
    TimedOut,
    Unreachable,
)
from casino_agentkit.canonical_json import encoded
from casino_agentkit.fair_deal import BYTES, PROTOCOL, bytes_in, commitment_to
from casino_agentkit.protocol import CAPABILITY_PATH
from casino_contracts import (
    ActionResponse,
    ContributeInput,
    ContributeOutput,
    DealCommitment,
    EntropyCommitment,
    GameActionResponse,
    SignupResponse,
    Unit,
)
from casino_contracts.foreign_text import json_of
from casino_contracts.player_messages import CARD_TIMEOUT

from casino.check.bot_under_test import CONFIG, BotAnswer, BotUnderTest
from casino.check.findings import (
    Exchange,
    Finding,
    Verdict,
    note,
    ok,
    recorded,
    shown_bytes,
    skipped,
)
from casino.check.practice import PLAYER_ID, TABLE_ID

CARD: Final = "card"
_OK: Final = 200

_FIXES: Final = {
    "card-unreachable": "start the bot, and give the address on which it listens",
    "card-late": "answer GET at once: lobby and table wait 5 s for a card",
    "card-status": "serve the card at /.well-known/agent-card.json with status 200",
    "card-not-json": "serve the card as JSON (json.dumps), not as a page",
    "card-invalid": "correct what the sentence names; README's bot has a whole card",
    "card-without-interface": 'add supportedInterfaces: [{"url": "http://HOST:PORT/rpc",'
    ' "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]',
    "card-dead-address": "advertise the address on which the bot listens, such as that of the"
    " request's Host header",
    "card-address-not-allowed": "advertise an address on the card's own host",
    "https-for-http": "write http:// instead of https://, or serve TLS",
    "tls-certificate": "name the PEM file of your own authority in CASINO_TLS_CA for this check,"
    " and in CASINO_LOBBY_TLS_CA and CASINO_TABLE_TLS_CA for the casino",
    "card-0.3": "add supportedInterfaces of A2A 1.0 (docs/protocol.md); until then the bot"
    " is called by A2A 0.3",
    "skills-missing": 'add to skills: {"id": "signup"} and {"id": "act"}',
    "display-name-missing": 'answer signup with {"displayName": "My bot"}',
    "signup-malformed": "send the fields and types of SignupResponse: displayName, and if wanted"
    " actionSkill, buyIn, playsAnyGame, clockMs, playerType",
    "no-signup": 'serve the skill signup: answer it with {"displayName": "My bot"}; the skill is in'
    " the message's metadata",
    "buy-in-out-of-range": "choose buyIn from minBuyIn to maxBuyIn of the invitation, or leave it"
    " out",
    "second-table": "accept every invitation: a bot may sit at several tables, each with a seat"
    " token of its own",
}


async def check_card(subject: BotUnderTest) -> list[Finding]:
    """Read the card as a lobby does; a bot whose card is faulty cannot be called."""
    if subject.function is not None:
        subject.peer = await subject.client.resolve(subject.url, timeout=CARD_TIMEOUT)
        return [skipped(CARD, "a function has no card: casino join serves one for it")]
    with recorded() as exchange:
        try:
            peer = await subject.client.resolve(subject.url, timeout=CARD_TIMEOUT)
        except AgentError as error:
            return [_finding(_name_of(error, exchange, subject.url), error.message, exchange)]
        if (dead := await _dead_address(subject, peer)) is not None:
            return [_finding(*dead, exchange)]
    subject.peer = peer
    return [*_about(peer, _content(exchange), exchange)]


def _about(peer: RemoteAgent, card: dict[str, Any], exchange: Exchange) -> list[Finding]:
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
        findings.append(note(CARD, "it offers the invoke profile alone: amounts are chips added"))
    elif not peer.is_typed:
        text = "without the extension typed-entrypoints: questions are sent as text with a schema"
        findings.append(note(CARD, text))
    return findings or [ok(CARD, f"{peer.name}, called at {peer.url}")]


async def _dead_address(subject: BotUnderTest, peer: RemoteAgent) -> tuple[str, str] | None:
    """Return the fault of an advertised address that cannot be reached from here."""
    if not peer.url.startswith(("http://", "https://")):
        return None
    try:
        await subject.transport.inner.send("GET", peer.url, {}, b"", CARD_TIMEOUT.total_seconds())
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
    return Finding(CARD, verdict, text, name, _FIXES[name], sent, came)


SIGNUP: Final = "signup"


async def check_signup(subject: BotUnderTest) -> list[Finding]:
    answer = await subject.invite(subject.invitation())
    signup = answer.reply
    if not isinstance(signup, SignupResponse):
        return [_failed(answer)]
    subject.signup = signup
    if subject.function is not None:
        return [skipped(SIGNUP, "a function has no signup: casino join answers it")]
    if (objection := _buy_in_objection(signup)) is not None:
        return [_fault("buy-in-out-of-range", objection, answer)]
    again = await subject.invite(subject.invitation(f"{TABLE_ID}-2", "player-2"))
    if again.failure:
        text = f"the invitation to a second table failed: {again.failure.text}"
        return [_fault("second-table", text, again)]
    return [ok(SIGNUP, _accepted(signup))]


def _accepted(signup: SignupResponse) -> str:
    asks = [
        f"{name} {value}"
        for name, value in (
            ("actionSkill", None if signup.action_skill == "act" else signup.action_skill),
            ("buyIn", signup.buy_in),
            ("clockMs", signup.clock_ms),
            ("playerType", signup.player_type),
            ("playsAnyGame", signup.plays_any_game),
        )
        if value is not None
    ]
    wishes = f", with {', '.join(asks)}" if asks else ""
    return f"“{signup.display_name}” takes a seat{wishes}"


def _buy_in_objection(signup: SignupResponse) -> str | None:
    if signup.buy_in is None:
        return None
    if not CONFIG.min_buy_in <= signup.buy_in <= CONFIG.max_buy_in:
        allowed = f"{CONFIG.min_buy_in} to {CONFIG.max_buy_in}"
        return f"it asks for {signup.buy_in} chips; the room allows {allowed}"
    try:
        Unit.of(CONFIG).chips(signup.buy_in)
    except ValueError as error:
        return f"buyIn {error}"
    return None


def _failed(answer: BotAnswer) -> Finding:
    failure = answer.failure
    assert failure is not None  # noqa: S101  a call without a failure has a reply
    name = failure.name
    if name in {"malformed-answer", "unknown-action"}:
        name = "display-name-missing" if "displayName" in failure.text else "signup-malformed"
    elif name == "refused":
        name = "no-signup"
    fix = _FIXES.get(name, failure.fix)
    return _fault(name, failure.text, answer, fix)


def _fault(name: str, text: str, answer: BotAnswer, fix: str = "") -> Finding:
    exchange = answer.exchange
    return Finding(
        SIGNUP, Verdict.FAULT, text, name, fix or _FIXES[name], exchange.sent, exchange.came
    )


OF_TOKEN: Final = "seat-token"  # noqa: S105  the name of a check


async def check_seat_token(subject: BotUnderTest) -> list[Finding]:
    """Ask as a third party, with another token than that of signup."""
    if subject.function is not None:
        return [skipped(OF_TOKEN, "a function has no caller: casino join compares the token")]
    if CAPABILITY_PATH in subject.url:
        return [ok(OF_TOKEN, "only who knows its address, which is its key, reaches it")]
    task, _ = subject.answers[-1]
    body, brief = await subject.practice.ask(task, subject.clock_ms)
    body = subject.anew(body)
    any_game = bool(subject.signup and subject.signup.plays_any_game)
    output = GameActionResponse if any_game else ActionResponse
    skill = subject.signup.action_skill if subject.signup else "act"
    answer = await subject.call(skill, body, output, brief=brief, token="another" + subject.token)
    if answer.failure:
        return [ok(OF_TOKEN, f"a caller without the seat token is refused: {answer.failure.text}")]
    text = (
        "anybody who reaches the bot may ask it; to allow only your casino, give it a key"
        " (CASINO_PLAYER_KEY), or compare the header Authorization with “Bearer ” and the seatToken"
        " of signup"
    )
    return [note(OF_TOKEN, text)]


CONTRIBUTE: Final = "contribute"
_OF_DEALS: Final = {
    "no-commitment": 'answer contribute without a commitment by {"commitment": …}: base64url of the'
    " SHA-256 of 32 random bytes, which are others for each block",
    "another-commitment": "keep the bytes of a block: until they are sent, the same block gets the"
    " same commitment",
    "no-entropy": 'answer the first commitment of a block by {"entropy": …}: base64url of the bytes'
    " whose SHA-256 was sent",
    "contributes-twice": "keep the commitment for which the bytes were sent, and refuse another one"
    " of the same block: else a table can try one deck after the other",
}


async def check_contribute(subject: BotUnderTest) -> list[Finding]:
    """Ask for a part in the deal of a block, and then for the same part in another one."""
    if subject.function is not None:
        return [skipped(CONTRIBUTE, "a function has no part: casino join contributes for it")]
    if CONTRIBUTE not in subject.called.skills:
        return [note(CONTRIBUTE, "its card does not declare it: others make the deal fair")]
    # A bot remembers the blocks of earlier checks: it takes part only where the epoch rises.
    epoch = time.time_ns() // 1_000_000
    asked = ContributeInput(table_id=TABLE_ID, block=f"{TABLE_ID}/{epoch}/1", player_id=PLAYER_ID)
    first, again = await _contribute(subject, asked), await _contribute(subject, asked)
    part = first.action.get("commitment")
    if part is None:
        return [_of_deal("no-commitment", "no part in the deal of a block", first)]
    if again.action.get("commitment") != part:
        return [_of_deal("another-commitment", "the same block got another commitment", again)]
    return [await _revealed(subject, asked, part)]


async def _revealed(subject: BotUnderTest, asked: ContributeInput, part: str) -> Finding:
    """Commit to a deck, and then to another one, and see what the bot gives for each."""
    replies = []
    for _ in range(2):
        shown = asked.model_copy(update={"commitment": _committed(asked.block, part)})
        replies.append(await _contribute(subject, shown))
    given, twice = replies
    try:
        is_right = commitment_to(bytes_in(given.action, "entropy", BYTES)) == part
    except ValueError:
        is_right = False
    if not is_right:
        text = "the first commitment of a block got no bytes of the hash that was sent"
        return _of_deal("no-entropy", text, given)
    if "entropy" in twice.action:
        return _of_deal("contributes-twice", "a second commitment got the bytes, too", twice)
    return ok(CONTRIBUTE, "32 bytes for the first commitment of a block, and for no other")


async def _contribute(subject: BotUnderTest, request: ContributeInput) -> BotAnswer:
    return await subject.call(CONTRIBUTE, request.wire(), ContributeOutput, token=subject.token)


def _committed(block: str, part: str) -> dict[str, Any]:
    """Return a commitment to a deck that nobody knows, with the bot's part."""
    commitment = DealCommitment(
        protocol=PROTOCOL,
        block=block,
        game_type="texas-holdem",
        first_hand=1,
        cards=52,
        leaves=(2, 2, 3, 1, 1),
        seats=(PLAYER_ID, "player-2"),
        commitments=(EntropyCommitment(player_id=PLAYER_ID, commitment=part),),
        roots=encoded(secrets.token_bytes(BYTES)),
    )
    return commitment.model_dump(mode="json")


def _of_deal(name: str, text: str, answer: BotAnswer) -> Finding:
    text = f"{text}: {answer.failure.text}" if answer.failure else text
    fix, exchange = _OF_DEALS[name], answer.exchange
    return Finding(CONTRIBUTE, Verdict.FAULT, text, name, fix, exchange.sent, exchange.came)
