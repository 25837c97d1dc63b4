"""The full record of a completed hand, built by replaying it from the journal. Pure.

It holds every card and the players' reasoning: only for the operator, and never of a running hand.
It does not hold the seed, which nobody may read.
"""

from collections.abc import Sequence

from casino_agentkit import CommandRefused
from casino_contracts import HOLDEM, HandRecord, HoleCards, Reason, RecordedDecision, Unit
from casino_play.cards import wire_cards

from casino_table.hand_records.questions import questions_of
from casino_table.journal.journal_log import JournalRecord
from casino_table.play.changes import decisions_in, recover
from casino_table.play.hand import RunningHand
from casino_table.play.notices import on_the_wire
from casino_table.presenters.generic import points_of

_NAME = 2
"""Characters of a card's name."""


def record_of(records: Sequence[JournalRecord], *, with_questions: bool = False) -> HandRecord:
    """Return the record of a hand from its journal records (`Log.hand`).

    It takes milliseconds, and some tenths of a second the first time: call it in a thread.
    Raises CommandRefused: UNKNOWN_GAME, for a game that was changed or removed since.
    """
    *played, _settled = records
    recovered = recover(played)
    table, hand = recovered.table, recovered.hand
    if recovered.fault is not None:
        what = f"The hand cannot be replayed: {recovered.fault}."
        raise CommandRefused(Reason.UNKNOWN_GAME, what) from recovered.fault
    assert hand is not None  # noqa: S101  `Log.hand` returns completed hands
    assert hand.is_over  # noqa: S101
    (seed,) = [item.content["seed"] for item in played if item.kind == "hand" and item.content]
    record = HandRecord(
        table_id=table.table_id,
        hand_id=hand.id,
        hand_number=hand.deal.number,
        epoch=table.epoch,
        game_type=table.game_type,
        button_seat=hand.deal.button_seat,
        players=tuple(table.player_seat(seat) for seat in hand.deal.seats),
        decisions=_decisions(hand, played, table.unit, with_questions=with_questions),
        scores={
            player_id: table.unit.amount(chips)
            for player_id, chips in hand.game.get_scores().items()
        }
        if table.plays_for_chips
        else {},
        points=None if table.plays_for_chips else points_of(hand.game),
    )
    if table.game_type != HOLDEM:
        return record.model_copy(update={"private_states": hand.secrets()})
    # Imported here: numpy and its tables take 35 MB, which only hand records need.
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
    """Return the deck in order, with hole cards, board and burned cards."""
    names: str = hand.game.serialize()["deck"]
    return [names[start : start + _NAME] for start in range(0, len(names), _NAME)]


def _decisions(
    hand: RunningHand, played: Sequence[JournalRecord], unit: Unit, *, with_questions: bool
) -> tuple[RecordedDecision, ...]:
    """Return the decisions in order, with messages and reasoning."""
    decided = decisions_in(played)
    questions = questions_of(played) if with_questions else [None] * len(decided)
    if hand.game.game_type != HOLDEM:
        unit = Unit()  # other games state amounts in chips
    return tuple(
        RecordedDecision(
            player_id=player_id,
            betting_round=betting_round,
            action=on_the_wire(content["action"], unit),
            outcome=content["outcome"],
            message=content.get("message"),
            reasoning=content.get("reasoning"),
            reason=content.get("reason"),
            refused=content.get("refused"),
            question=question,
        )
        for player_id, betting_round, content, question in zip(
            hand.deciders, hand.rounds(), decided, questions, strict=True
        )
    )
