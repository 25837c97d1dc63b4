"""Commands `casino room hands` and `casino room hand`: read completed hands."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated
from urllib.parse import quote

import typer
from casino_contracts import HandDetail, HandRecord, HandSummary

from casino.commands.context import LOBBY_URL, AsJson, LobbyUrl, RoomId, at_lobby, context_of
from casino.formatting import cards, chips
from casino.hand_history import hand_history
from casino.lobby_api import LobbyApi
from casino.output import Output


class Order(StrEnum):
    """Order in which hands are listed."""

    NEWEST = "newest"
    OLDEST = "oldest"


class Form(StrEnum):
    """How a hand is written."""

    TEXT = "text"
    JSON = "json"


def hands(
    context: typer.Context,
    room: RoomId,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of hands to list.")] = 20,
    order: Annotated[Order, typer.Option(help="Which hands to list first.")] = Order.NEWEST,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """List the completed hands of a room and their results."""
    page = at_lobby(context, lobby, lambda api: api.hands(room, order.value, limit))
    output = context_of(context).output()
    if as_json:
        output.json(page)
    elif not page.hands:
        output.line("no hand was completed yet")
    else:
        _write(output, page.hands)
        if page.next is not None:
            output.line(f"there are more: --limit {2 * limit}")


def hand(
    context: typer.Context,
    room: RoomId,
    number: Annotated[int, typer.Argument(metavar="HAND", min=1, help="The hand's number.")],
    epoch: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Which of two hands with this number: a room whose table was replaced begins a new"
            " epoch, and `hands` lists it. Default: the newest.",
        ),
    ] = None,
    with_cards: Annotated[
        bool,
        typer.Option(
            "--cards", help="Show everybody's cards, from the operator's record: needs its key."
        ),
    ] = False,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format",
            help="`text` writes the history alone, to be pasted; `json` is --json. Without it the"
            " link of the replay follows.",
        ),
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Show one hand in plain text, from the blinds to the final stacks."""
    if as_json and form is Form.TEXT:
        raise typer.BadParameter("text and --json exclude each other", param_hint="--format")

    async def read(api: LobbyApi) -> tuple[HandDetail, HandRecord | None]:
        detail = await api.hand(room, number, epoch)
        if not with_cards:
            return detail, None
        record = await api.hand_record(room, number, detail.hand.epoch, questions=False)
        return detail, record

    detail, record = at_lobby(context, lobby, read)
    output = context_of(context).output()
    if as_json or form is Form.JSON:
        output.json(detail if record is None else record)
        return
    output.lines(hand_history(detail, record))
    if form is None:
        room_path = f"{lobby.rstrip('/')}/rooms/{quote(room, safe='')}"
        query = "" if epoch is None else f"?epoch={epoch}"
        output.line(f"replay  {room_path}/hands/{number}{query}")


def _write(output: Output, hands: Sequence[HandSummary]) -> None:
    """Write a line per hand; the columns for pot and board only for games that have them."""
    has_pots = any(hand.pots for hand in hands)
    rows = [
        (
            str(hand.hand_number),
            str(hand.epoch),
            *((chips(sum(pot.amount for pot in hand.pots)),) if has_pots else ()),
            *((cards(hand.community_cards),) if has_pots else ()),
            _ending(hand),
        )
        for hand in hands
    ]
    pots = ("pot ", "board") if has_pots else ()
    output.table(("hand ", "epoch ", *pots, "result"), rows)


def _ending(hand: HandSummary) -> str:
    return hand.message.partition(": ")[2] or hand.message
