"""The whole record of a completed hand, made by playing it again from the journal. Pure.

It holds every card and what players thought: for the operator alone, never of a running hand, and
without the seed, which is nobody's business at all.
"""

from collections.abc import Sequence
from typing import Any

from casino_contracts import HandRecord, HoleCards, RecordedDecision, Unit

from casino_table.cards import wire_cards
from casino_table.hand import RunningHand
from casino_table.journal import Record
from casino_table.recovery import recover

_NAME = 2
"""Characters of a card's name."""


def record_of(records: Sequence[Record]) -> HandRecord:
    """Return the record of the hand that a log gives (`Log.hand`).

    It takes milliseconds, the first one of a process some tenths of a second: off the loop, please.
    """
    # Here, because numpy and its tables are 35 MB that a table without records does not need.
    from casino_table.hand_odds import odds_by_street  # noqa: PLC0415

    *played, _settled = records
    recovered = recover(played)
    table, hand = recovered.table, recovered.hand
    assert hand is not None  # noqa: S101  the log found it by its end
    assert hand.is_over  # noqa: S101
    (seed,) = [one.content["seed"] for one in played if one.kind == "hand" and one.content]
    return HandRecord(
        table_id=table.table_id,
        hand_id=hand.id,
        hand_number=hand.deal.number,
        epoch=table.epoch,
        game_type=table.game_type,
        button_seat=hand.deal.button_seat,
        players=tuple(table.player_seat(seat) for seat in hand.deal.seats),
        hole_cards=tuple(
            HoleCards(player_id=player_id, cards=wire_cards(private["hole_cards"]))
            for player_id, private in hand.secrets().items()
        ),
        deck=wire_cards(_deck(hand)),
        decisions=_decisions(hand, played, table.unit),
        odds=odds_by_street(hand, seed),
        scores={
            player_id: table.unit.amount(chips)
            for player_id, chips in hand.game.get_scores().items()
        },
    )


def _deck(hand: RunningHand) -> list[str]:
    """Return the cards that the hand could use: hole cards, board, and what was burned."""
    run: str = hand.game.serialize()["deck"]
    return [run[start : start + _NAME] for start in range(0, len(run), _NAME)]


def _decisions(
    hand: RunningHand, played: Sequence[Record], unit: Unit
) -> tuple[RecordedDecision, ...]:
    """Return the decisions as they were made, with the words that went along."""
    history = hand.game.get_public_state()["history"]
    decided = [one.content for one in played if one.kind == "decided" and one.content]
    return tuple(
        RecordedDecision(
            player_id=past["player_id"],
            betting_round=past["betting_round"],
            action=_on_the_wire(content["action"], unit),
            outcome=content["outcome"],
            message=content.get("message"),
            reasoning=content.get("reasoning"),
        )
        for past, content in zip(history, decided, strict=True)
    )


def _on_the_wire(action: dict[str, Any], unit: Unit) -> dict[str, Any]:
    if "amount" not in action:
        return action
    return {**action, "amount": unit.amount(action["amount"])}
