"""Attacks on players: their cards, policy, seats and names."""

import asyncio
import secrets
import unicodedata

from casino_contracts import Reason
from casino_lobby_client.lobby_client import room_path

from casino.attack.attack_base import Outcome, attack, by_answer, not_applicable, refused, succeeded
from casino.attack.attack_discovery import read_events
from casino.attack.attack_target import AttackedAgent, AttackedRoom, AttackTarget, Token, Try
from casino.attack.binding_calls import Depth, Json
from casino.attack.question_attacks import cached_answers, guesses, last_question

_NO_PLAYERS = "no player's address is known (--player URL)"
_NOT_SEATED = "none of the players is seated at an open table"
_EVENTS = 400
_GUESSES = 200
"""Maximum number of guesses; more could evict the answer from a player's cache of 256."""
_PAGE = 64_000
_INVITATIONS, _DECISIONS = 300, 10
_POLLS, _POLL_S = 100, 0.2
"""Polls for the decisions after the invitations."""


def _question(room: AttackedRoom | None, table_id: str) -> Json:
    return {
        "tableId": table_id,
        "bettingRound": "preflop",
        "communityCards": [],
        "holeCards": [{"rank": "A", "suit": "spades"}, {"rank": "A", "suit": "hearts"}],
        "pot": 3,
        "minimumRaise": 2,
        "currentBet": 2,
        "playerStack": 198,
        "legalActions": ["fold", "call", "raise", "all-in"],
        "requestId": f"mallory:{secrets.token_hex(4)}",
        "gameType": room.game_type if room else "texas-holdem",
        "toCall": 2,
        "minRaiseTo": 4,
        "maxRaiseTo": 198,
    }


def _any_game(question: Json) -> Json:
    return {
        "tableId": question["tableId"],
        "gameType": "kuhn_poker",
        "specVersion": "1.0.0",
        "requestId": question["requestId"],
        "playerId": "player-1",
        "state": {"public": {}, "private": {}},
        "availableActions": [{"action_type": "FOLD"}, {"action_type": "CALL"}],
        "deadlineMs": 5000,
    }


def _rooms(target: AttackTarget) -> list[AttackedRoom]:
    return target.open_rooms[:3]


async def _ask(
    target: AttackTarget, player: AttackedAgent, table_id: str, tokens: list[Token]
) -> list[Try]:
    question = _question(None, table_id)
    tries = await target.call_over_all(player, "act", question, tokens)
    if not any(try_.reply.was_let_in or try_.reply.depth is Depth.DENIED for try_ in tries):
        tries = await target.call_over_all(player, "act", _any_game(question), tokens)
    return tries


@attack("seats", "C5", "M1")
async def question_player(target: AttackTarget) -> Outcome:
    """Ask a player what it would do with other cards at the table where it sits."""
    if not target.players:
        return not_applicable(_NO_PLAYERS)
    if not target.open_rooms:
        return not_applicable("no room is open")
    tries: list[Try] = []
    for player in target.players:
        for room in _rooms(target):
            if _sits(room, player):
                tokens = target.tokens("table", room.table_id)
                tries += await _ask(target, player, room.table_id, tokens)
    return by_answer(tries) if tries else not_applicable(_NOT_SEATED)


def _sits(room: AttackedRoom, player: AttackedAgent) -> bool:
    return player.name in {seat.get("displayName") for seat in room.seats}


@attack("seats", "C5", "M1", "27-M3")
async def question_player_elsewhere(target: AttackTarget) -> Outcome:
    """Ask a player what it would do at an unknown table.

    An answer reveals its policy, and costs a language model's tokens.
    """
    if not target.players:
        return not_applicable(_NO_PLAYERS)
    tries: list[Try] = []
    for player in target.players:
        table_id = f"mallory-{secrets.token_hex(4)}"
        tries += await _ask(target, player, table_id, target.tokens("table", table_id))
    return by_answer(tries)


def _invitation(target: AttackTarget, room: AttackedRoom, token: Token) -> Json:
    return {
        "casinoName": target.casino_name,
        "tableId": room.table_id,
        "roomId": room.room_id,
        "minBuyIn": 1,
        "maxBuyIn": 100,
        "smallBlind": 1,
        "bigBlind": 2,
        "playerId": "player-1",
        "seatToken": token.value,
    }


@attack("seats", "C5", "M1")
async def invite_seated_player(target: AttackTarget) -> Outcome:
    """Invite a player to the table where it sits, with the attacker's seat token."""
    if not target.players or not target.open_rooms:
        return not_applicable(_NO_PLAYERS)
    room = target.open_rooms[0]
    ours = Token("a token of the attacker's own", secrets.token_hex(32))
    tries: list[Try] = []
    for player in target.players:
        if _sits(room, player):
            await target.call(player, "signup", _invitation(target, room, ours))
            tries += await _ask(target, player, room.table_id, [ours])
    return by_answer(tries) if tries else not_applicable(_NOT_SEATED)


