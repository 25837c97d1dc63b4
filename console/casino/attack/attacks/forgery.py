"""Attacks on the lobby's journal: forged events."""

from collections.abc import Sequence

from casino.attack.attack import attack
from casino.attack.attacks.reply import Depth
from casino.attack.bindings import FILL, Json
from casino.attack.outcome import Outcome, by_admission, by_answer, not_applicable
from casino.attack.target import NO_TOKEN, Room, Target, Try

_SKILL = "recordGameEvent"
_FAR_AHEAD = 1_000_000
_NO_ROOM = "no room is open"
_BREAKS = "the forged event stays in the room's journal; the lobby may start a new epoch"
_DEPTHS = (33, 200, 254, 255, 1_100)


def event_of(room: Room, event_type: str, payload: Json, **more: object) -> Json:
    """Return a forged event of a room; `more` are further keys, as its number."""
    return {
        "tableId": room.table_id,
        "eventType": event_type,
        "message": "Mallory was here",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "payload": payload,
        **more,
    }


async def _forge(target: Target, room: Room, event_type: str, payload: Json) -> list[Try]:
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


async def _forged(target: Target, name: str) -> Outcome:
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
async def forge_stacks(target: Target) -> Outcome:
    """Send the lobby a forged hand result with false stacks."""
    return await _forged(target, "stacks")


@attack("events", "C2", breaks=_BREAKS)
async def forge_departure(target: Target) -> Outcome:
    """Send the lobby a forged event that a player has left."""
    return await _forged(target, "departure")


@attack("events", "C2", breaks=_BREAKS)
async def forge_seat(target: Target) -> Outcome:
    """Send the lobby a forged event that gives a taken seat to another agent."""
    return await _forged(target, "seat")


@attack("events", "C2", breaks=_BREAKS)
async def forge_closing(target: Target) -> Outcome:
    """Send the lobby a forged event that a table is closed."""
    return await _forged(target, "closing")


@attack("events", "C2", breaks="the forged hand stays in the closed room's journal")
async def write_into_closed_room(target: Target) -> Outcome:
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
async def send_deep_event(target: Target) -> Outcome:
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
