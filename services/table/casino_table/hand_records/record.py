"""The whole record of a completed hand, made by playing it again from the journal. Pure.

It holds every card and what players thought: for the operator alone, never of a running hand, and
without the seed, which is nobody's business at all.
"""

from collections.abc import Sequence
from typing import Any

from casino_contracts import HOLDEM, HandRecord, HoleCards, RecordedDecision, Unit

from casino_table.decisions.recorded import decisions_in
from casino_table.journal.journal import JournalRecord
from casino_table.play.hand import RunningHand
from casino_table.play.recovery import recover
from casino_table.presenters.cards import wire_cards

_NAME = 2
"""Characters of a card's name."""


def record_of(records: Sequence[JournalRecord]) -> HandRecord:
    """Return the record of the hand that a log gives (`Log.hand`).

    It takes milliseconds, the first one of a process some tenths of a second: off the loop, please.
    """
    *played, _settled = records
    recovered = recover(played)
    table, hand = recovered.table, recovered.hand
    assert hand is not None  # noqa: S101  the log found it by its end
    assert hand.is_over  # noqa: S101
    (seed,) = [one.content["seed"] for one in played if one.kind == "hand" and one.content]
    record = HandRecord(
        table_id=table.table_id,
        hand_id=hand.id,
        hand_number=hand.deal.number,
        epoch=table.epoch,
        game_type=table.game_type,
        button_seat=hand.deal.button_seat,
        players=tuple(table.player_seat(seat) for seat in hand.deal.seats),
        decisions=_decisions(hand, played, table.unit),
        scores={
            player_id: table.unit.amount(chips)
            for player_id, chips in hand.game.get_scores().items()
        },
    )
    if table.game_type != HOLDEM:
        return record.model_copy(update={"private_states": hand.secrets()})
    # Here, because numpy and its tables are 35 MB that a table without records does not need.
    from casino_table.hand_records.odds import odds_by_street  # noqa: PLC0415

    return record.model_copy(
        update={
            "hole_cards": tuple(
                HoleCards(player_id=player_id, cards=wire_cards(private["hole_cards"]))
                for player_id, private in hand.secrets().items()
            ),
            "deck": wire_cards(_deck(hand)),
            "odds": odds_by_street(hand, seed),
        }
    )


def _deck(hand: RunningHand) -> list[str]:
    """Return the cards that the hand could use: hole cards, board, and what was burned."""
    run: str = hand.game.serialize()["deck"]
    return [run[start : start + _NAME] for start in range(0, len(run), _NAME)]


def _decisions(
    hand: RunningHand, played: Sequence[JournalRecord], unit: Unit
) -> tuple[RecordedDecision, ...]:
    """Return the decisions as they were made, with the words that went along."""
    decided = decisions_in(played)
    rounds: list[str | None] = [None] * len(decided)
    if hand.game.game_type == HOLDEM:
        rounds = [past["betting_round"] for past in hand.game.get_public_state()["history"]]
    else:
        unit = Unit()  # the game's own words count in chips
    return tuple(
        RecordedDecision(
            player_id=player_id,
            betting_round=betting_round,
            action=_on_the_wire(content["action"], unit),
            outcome=content["outcome"],
            message=content.get("message"),
            reasoning=content.get("reasoning"),
        )
        for player_id, betting_round, content in zip(hand.deciders, rounds, decided, strict=True)
    )


def _on_the_wire(action: dict[str, Any], unit: Unit) -> dict[str, Any]:
    if "amount" not in action:
        return action
    return {**action, "amount": unit.amount(action["amount"])}
