"""Command `casino audit`: check every chip, hand and event of a casino."""

from typing import Annotated, Any

import typer

from casino.commands.context import LOBBY_URL, AsJsonLines, LobbyUrl, at_lobby, context_of
from casino.errors import Irregular
from casino.lobby_api import LobbyApi
from casino.output import chips, counted
from casino.room_audit import Auditor, RoomAudit

Rooms = Annotated[
    list[str] | None, typer.Argument(metavar="[ROOM]...", help="The rooms; all without any.")
]


def audit(
    context: typer.Context,
    rooms: Rooms = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJsonLines = False,
) -> None:
    """Check that a casino's events, hands and standings agree to the chip, also while it plays.

    Reads every event of every epoch: none is missing or there twice, hands begin and end once,
    chips are conserved by each, and the list of hands and the standings say the same. Ends with
    code 1 if a room does not.
    """
    output = context_of(context).output()

    async def check(api: LobbyApi) -> bool:
        is_right = True
        for name in rooms or [room.room_id for room in (await api.rooms()).rooms]:
            line = await _audited(api, name)
            is_right &= line["discrepancy"] is None
            if as_json:
                output.json(line)
            else:
                output.line(_text(line))
        return is_right

    if not at_lobby(context, lobby, check):
        raise typer.Exit(1)


async def _audited(api: LobbyApi, room: str) -> dict[str, Any]:
    auditor = Auditor(api)
    discrepancy = None
    try:
        await auditor.check_list(await auditor.read_room(room))
    except Irregular as irregular:
        discrepancy = str(irregular)
    return _line(auditor.rooms.get(room) or RoomAudit(room), discrepancy)


def _line(result: RoomAudit, discrepancy: str | None) -> dict[str, Any]:
    return {
        "room": result.room_id,
        "events": result.events,
        "epochs": result.epoch,
        "hands": len(result.completed),
        "cancelled": len(result.cancelled),
        "chips": float(sum(result.stacks.values())),
        "isPartial": result.is_cut or result.unread > 0,
        "discrepancy": discrepancy,
    }


def _text(line: dict[str, Any]) -> str:
    if line["discrepancy"]:
        return f"DISCREPANCY  {line['discrepancy']}"
    parts = [counted(line[f"{noun}s"], noun) for noun in ("event", "epoch", "hand")]
    parts.append(f"{chips(line['chips'])} chips")
    if line["cancelled"]:
        parts.append(f"{line['cancelled']} cancelled")
    rest = "; in part: events are deleted, or say too little" if line["isPartial"] else ""
    return f"ok           {line['room']}: {', '.join(parts)}{rest}"