@attack("seats", "27-H1", breaks="the invited player, where it obeys invitations")
async def invite_without_end(target: AttackTarget) -> Outcome:
    """Invite seated players to their running table with other tokens, until they refuse it."""
    rooms = [room for room in _rooms(target) if room.status == "running"]
    seated = [(room, player) for room in rooms for player in target.players if _sits(room, player)]
    if not seated:
        return not_applicable(_NOT_SEATED)
    room = seated[0][0]
    invited = [player for its, player in seated if its is room]
    for player in invited:
        tokens = (Token("another", secrets.token_hex(32)) for _ in range(_INVITATIONS))
        calls = [_invitation(target, room, token) for token in tokens]
        await asyncio.gather(*(target.call(player, "signup", call) for call in calls))
    ids = {
        seat["playerId"]: player
        for player in invited
        for seat in room.seats
        if seat.get("displayName") == player.name
    }
    before = await read_events(target, room, room.last_sequence)
    last = max((int(event.get("sequence") or 0) for event in before), default=room.last_sequence)
    for _ in range(_POLLS):
        taken = [
            event["payload"]
            for event in await read_events(target, room, last)
            if event.get("eventType") == "action_taken" and event["payload"]["playerId"] in ids
        ]
        bad = [payload for payload in taken if payload.get("outcome") not in {None, "ok"}]
        if bad:
            name = ids[bad[0]["playerId"]].name
            return succeeded(f"{name} no longer answers its table: {bad[0]['outcome']}")
        if len(taken) >= _DECISIONS:
            return refused(f"after {_INVITATIONS} invitations each, {len(taken)} decisions were ok")
        await asyncio.sleep(_POLL_S)
    return not_applicable("the invited players were not asked in time")


@attack("seats", "C5")
async def repeat_question(target: AttackTarget) -> Outcome:
    """Repeat a player's last question with guessed hole cards: a cached answer reveals them."""
    if not target.players:
        return not_applicable(_NO_PLAYERS)
    outcomes: list[Outcome] = []
    for player in target.players:
        for room in _rooms(target):
            question = await _last_question_of(target, room, player.name)
            if question is not None:
                outcome = await _oracle(target, player, question)
                if outcome.has_succeeded:
                    return outcome
                outcomes.append(outcome)
    if not outcomes:
        return not_applicable("public events contain no question to these players")
    return outcomes[0]


async def _last_question_of(target: AttackTarget, room: AttackedRoom, name: str) -> Json | None:
    seat = next((seat for seat in room.seats if seat.get("displayName") == name), None)
    if seat is None:
        return None
    events = await read_events(target, room, max(0, room.last_sequence - _EVENTS))
    return last_question(events, seat["playerId"], room.table_id)


async def _oracle(target: AttackTarget, player: AttackedAgent, question: Json) -> Outcome:
    """Repeat the question with guessed cards: any answer is a fault, a fast one leaks the cards."""
    tokens = target.tokens("table", question["tableId"])
    first, *others = guesses(question)
    tries = await target.call_over_all(player, "act", first, tokens)
    answered = {try_.token for try_ in tries if try_.reply.depth is Depth.ANSWERED}
    if not answered:
        return refused(f"none of {len(tries)} ways was answered")
    token = next(token for token in tokens if token.name in answered)
    hits = await cached_answers(target, player, others[:_GUESSES], token)
    evidence = f"{player.name} answers a guess at its cards"
    if hits:
        return succeeded(f"{evidence}, one of {_GUESSES} from its cache: its cards are known")
    return succeeded(f"{evidence}; none of {_GUESSES} of {len(others)} came from its cache")


@attack("seats", "M4")
async def sign_up_with_a_page(target: AttackTarget) -> Outcome:
    """Answer an invitation with an oversized skill name, which is sent to all spectators."""
    if target.bot is None:
        return not_applicable("no bot of the attacker's own is invited (--seat ROOM)")
    return await _sign_up(target, {"displayName": "Mallory", "actionSkill": "a" * _PAGE})


@attack("seats", "M8")
async def sign_up_as_another(target: AttackTarget) -> Outcome:
    """Answer an invitation with another player's name in look-alike letters."""
    if target.bot is None:
        return not_applicable("no bot of the attacker's own is invited (--seat ROOM)")
    room = next((room for room in target.rooms if room.room_id == target.seated_in), None)
    names = [seat["displayName"] for seat in room.seats] if room else []
    others = [name for name in names if _wide(name) != name and name != "Mallory"]
    if not others:
        return not_applicable("there is no other player in the room")
    return await _sign_up(target, {"displayName": _wide(others[0])})


def _wide(name: str) -> str:
    """Return a name in full-width letters, which NFKC normalizes to the same name."""
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in name)
    return wide if unicodedata.normalize("NFKC", wide) == name else name


def _canonical(name: str) -> str:
    """Return the canonical form of a name, equal for names that look the same."""
    return unicodedata.normalize("NFKC", name).casefold()


async def _sign_up(target: AttackTarget, answer: Json) -> Outcome:
    """Have a second bot invited that signs up with `answer`; it leaves afterwards."""
    assert target.bot is not None  # noqa: S101  both callers check
    other = await target.bot.twin(answer)
    path = f"{room_path(target.seated_in)}/players"
    try:
        reply = await target.rest("POST", path, {"agentCardUrl": other.card_url}, as_operator=True)
        if reply.depth is not Depth.ANSWERED:
            if reply.reason == Reason.ROOM_FULL:
                return not_applicable("the room has no second free seat")
            return refused(f"the bot was not seated: {reply.reason}")
        seat = reply.data if isinstance(reply.data, dict) else {}
        has_left = await target.leave(target.seated_in, str(seat.get("playerId", "")))
    finally:
        await other.stop()
    undone = "undone: it left" if has_left else "not undone: it still has the seat"
    if "actionSkill" not in answer:
        name, shown = (_canonical(str(data.get("displayName", ""))) for data in (answer, seat))
        if shown != name:
            return refused(f"the bot was seated under another name; {undone}")
    return succeeded(f"the bot was seated; {undone}")
