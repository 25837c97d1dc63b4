"""Attacks on tables: taking one over, and what only its lobby may do."""

from casino_contracts import RoomKey

from casino.attack.attack import attack
from casino.attack.attacks.reply import Depth
from casino.attack.bindings import Json
from casino.attack.canary import Canary
from casino.attack.judge import by_admission, by_answer
from casino.attack.outcome import Outcome, not_applicable, refused, succeeded
from casino.attack.target import Agent, Room, Target, Token, Try

_NO_TABLE = "no room has a table that may be attacked"
_OURS = "mallory's own key"


def _configuration(target: Target, room: Room, canary: Canary) -> Json:
    """Return what everybody can know of a table's configuration, with a callback of our own."""
    return {
        "tableId": room.table_id,
        "casinoName": target.casino_name,
        "config": room.config,
        "epoch": room.epoch,
        "gameType": room.game_type,
        "casinoCallback": {
            "agentCardUrl": canary.card_url,
            "eventSkill": "recordGameEvent",
            "secret": _OURS,
        },
    }


async def _on_tables(target: Target, skill: str, data: Json) -> list[Try]:
    """Call a skill of every table that serves a room, as everybody that a stranger can be."""
    tries: list[Try] = []
    for table, room in target.tables:
        tokens = target.tokens("table", room.table_id, room.room_id, _OURS)
        tries += await target.call_over_all(table, skill, data, tokens)
    return tries


@attack("identity", "C1", breaks="a room that has no players yet loses its table")
async def rebind_table(target: Target) -> Outcome:
    """Configure a table again with its public values and a callback of the attacker's."""
    if not target.tables:
        return not_applicable(_NO_TABLE)
    canary = await target.new_canary()
    tries: list[Try] = []
    for table, room in target.tables:
        given = _configuration(target, room, canary)
        tokens = target.tokens("table", room.table_id, _OURS)
        tries += await target.call_over_all(table, "configureTable", given, tokens)
        if any(one.reply.depth is Depth.ANSWERED for one in tries):
            return by_admission(tries, await _freed(target, table))
    return by_admission(tries)


@attack("identity", "C4")
async def begin_higher_epoch(target: Target) -> Outcome:
    """Take a table over with a higher epoch and seats of the attacker's own.

    Two players are put on one seat: a table that lets the attacker in refuses that, unharmed.
    """
    if not target.tables:
        return not_applicable(_NO_TABLE)
    canary = await target.new_canary()
    seat = {"playerId": "m", "displayName": "M", "seatNumber": 0, "stack": 9_000_000}
    seats = [{**seat, "agentCardUrl": canary.card_url} for _ in range(2)]
    tries: list[Try] = []
    for table, room in target.tables:
        given = {
            **_configuration(target, room, canary),
            "epoch": room.epoch + 7,
            "seats": seats,
        }
        tokens = target.tokens("table", room.table_id, _OURS)
        tries += await target.call_over_all(table, "configureTable", given, tokens)
    return by_admission(tries)


@attack("identity", "C4")
async def take_free_table(target: Target) -> Outcome:
    """Give a free table a room of the attacker's own."""
    if not target.free_tables:
        return not_applicable("no table is free")
    canary = await target.new_canary()
    given = {
        "tableId": "mallory",
        "casinoName": "Mallory's",
        "config": target.default_config,
        "casinoCallback": {
            "agentCardUrl": canary.card_url,
            "eventSkill": "recordGameEvent",
            "secret": _OURS,
        },
    }
    tries: list[Try] = []
    for table in target.free_tables:
        tries += await target.call_over_all(
            table, "configureTable", given, target.tokens("table", _OURS)
        )
        if any(one.reply.depth is Depth.ANSWERED for one in tries):
            return by_admission(tries, await _freed(target, table))
    return by_admission(tries)


@attack("identity", "C1")
async def read_hand_records(target: Target) -> Outcome:
    """Read the record of a completed hand, every hole card included."""
    tries: list[Try] = []
    for table, room in target.tables:
        tokens = target.tokens("table", room.table_id, room.room_id, _OURS)
        for hand_id in room.hand_ids[:1]:
            # Older tables took the key within the message.
            for data in ({"handId": hand_id}, {"handId": hand_id, "secret": _OURS}):
                tries += await target.call_over_all(table, "handRecord", data, tokens)
    if not tries:
        return not_applicable("no hand was completed yet")
    return by_admission(tries)


@attack("identity", "C4")
async def seat_at_table(target: Target) -> Outcome:
    """Sit down at a table past the operator.

    With more chips than the room allows: a table that lets the attacker in refuses that, unharmed.
    """
    canary = await target.new_canary()
    tries: list[Try] = []
    for table, room in target.tables:
        given = {
            "playerId": "mallory",
            "displayName": "Mallory",
            "agentCardUrl": canary.card_url,
            "actionSkill": "act",
            "startingStack": room.config["maxBuyIn"] * 2,
        }
        tokens = target.tokens("table", room.table_id, _OURS)
        tries += await target.call_over_all(table, "registerPlayer", given, tokens)
    return by_admission(tries) if tries else not_applicable(_NO_TABLE)


@attack("identity", "C4")
async def start_game_at_table(target: Target) -> Outcome:
    """Start a session at a table past the operator.

    With blinds that no session can have: a table that lets the attacker in refuses them, unharmed.
    """
    given = {"smallBlind": 2_000_000, "bigBlind": 1_000_000}
    tries = await _on_tables(target, "startGame", given)
    return by_admission(tries) if tries else not_applicable(_NO_TABLE)


@attack("identity", "C4")
async def unseat_player(target: Target) -> Outcome:
    """Send a player away from a table.

    One that nobody knows: a table that lets the attacker in says so, unharmed.
    """
    tries = await _on_tables(target, "leaveTable", {"playerId": "nobody-of-this-name"})
    return by_admission(tries) if tries else not_applicable(_NO_TABLE)


@attack("identity", "C4")
async def read_table_summary(target: Target) -> Outcome:
    """Read of a table more than its status: seats, stacks, how far it is."""
    tries = await _on_tables(target, "tableSummary", {})
    if not tries:
        return not_applicable(_NO_TABLE)
    told = [one for one in tries if _tells_more(one.reply.data)]
    if told:
        return succeeded(f"{told[0].agent.name} told {told[0].token} over {told[0].binding}")
    return refused(f"{len(tries)} ways told the status at most")


def _tells_more(summary: object) -> bool:
    return isinstance(summary, dict) and bool(
        summary.get("players") or {"message", "sequence", "keptFrom"} & summary.keys()
    )


@attack("identity", "C4", breaks="the table that was closed: its room ends after the running hand")
async def close_table(target: Target) -> Outcome:
    """Close a table that serves a room."""
    tries = await _on_tables(target, "closeTable", {})
    return (
        by_answer(tries, "this room is to be opened again") if tries else not_applicable(_NO_TABLE)
    )


async def _freed(target: Target, table: Agent) -> str:
    """Give a table back that was taken; returns how that went."""
    ours = Token(_OURS, RoomKey(_OURS).table)
    closed = await target.call(table, "closeTable", {}, ours)
    if closed.reply.depth is Depth.ANSWERED:
        return "undone: the table was closed and is free again"
    return f"not undone: {table.name} still has the attacker's callback"


ATTACKS = (
    rebind_table,
    begin_higher_epoch,
    take_free_table,
    read_hand_records,
    seat_at_table,
    start_game_at_table,
    unseat_player,
    read_table_summary,
    close_table,
)
