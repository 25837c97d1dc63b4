"""Questions and public events of a hand of any game, in its own format; a table's status."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from casino_contracts import (
    Defaulted,
    DisclosedDecision,
    GameActedPayload,
    GameCompletedPayload,
    GameStartedPayload,
    PlayerPoints,
    StackAfter,
    StatusKind,
    StatusPayload,
)
from casino_games import HOUSE, Game
from casino_games.hosting.generated_specification import specification_of
from casino_games.specification import ranking, result_for_points, result_of
from casino_play.generic_question import GameMoment, GameQuestion
from casino_play.turn import Decision

from casino_table.domain.seat import HandPositions, Seat
from casino_table.domain.table import Table
from casino_table.journal.journal import EventDraft
from casino_table.time_limit import TimeLimit

MOST_SENTENCES, MOST_OF_A_SENTENCE = 4, 200
_BRACED = re.compile(r"\{([^{}]+)\}")
Disclosed = tuple[DisclosedDecision, ...] | None
"""What becomes public of a hand's decisions when it is over."""


class GamePresenter:
    """One hand of a game without its own message types in the casino protocol."""

    def __init__(self, table: Table, deal: HandPositions, game: Game) -> None:
        self.hand_id = f"{table.table_id}/{deal.number}"
        self._table = table
        self._deal = deal
        self._game = game
        self._seats = {seat.player_id: seat for seat in deal.seats}
        self.spec_version = specification_of(table.game_type, TimeLimit()).version
        self._decisions = 0

    def question(self, seat: Seat, ahead: int = 0) -> GameQuestion:
        """Return a question, open beside `ahead` others; its id is the same after a restart."""
        number = self._decisions + ahead + 1
        moment = GameMoment(
            self._table.table_id,
            self.hand_id,
            self._deal.number,
            f"{self.hand_id}:{number}",
            self.spec_version,
        )
        return GameQuestion(moment, self._game, seat.player_id)

    def started(self) -> list[EventDraft]:
        payload = GameStartedPayload(
            hand_number=self._deal.number,
            game_type=self._table.game_type,
            spec_version=self.spec_version,
            button_seat=self._deal.button_seat,
            players=tuple(self._table.player_seat(seat) for seat in self._deal.seats),
            state=self._game.get_public_state(),
            happened=tuple(self._game.opening_events()),
            told=self._told(),
        )
        message = f"hand {self._deal.number} begins"
        return [EventDraft("hand_started", message, payload, self.hand_id)]

    def acted(
        self, player_id: str, decision: Decision, events: Sequence[dict[str, Any]]
    ) -> list[EventDraft]:
        self._decisions += 1
        payload = GameActedPayload(
            hand_number=self._deal.number,
            player_id=player_id,
            action=decision.action["action_type"],
            details=decision.action,
            outcome=decision.outcome,
            defaulted=public_default(decision),
            latency_ms=decision.latency_ms,
            state=self._game.get_public_state(),
            happened=tuple(events),
            message=decision.message,
            reason=decision.reason,
            told=self._told(),
        )
        message = self._sentence(self._seats[player_id], decision)
        return [EventDraft("action_taken", message, payload, self.hand_id)]

    def _told(self) -> tuple[str, ...] | None:
        """Return the game's sentences with the players' names; None without any."""
        names = {player_id: seat.display_name for player_id, seat in self._seats.items()}
        words = self._game.get_public_words()[:MOST_SENTENCES]
        return tuple(named(one[:MOST_OF_A_SENTENCE], names) for one in words) or None

    def _sentence(self, seat: Seat, decision: Decision) -> str:
        kind, *rest = [str(value) for value in decision.action.values()]
        words = " ".join([kind.replace("_", " ").lower(), *rest])
        suffix = "" if decision.is_own else f" ({decision.outcome.replace('_', ' ')})"
        return f"{seat.display_name}: {words}{suffix}"

    def completed(self, disclosed: Disclosed, pause_ms: int) -> EventDraft:
        """Return `hand_completed`; the stacks must be settled already."""
        if not self._table.plays_for_chips:
            return self._completed_for_points(disclosed, pause_ms)
        unit, scores = self._table.unit, self._game.get_scores()
        house = scores.pop(HOUSE, None)
        won = [
            f"{self._seats[player_id].display_name} wins {unit.amount(score)}"
            for player_id, score in scores.items()
            if score > 0
        ]
        payload = GameCompletedPayload(
            hand_number=self._deal.number,
            result=result_of(self._game),
            scores={player_id: unit.amount(score) for player_id, score in scores.items()},
            house=None if house is None else unit.amount(house),
            stacks=self._stacks(),
            disclosed=disclosed,
            told=self._told(),
            pause_ms=pause_ms or None,
        )
        if not won and house:
            won = [f"the bank {'wins' if house > 0 else 'loses'} {unit.amount(abs(house))}"]
        return self._end(", ".join(won) or "nobody wins", payload)

    def _completed_for_points(self, disclosed: Disclosed, pause_ms: int) -> EventDraft:
        """Return `hand_completed` with the players' points and places; no stack has changed."""
        ranks = ranking(self._game)
        payload = GameCompletedPayload(
            hand_number=self._deal.number,
            result=result_for_points(self._game),
            scores={},
            stacks=self._stacks(),
            points=points_of(self._game),
            disclosed=disclosed,
            told=self._told(),
            pause_ms=pause_ms or None,
        )
        best = [rank for rank in ranks if rank.place == 1]
        names = " and ".join(self._seats[rank.player_id].display_name for rank in best)
        verb = "is" if len(best) == 1 else "are"
        return self._end(f"{names} {verb} first with {best[0].points:g} points", payload)

    def _stacks(self) -> tuple[StackAfter, ...]:
        return tuple(
            StackAfter(player_id=seat.player_id, stack=self._table.unit.amount(seat.stack))
            for seat in self._deal.seats
        )

    def _end(self, outcome: str, payload: GameCompletedPayload) -> EventDraft:
        message = f"hand {self._deal.number}: {outcome}"
        return EventDraft("hand_completed", message, payload, self.hand_id)


