"""The full record of a completed hand, replayed from the journal: decisions, questions, odds. Pure.

It holds every card and the players' reasoning: only for the operator, and never of a running hand.
It does not hold the seed, which nobody may read.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal

import orjson
from casino_agentkit import CommandRefused
from casino_contracts import (
    HOLDEM,
    HandRecord,
    HoleCards,
    Odds,
    Reason,
    RecordedDecision,
    StreetOdds,
    Unit,
)
from casino_games.cards import card_from_text
from casino_games.shuffle import derive_seed
from casino_play.hand_questions import wire_cards

from casino_table.domain.seat import Seat
from casino_table.journal.journal_log import JournalRecord
from casino_table.play.changes import (
    DecisionsMade,
    JournaledTable,
    change_of,
    decisions_in,
    recover,
)
from casino_table.play.game_presenter import points_of
from casino_table.play.hand_notices import on_the_wire
from casino_table.play.running_hand import RunningHand

_NAME = 2
"""Characters of a card's name."""
_BOARD_SIZES: dict[Literal["preflop", "flop", "turn", "river"], int] = {
    "preflop": 0,
    "flop": 3,
    "turn": 4,
    "river": 5,
}
_STREETS = list(_BOARD_SIZES)
TRIALS = 20_000
"""Samples before the flop: a standard error of at most 0.35 %, in about 5 ms."""


def questions_of(records: Sequence[JournalRecord]) -> list[dict[str, Any] | None]:
    """Return the question of each decision, in order; None for a seat that was not asked.

    Each is the first attempt, as the table sent it to an agent of its own protocol, with the whole
    clock. The hand must be one that can be replayed.
    """
    first, *later = records
    state = JournaledTable.of(first)
    questions: list[dict[str, Any] | None] = []
    for record in later:
        change = change_of(record)
        if isinstance(change, DecisionsMade):
            questions += _questions(state, change)
        if change is not None:
            change.apply(state)
    return questions


def _questions(state: JournaledTable, made: DecisionsMade) -> list[dict[str, Any] | None]:
    hand = state.hand
    assert hand is not None  # noqa: S101  a hand is dealt before it is decided
    pairs = zip(hand.pending, made.decisions, strict=True)
    return [
        None if decision.outcome == "sitting_out" else _question(state, seat, ahead)
        for ahead, (seat, decision) in enumerate(pairs)
    ]


def _question(state: JournaledTable, seat: Seat, ahead: int) -> dict[str, Any]:
    assert state.hand is not None  # noqa: S101  as above
    config = state.table.config
    clock = timedelta(milliseconds=seat.clock_in(config))
    question = state.hand.question(seat, ahead)
    fields: dict[str, Any] = orjson.loads(
        question.request(1, clock, None, seat.time_bank_in(config))
    )
    return fields


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
    return record.model_copy(
        update={
            "hole_cards": tuple(
                HoleCards(player_id=player_id, cards=wire_cards(private["hole_cards"]))
                for player_id, private in hand.secrets().items()
            ),
            "deck": wire_cards(_deck(hand)),
            "odds": odds_by_street(hand),
        }
    )


def _deck(hand: RunningHand) -> list[str]:
    """Return the deck in order, with hole cards, board and burned cards."""
    names: str = hand.game.serialize()["deck"]
    return [names[start : start + _NAME] for start in range(0, len(names), _NAME)]


def _decisions(
    hand: RunningHand, played: Sequence[JournalRecord], unit: Unit, *, with_questions: bool
) -> tuple[RecordedDecision, ...]:
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
            defaulted=content.get("defaulted"),
            usage=content.get("usage"),
            reason=content.get("reason"),
            refused=content.get("refused"),
            question=question,
        )
        for player_id, betting_round, content, question in zip(
            hand.deciders, hand.rounds(), decided, questions, strict=True
        )
    )


def odds_by_street(hand: RunningHand) -> tuple[StreetOdds, ...]:
    """Return the odds of every player who has not folded, for every street that was dealt.

    The cards of folded hands cannot be dealt.
    Samples are derived from the hand's id, so the result is reproducible.
    """
    # Imported here: numpy and its tables take 35 MB, which only hand records need.
    import numpy as np  # noqa: PLC0415
    from casino_games.holdem.odds import exact_odds, sampled_odds  # noqa: PLC0415

    state = hand.game.get_public_state()
    board = [card_from_text(name) for name in state["community_cards"]]
    holes = {
        player_id: tuple(card_from_text(name) for name in private["hole_cards"])
        for player_id, private in hand.secrets().items()
    }
    folded_on = {
        past["player_id"]: _STREETS.index(past["betting_round"])
        for past in state["history"]
        if past["action"] == "fold"
    }
    streets = []
    for street, (name, size) in enumerate(_BOARD_SIZES.items()):
        if size > len(board):
            break
        live = [player for player in holes if folded_on.get(player, street) >= street]
        hands = [(first, second) for first, second in map(holes.__getitem__, live)]
        dead = [card for player in holes if player not in live for card in holes[player]]
        if size:
            odds = exact_odds(hands, board[:size], dead)
        else:
            generator = np.random.default_rng(int(derive_seed(hand.id, "odds"), 16))
            odds = sampled_odds(hands, (), TRIALS, generator, dead)
        streets.append(
            StreetOdds(
                betting_round=name,
                community_cards=wire_cards(state["community_cards"][:size]),
                odds=tuple(
                    Odds(player_id=player_id, win=share.win, tie=share.tie)
                    for player_id, share in zip(live, odds, strict=True)
                ),
                is_exact=size > 0,
            )
        )
    return tuple(streets)
