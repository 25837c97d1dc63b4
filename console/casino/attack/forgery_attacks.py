"""Attacks on rooms: taking them over, and forging the events of their tables."""

from collections.abc import Sequence

from casino_contracts import RoomKey

from casino.attack.attack_base import (
    Outcome,
    attack,
    by_admission,
    by_answer,
    not_applicable,
    refused,
    succeeded,
)
from casino.attack.attack_target import NO_TOKEN, AttackedRoom, AttackTarget, Token, Try
from casino.attack.binding_calls import FILL, Depth, Json

_NO_TABLE = "no room has a table that may be attacked"
OURS = "mallory's own key"


def calls_at_table(
    room: AttackedRoom, casino_name: str, card_url: str
) -> dict[str, tuple[str, Json]]:
    """Return what an attacker sends to a room's table from public facts: skill and input by name.

    Where it can, the message is one that even a table without rules refuses, unharmed: two
    players in one seat, a stack above the maximum buy-in, invalid blinds, an unknown player.
    """
    player = {"playerId": "mallory", "displayName": "Mallory", "agentCardUrl": card_url}
    seats = [{**player, "seatNumber": 0, "stack": 9_000_000}] * 2
    configuration = {
        "tableId": room.table_id,
        "casinoName": casino_name,
        "config": room.config,
        "epoch": room.epoch,
        "gameType": room.game_type,
        "casinoCallback": {
            "agentCardUrl": card_url,
            "eventSkill": "recordGameEvent",
            "secret": OURS,
        },
    }
    stack = room.config["maxBuyIn"] * 2
    hand = {"handId": (*room.hand_ids, f"{room.table_id}/1")[0]}
    return {
        "rebind": ("configureTable", configuration),
        "higher epoch": (
            "configureTable",
            {**configuration, "epoch": room.epoch + 7, "seats": seats},
        ),
        "seat": ("registerPlayer", {**player, "actionSkill": "act", "startingStack": stack}),
        "start": ("startGame", {"smallBlind": 2_000_000, "bigBlind": 1_000_000}),
        "unseat": ("leaveTable", {"playerId": "nobody-of-this-name"}),
        "record": ("handRecord", hand),
        "summary": ("tableSummary", {}),
        "close": ("closeTable", {}),
    }


async def _on_tables(target: AttackTarget, name: str) -> list[Try]:
    """Send a call to every table that serves a room, with all tokens an outsider can try."""
    canary = await target.new_canary()
    tries: list[Try] = []
    for table, room in target.tables:
        tokens = target.tokens("table", room.table_id, room.room_id, OURS)
        skill, data = calls_at_table(room, target.casino_name, canary.card_url)[name]
        tries += await target.call_over_all(table, skill, data, tokens)
    return tries


@attack("identity", "C1", breaks="a room without players loses its table")
async def rebind_table(target: AttackTarget) -> Outcome:
    """Reconfigure a table with its public values and the attacker's callback."""
    return await _admitted(target, "rebind", frees=True)


@attack("identity", "C4")
async def begin_higher_epoch(target: AttackTarget) -> Outcome:
    """Take over a table with a higher epoch and the attacker's own seats."""
    return await _admitted(target, "higher epoch")


@attack("identity", "C4")
async def take_free_table(target: AttackTarget) -> Outcome:
    """Configure a free table for a room of the attacker."""
    if not target.free_tables:
        return not_applicable("no table is free")
    canary = await target.new_canary()
    room = AttackedRoom(
        "mallory", "mallory", "", target.default_config, 1, 0, "", False, False, None, (), ()
    )
    skill, data = calls_at_table(room, "Mallory's", canary.card_url)["rebind"]
    request = {name: value for name, value in data.items() if name not in {"epoch", "gameType"}}
    tries: list[Try] = []
    for table in target.free_tables:
        tries += await target.call_over_all(table, skill, request, target.tokens("table", OURS))
    return by_admission(tries, await _freed(target, tries))