def named(sentence: str, names: Mapping[str, str]) -> str:
    """Return a game's sentence with names in place of the ids in braces."""
    return _BRACED.sub(lambda found: names.get(found[1], found[1]), sentence)


def public_default(decision: Decision) -> Defaulted | None:
    """Return a default's reason; its detail is public only when the hand is over."""
    defaulted = decision.defaulted
    return defaulted and Defaulted(reason=defaulted.reason)


DISCLOSED_BYTES = 40_000
"""What the disclosures of a hand may take of the 64 KiB of its event."""
_REASONING_IN_ALL = 12_000  # characters, of which few take more than 3 bytes


def disclosed_of(
    deciders: Sequence[str], decisions: Sequence[Decision], seats: Mapping[str, Seat]
) -> Disclosed:
    """Return what becomes public of a hand's decisions when it is over; None if nothing does.

    Reasoning is cut to equal shares. Where there is too much, the newest decisions stay.
    """
    consenting = {
        player_id
        for player_id, seat in seats.items()
        if seat.profile is not None and seat.profile.publishes_reasoning
    }
    thoughts = [
        decision.reasoning if player_id in consenting else None
        for player_id, decision in zip(deciders, decisions, strict=True)
    ]
    share = _REASONING_IN_ALL // max(len(thoughts) - thoughts.count(None), 1)
    found: list[DisclosedDecision] = []
    left = DISCLOSED_BYTES
    for number in range(len(decisions), 0, -1):
        decision, thought = decisions[number - 1], thoughts[number - 1]
        defaulted = decision.defaulted
        if not (thought or decision.usage or (defaulted and defaulted.detail)):
            continue
        entry = DisclosedDecision(
            decision=number,
            player_id=deciders[number - 1],
            defaulted=defaulted,
            usage=decision.usage,
            reasoning=thought and thought[:share],
        )
        left -= len(entry.wire())
        if left < 0:
            break
        found.append(entry)
    return tuple(reversed(found)) or None


def points_of(game: Game) -> tuple[PlayerPoints, ...]:
    return tuple(
        PlayerPoints(player_id=rank.player_id, points=rank.points, place=rank.place)
        for rank in ranking(game)
    )


def status(
    table: Table,
    kind: StatusKind,
    message: str,
    seat: Seat | None = None,
    *,
    amount: float | None = None,
    hand_number: int | None = None,
    hands_left: int | None = None,
    reason: str | None = None,
) -> EventDraft:
    payload = StatusPayload(
        status=table.status,
        kind=kind,
        player_id=seat.player_id if seat else None,
        seat_number=seat.number if seat else None,
        stack=table.unit.amount(seat.stack) if seat else None,
        amount=amount,
        hand_number=hand_number,
        hand_count=table.hands_completed,
        hands_left=hands_left,
        reason=reason,
        plays_for="points" if kind == "configured" and not table.plays_for_chips else None,
    )
    return EventDraft("table_status", message, payload)
