"""`casino room hands` and `casino room hand`: reading what was played."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer
from casino_contracts import HandSummary

from casino.commands.context import LOBBY_URL, AsJson, LobbyUrl, RoomId, at_lobby, desk_of
from casino.formatting import cards, chips
from casino.hand_history import hand_history
from casino.output import Output


class Order(StrEnum):
    """Which hands come first."""

    NEWEST = "newest"
    OLDEST = "oldest"


def hands(
    context: typer.Context,
    room: RoomId,
    limit: Annotated[int, typer.Option(min=1, help="Hands to list at most.")] = 20,
    order: Annotated[Order, typer.Option(help="Which come first.")] = Order.NEWEST,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """List the hands that were completed in a room, and how they ended."""
    page = at_lobby(context, lobby, lambda api: api.hands(room, order.value, limit))
    paper = desk_of(context).paper()
    if as_json:
        paper.json(page)
    elif not page.hands:
        paper.line("no hand was completed yet")
    else:
        _write(paper, page.hands)
        if page.next is not None:
            paper.line(f"there are more: --limit {2 * limit}")


def hand(
    context: typer.Context,
    room: RoomId,
    number: Annotated[int, typer.Argument(metavar="HAND", min=1, help="The hand's number.")],
    epoch: Annotated[
        int | None, typer.Option(min=1, help="The reign of the table; else the newest.")
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Tell one hand from its blinds to its stacks, in plain text."""
    detail = at_lobby(context, lobby, lambda api: api.hand(room, number, epoch))
    paper = desk_of(context).paper()
    if as_json:
        paper.json(detail)
    else:
        paper.lines(hand_history(detail))


def _write(paper: Output, hands: Sequence[HandSummary]) -> None:
    """Write a line per hand; a game without pots has no columns for them."""
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
    paper.table(("hand ", "epoch ", *pots, "result"), rows)


def _ending(hand: HandSummary) -> str:
    return hand.message.partition(": ")[2] or hand.message