@attack("identity", "C1")
async def read_hand_records(target: AttackTarget) -> Outcome:
    """Read the record of a completed hand, including all hole cards."""
    if not any(room.hand_ids for _, room in target.tables):
        return not_applicable("no hand was completed yet")
    return await _admitted(target, "record")


@attack("identity", "C4")
async def seat_at_table(target: AttackTarget) -> Outcome:
    """Take a seat at a table without the operator."""
    return await _admitted(target, "seat")


@attack("identity", "C4")
async def start_game_at_table(target: AttackTarget) -> Outcome:
    """Start a session at a table without the operator."""
    return await _admitted(target, "start")


@attack("identity", "C4")
async def unseat_player(target: AttackTarget) -> Outcome:
    """Remove a player from a table."""
    return await _admitted(target, "unseat")


@attack("identity", "C4")
async def read_table_summary(target: AttackTarget) -> Outcome:
    """Read more of a table than its lobby publishes; of a lobby that others cannot read, seats."""
    if not target.tables:
        return not_applicable(_NO_TABLE)
    tries = await _on_tables(target, "summary")
    listing = await target.rest("GET", "/v1/rooms")
    secret = {"sequence", "keptFrom"}
    if listing.depth is not Depth.ANSWERED:
        secret |= {"players", "message"}
    leaks = [try_ for try_ in tries if _has_any(try_.reply.data, secret)]
    if leaks:
        leak = leaks[0]
        return succeeded(f"{leak.agent.name} answered {leak.token} over {leak.binding}")
    return refused(f"{len(tries)} ways returned what the lobby publishes at most")


def _has_any(summary: object, names: set[str]) -> bool:
    return isinstance(summary, dict) and any(summary.get(name) for name in names)


@attack("identity", "C4", breaks="the table is closed: its room ends after the running hand")
async def close_table(target: AttackTarget) -> Outcome:
    """Close a table that serves a room."""
    tries = await _on_tables(target, "close")
    return by_answer(tries, "the room must be opened again") if tries else not_applicable(_NO_TABLE)


async def _admitted(target: AttackTarget, name: str, *, frees: bool = False) -> Outcome:
    """Judge a call that no table may let in; with `frees`, close the tables that it took."""
    tries = await _on_tables(target, name)
    if not tries:
        return not_applicable(_NO_TABLE)
    return by_admission(tries, await _freed(target, tries) if frees else "")


async def _freed(target: AttackTarget, tries: list[Try]) -> str:
    """Close the tables that the attacker configured; return whether that undid the attack."""
    taken = {try_.agent for try_ in tries if try_.reply.depth is Depth.ANSWERED}
    ours = Token(OURS, RoomKey(OURS).table)
    for table in taken:
        closed = await target.call(table, "closeTable", {}, ours)
        if closed.reply.depth is not Depth.ANSWERED:
            return f"not undone: {table.name} still has the attacker's callback"
    return "undone: the table was closed and is free again" if taken else ""


_SKILL = "recordGameEvent"
_FAR_AHEAD = 1_000_000
_NO_ROOM = "no room is open"
_BREAKS = "the forged event stays in the room's journal; the lobby may start a new epoch"
_DEPTHS = (33, 200, 254, 255, 1_100)


def event_of(room: AttackedRoom, event_type: str, payload: Json, **more: object) -> Json:
    return {
        "tableId": room.table_id,
        "eventType": event_type,
        "message": "Mallory was here",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "payload": payload,
        **more,
    }


async def _forge(
    target: AttackTarget, room: AttackedRoom, event_type: str, payload: Json
) -> list[Try]:
    """Send forged events: first with a sequence that no lobby stores, only then without one.

    A vulnerable lobby fails at the first event, so that nothing is stored.
    """
    numbered = event_of(
        room, event_type, payload, sequence=room.last_sequence + _FAR_AHEAD, epoch=room.epoch
    )
    tokens = target.tokens("events", room.table_id, room.room_id)
    tries = await target.call_over_all(target.lobby, _SKILL, numbered, tokens)
    next_epoch = {**numbered, "epoch": room.epoch + 1}
    for event in (next_epoch, {"events": [numbered]}, event_of(room, event_type, payload)):
        if any(try_.reply.was_let_in for try_ in tries):
            break
        tries += await target.call_over_all(target.lobby, _SKILL, event, [NO_TOKEN])
    return tries


