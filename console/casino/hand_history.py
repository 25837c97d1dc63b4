"""Render one completed hand as plain text, with cards in letters."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from casino_contracts import (
    ActionTakenPayload,
    GameActedPayload,
    GameCompletedPayload,
    GameStartedPayload,
    HandCompletedPayload,
    HandDetail,
    HandStartedPayload,
    PlayerSeat,
    StackAfter,
    StatusPayload,
    TableEvent,
)

from casino.event_payload import payload_of
from casino.formatting import card_letters, chips, sanitize, signed
from casino.public_state import action_words, facts_of, game_words

_VERBS = {"fold": "folds", "check": "checks", "call": "calls"}
_PLAYER_DECIDED = {"ok", "retried"}


def hand_history(detail: HandDetail) -> list[str]:
    """Return the lines of a hand; an event with an unknown payload shows its message."""
    return list(_History(detail).lines())


class _History:
    """Renders a hand's events in order; keeps names, stacks and the pot between them."""

    def __init__(self, detail: HandDetail) -> None:
        self._detail = detail
        self._names: dict[str, str] = {}
        self._before: dict[str, float] = {}
        self._pot: float = 0
        self._facts: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        hand = self._detail.hand
        started_at = self._detail.events[0].timestamp if self._detail.events else hand.timestamp
        room = sanitize(self._detail.room_id)
        yield f"Hand {hand.hand_number} of room {room}, epoch {hand.epoch}, {sanitize(started_at)}"
        is_complete = False
        for event in self._detail.events:
            yield from self._event(event)
            is_complete = is_complete or event.event_type == "hand_completed"
        if not is_complete:  # the table published no hand_completed event
            yield sanitize(hand.message)

    def _event(self, event: TableEvent) -> Iterator[str]:
        match payload_of(event):
            case HandStartedPayload() as payload:
                yield from self._started(payload)
            case StatusPayload(kind="street_dealt") as payload:
                street = (payload.betting_round or "street").capitalize()
                board = card_letters(payload.community_cards or ())
                yield ""
                yield f"{street}  {board}   pot {chips(self._pot)}"
            case ActionTakenPayload() as payload:
                yield from self._acted(payload)
            case HandCompletedPayload() as payload:
                yield from self._completed(payload)
            case GameStartedPayload() as payload:
                yield from self._game_started(payload)
            case GameActedPayload() as payload:
                yield from self._game_acted(payload)
            case GameCompletedPayload() as payload:
                yield from self._game_completed(payload)
            case _:
                yield f"  {sanitize(event.message)}"

    def _name(self, player_id: str) -> str:
        return self._names.get(player_id) or sanitize(player_id)

    def _started(self, payload: HandStartedPayload) -> Iterator[str]:
        ante = f", ante {chips(payload.ante)}" if payload.ante else ""
        blinds = f"{chips(payload.small_blind)}/{chips(payload.big_blind)}"
        yield f"Blinds {blinds}{ante}, button on seat {payload.button_seat}"
        yield from self._seats(payload.players)
        yield "Preflop"
        for bet in payload.posted:
            self._pot += bet.amount
            kind = bet.kind.replace("-", " ")
            yield f"  {self._name(bet.player_id)} posts the {kind}, {chips(bet.amount)}"

    def _seats(self, players: Iterable[PlayerSeat]) -> Iterator[str]:
        yield ""
        for player in sorted(players, key=lambda player: player.seat_number):
            name = self._names[player.player_id] = sanitize(player.display_name)
            self._before[player.player_id] = player.stack
            yield f"  seat {player.seat_number}  {name}  {chips(player.stack)}"
        yield ""

    def _acted(self, payload: ActionTakenPayload) -> Iterator[str]:
        self._pot = payload.pot
        total = chips(payload.amount or 0)
        bets = {"bet": f"bets {total}", "raise": f"raises to {total}"}
        verb = _VERBS.get(payload.action) or bets.get(payload.action, f"goes all-in with {total}")
        outcome = "" if payload.outcome in _PLAYER_DECIDED else f" ({payload.outcome})"
        talk = f" and says “{sanitize(payload.message)}”" if payload.message else ""
        yield f"  {self._name(payload.player_id)} {verb}{outcome}{talk}"

    def _completed(self, payload: HandCompletedPayload) -> Iterator[str]:
        yield ""
        yield "Result"
        for hand in payload.shown:
            rank = sanitize(hand.rank_name)
            yield f"  {self._name(hand.player_id)} shows {card_letters(hand.cards)}: {rank}"
        if payload.returned:
            returned = payload.returned
            yield f"  {chips(returned.amount)} go back to {self._name(returned.player_id)}"
        for number, pot in enumerate(payload.pots):
            pot_name = f"side pot {number}" if number else "the pot"
            for share in pot.winners:
                won = f"{chips(share.amount)} of {chips(pot.amount)}"
                yield f"  {self._name(share.player_id)} wins {won} from {pot_name}"
        yield from self._stacks(payload.stacks)

    def _stacks(self, stacks: Iterable[StackAfter]) -> Iterator[str]:
        yield ""
        yield "Stacks"
        for after in stacks:
            change = after.stack - self._before.get(after.player_id, after.stack)
            yield f"  {self._name(after.player_id)}  {chips(after.stack)} ({signed(change)})"

    # Games other than Hold'em.

    def _game_started(self, payload: GameStartedPayload) -> Iterator[str]:
        game = sanitize(game_words(payload.game_type) or payload.game_type)
        yield f"{game.capitalize()}, button on seat {payload.button_seat}"
        yield from self._seats(payload.players)
        yield from self._changed_facts(payload.state)
        yield ""

    def _game_acted(self, payload: GameActedPayload) -> Iterator[str]:
        outcome = "" if payload.outcome in _PLAYER_DECIDED else f" ({payload.outcome})"
        talk = f", and says “{sanitize(payload.message)}”" if payload.message else ""
        action = sanitize(action_words(payload))
        yield f"  {self._name(payload.player_id)}: {action}{outcome}{talk}"
        yield from (f"  {line}" for line in self._changed_facts(payload.state))

    def _changed_facts(self, state: Mapping[str, Any]) -> Iterator[str]:
        """Yield one line with the facts of the public state that changed, if any did."""
        facts = facts_of(state, self._names)
        changes = [
            f"{label} {fact}" for label, fact in facts.items() if self._facts.get(label) != fact
        ]
        self._facts = facts
        if changes:
            yield f"  {sanitize(' · '.join(changes))}"

    def _game_completed(self, payload: GameCompletedPayload) -> Iterator[str]:
        yield ""
        yield "Result"
        scores = {self._name(player_id): score for player_id, score in payload.scores.items()}
        for name, score in (*scores.items(), ("The bank", payload.house or 0)):
            if score:
                yield f"  {name} {'wins' if score > 0 else 'loses'} {chips(abs(score))}"
        if not any(payload.scores.values()):
            yield "  nobody wins or loses"
        yield from self._stacks(payload.stacks)
