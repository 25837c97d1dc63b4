"""Command `casino room bot`: the hands of a bot as the bot saw them."""

import json
from typing import Annotated, Literal

import typer
from casino_agentkit import InvalidSecret
from casino_contracts import AnsweredQuestion, OwnHand, OwnHandDetail, OwnHandPage
from rich.text import Text

from casino.commands.context import LOBBY_URL, AsJson, LobbyUrl, RoomId, at_lobby, context_of
from casino.operator_key import SEAT_KEY, OperatorKey
from casino.output import (
    Output,
    cards,
    chips,
    counted,
    decided,
    half_width,
    rate_cell,
    sanitize,
    signed,
)
from casino.publishing import hand_link

OwnHandOrder = Literal["newest", "losses", "faults"]


def bot(  # noqa: PLR0913, PLR0917  the options of a command
    context: typer.Context,
    room: RoomId,
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="The player's id.")],
    number: Annotated[
        int | None, typer.Option("--hand", min=1, help="Show this hand with its questions.")
    ] = None,
    epoch: Annotated[
        int | None, typer.Option(min=1, help="Which of two hands with this number.")
    ] = None,
    order: Annotated[
        OwnHandOrder, typer.Option("--sort", help="Which hands to list first.")
    ] = "newest",
    limit: Annotated[int, typer.Option(min=1, max=50, help="Maximum number of hands.")] = 20,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """List a bot's hands as it saw them; its author needs no operator's key."""
    try:
        environment = context_of(context).environment
        key = OperatorKey.from_environment(environment, SEAT_KEY)
    except InvalidSecret as error:
        raise typer.BadParameter(str(error)) from error
    output = context_of(context).output()
    if number is not None:
        detail = at_lobby(
            context, lobby, lambda api: api.own_hand(room, player, number, epoch, key)
        )
        if as_json:
            output.json(detail)
        else:
            _write_hand(output, detail, hand_link(lobby, room, number, epoch))
        return
    page = at_lobby(context, lobby, lambda api: api.own_hands(room, player, order, limit, key))
    if as_json:
        output.json(page)
    else:
        _write_page(output, page)


def _write_page(output: Output, page: OwnHandPage) -> None:
    if page.standing is not None:
        result = page.standing
        output.line(
            f"{sanitize(result.display_name)}: net {signed(result.net)} after"
            f" {counted(result.hands, 'hand')},"
            f" {rate_cell(result.bb_per_100, result.half_interval_95)} per 100"
            f" (95 % ± {half_width(result.half_interval_95)})"
        )
    if not page.hands:
        output.line("no hand here")
    else:
        columns = ("hand ", "epoch ", "position", "cards", "net ", "faults ", "slowest ", "result")
        output.table(columns, map(_row, page.hands))
    if page.cards_missing is not None:
        output.line(f"some cards are missing: {sanitize(page.cards_missing)}")


def _row(hand: OwnHand) -> tuple[str | Text, ...]:
    return (
        str(hand.hand_number),
        str(hand.epoch),
        hand.position or "",
        cards(hand.hole_cards or ()),
        "" if hand.net is None else signed(hand.net),
        str(hand.faults),
        "" if hand.slowest_ms is None else f"{hand.slowest_ms} ms",
        hand.message.partition(": ")[2] or hand.message,
    )


def _write_hand(output: Output, detail: OwnHandDetail, replay: str) -> None:
    hand = detail.hand
    output.line(
        f"Hand {hand.hand_number}, epoch {hand.epoch}, {hand.position or 'no position'}"
        f"{'' if hand.net is None else ', net ' + signed(hand.net)}"
    )
    if hand.hole_cards:
        output.line("cards  " + " ".join(card.text for card in hand.hole_cards))
    if hand.community_cards:
        output.line("board  " + " ".join(card.text for card in hand.community_cards))
    for place, decision in enumerate(detail.decisions, 1):
        output.line("")
        output.lines(_decision(place, decision))
    if detail.record_missing is not None:
        output.line(f"no cards, questions and answers: {sanitize(detail.record_missing)}")
    output.line(f"replay  {replay}")


def _decision(place: int, decision: AnsweredQuestion) -> list[str]:
    what = (decision.action or "nothing") + (
        "" if decision.amount is None else f" {chips(decision.amount)}"
    )
    took = "" if decision.latency_ms is None else f", {decision.latency_ms} ms"
    outcome = (decision.outcome or "").replace("_", " ")
    lines = [sanitize(f"{place}. {decision.betting_round or ''}: {what} ({outcome}{took})")]
    for name, value in (
        ("question", decision.question),
        ("answer", decision.answer),
        ("refused", decision.refused),
        ("reason", decision.reason),
    ):
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            lines.append(f"  {name:<9} {sanitize(text)}")
    lines += (f"  decided   {sanitize(words)}" for words in decided(decision))
    return lines