async def _forged(target: AttackTarget, name: str) -> Outcome:
    canary = await target.new_canary()
    for room in target.open_rooms[:1]:
        event_type, payload = forgeries(room.seats, canary.card_url)[name]
        return by_admission(await _forge(target, room, event_type, payload))
    return not_applicable(_NO_ROOM)


def forgeries(seats: Sequence[Json], card_url: str) -> dict[str, tuple[str, Json]]:
    """Return forged reports of a room with these seats: event type and payload by name."""
    stacks = [{"playerId": seat["playerId"], "stack": 1} for seat in seats]
    seat = seats[0] if seats else {"playerId": "player-1", "seatNumber": 0, "stack": 1}
    hand = {"handNumber": 777, "communityCards": [], "pots": [], "shown": [], "stacks": stacks}
    left = {"status": "running", "kind": "left", "playerId": seat["playerId"]}
    taken_seat = {**seat, "displayName": "Mallory", "agentCardUrl": card_url}
    return {
        "stacks": ("hand_completed", hand),
        "departure": ("table_status", left),
        "seat": ("player_registered", taken_seat),
        "closing": ("table_status", {"status": "idle", "kind": "closed"}),
    }


@attack("events", "C2", breaks=_BREAKS)
async def forge_stacks(target: AttackTarget) -> Outcome:
    """Send the lobby a forged hand result with false stacks."""
    return await _forged(target, "stacks")


@attack("events", "C2", breaks=_BREAKS)
async def forge_departure(target: AttackTarget) -> Outcome:
    """Send the lobby a forged event that a player has left."""
    return await _forged(target, "departure")


@attack("events", "C2", breaks=_BREAKS)
async def forge_seat(target: AttackTarget) -> Outcome:
    """Send the lobby a forged event that gives a taken seat to another agent."""
    return await _forged(target, "seat")


@attack("events", "C2", breaks=_BREAKS)
async def forge_closing(target: AttackTarget) -> Outcome:
    """Send the lobby a forged event that a table is closed."""
    return await _forged(target, "closing")


@attack("events", "C2", breaks="the forged hand stays in the closed room's journal")
async def write_into_closed_room(target: AttackTarget) -> Outcome:
    """Add a hand to the journal of a closed room."""
    closed = [room for room in target.rooms if room.is_over]
    if not closed:
        return not_applicable("no room is closed")
    payload = {"handNumber": 777, "communityCards": [], "pots": [], "shown": [], "stacks": []}
    tries: list[Try] = []
    for room in closed[:1]:
        tokens = target.tokens("events", room.table_id)
        event = event_of(room, "hand_completed", payload)
        numbered = {**event, "sequence": room.last_sequence + 1, "epoch": room.epoch}
        for forged in (event, numbered):
            tries += await target.call_over_all(target.lobby, _SKILL, forged, tokens)
    return by_answer(tries)


@attack("events", "C3", breaks="the room's events, and perhaps the lobby's next start")
async def send_deep_event(target: AttackTarget) -> Outcome:
    """Send events nested so deeply that they could be stored but not parsed again."""
    if not target.open_rooms:
        return not_applicable(_NO_ROOM)
    room = target.open_rooms[0]
    tries: list[Try] = []
    for depth in _DEPTHS:
        deep = b'{"a":' * depth + b"1" + b"}" * depth
        event = event_of(room, "table_status", {"status": "running", "kind": "x", "deep": FILL})
        tries += await target.call_over_all(target.lobby, _SKILL, event, [NO_TOKEN], deep)
        if any(try_.reply.depth is Depth.ANSWERED for try_ in tries):
            break
    return by_answer(tries, is_faulty=True)
