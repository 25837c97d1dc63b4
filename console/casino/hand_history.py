"""One hand as people read it afterwards: plain text, cards in letters. Pure."""

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
from casino.formatting import card_letters, chips, signed, tame
from casino.public_state import action_words, facts_of, game_words

_VERBS = {"fold": "folds", "check": "checks", "call": "calls"}
_OWN = {"ok", "retried"}


def hand_history(detail: HandDetail) -> list[str]:
    """Return the lines of a hand; what a table tells in a shape of its own stands as it told it."""
    return list(_History(detail).lines())


class _History:
    """Remembers names and the pot while it reads on."""

    def __init__(self, detail: HandDetail) -> None:
        self._detail = detail
        self._names: dict[str, str] = {}
        self._before: dict[str, float] = {}
        self._pot: float = 0
        self._facts: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        hand = self._detail.hand
        begun = self._detail.events[0].timestamp if self._detail.events else hand.timestamp
        room = tame(self._detail.room_id)
        yield f"Hand {hand.hand_number} of room {room}, epoch {hand.epoch}, {tame(begun)}"
        is_complete = False
        for event in self._detail.events:
            yield from self._event(event)
            is_complete = is_complete or event.event_type == "hand_completed"
        if not is_complete:  # a table that only counts its hands
            yield tame(hand.message)

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
                yield f"  {tame(event.message)}"

    def _name(self, player_id: str) -> str:
        return self._names.get(player_id) or tame(player_id)

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
            name = self._names[player.player_id] = tame(player.display_name)
            self._before[player.player_id] = player.stack
            yield f"  seat {player.seat_number}  {name}  {chips(player.stack)}"
        yield ""

    def _acted(self, payload: ActionTakenPayload) -> Iterator[str]:
        self._pot = payload.pot
        total = chips(payload.amount or 0)
        told = {"bet": f"bets {total}", "raise": f"raises to {total}"}
        verb = _VERBS.get(payload.action) or told.get(payload.action, f"goes all-in with {total}")
        why = "" if payload.outcome in _OWN else f" ({payload.outcome})"
        said = f" and says “{tame(payload.message)}”" if payload.message else ""
        yield f"  {self._name(payload.player_id)} {verb}{why}{said}"

    def _completed(self, payload: HandCompletedPayload) -> Iterator[str]:
        yield ""
        yield "Result"
        for hand in payload.shown:
            rank = tame(hand.rank_name)
            yield f"  {self._name(hand.player_id)} shows {card_letters(hand.cards)}: {rank}"
        if payload.returned:
            back = payload.returned
            yield f"  {chips(back.amount)} go back to {self._name(back.player_id)}"
        for number, pot in enumerate(payload.pots):
            which = f"side pot {number}" if number else "the pot"
            for share in pot.winners:
                won = f"{chips(share.amount)} of {chips(pot.amount)}"
                yield f"  {self._name(share.player_id)} wins {won} from {which}"
        yield from self._stacks(payload.stacks)

    def _stacks(self, stacks: Iterable[StackAfter]) -> Iterator[str]:
        yield ""
        yield "Stacks"
        for after in stacks:
            change = after.stack - self._before.get(after.player_id, after.stack)
            yield f"  {self._name(after.player_id)}  {chips(after.stack)} ({signed(change)})"

    # Games other than Hold'em, in their own words.

    def _game_started(self, payload: GameStartedPayload) -> Iterator[str]:
        game = tame(game_words(payload.game_type) or payload.game_type)
        yield f"{game.capitalize()}, button on seat {payload.button_seat}"
        yield from self._seats(payload.players)
        yield from self._news(payload.state)
        yield ""

    def _game_acted(self, payload: GameActedPayload) -> Iterator[str]:
        why = "" if payload.outcome in _OWN else f" ({payload.outcome})"
        said = f", and says “{tame(payload.message)}”" if payload.message else ""
        yield f"  {self._name(payload.player_id)}: {tame(action_words(payload))}{why}{said}"
        yield from (f"  {line}" for line in self._news(payload.state))

    def _news(self, state: Mapping[str, Any]) -> Iterator[str]:
        """Tell what is new in a game's public state, in one line."""
        facts = facts_of(state, self._names)
        news = [
            f"{label} {fact}" for label, fact in facts.items() if self._facts.get(label) != fact
        ]
        self._facts = facts
        if news:
            yield f"  {tame(' · '.join(news))}"

    def _game_completed(self, payload: GameCompletedPayload) -> Iterator[str]:
        yield ""
        yield "Result"
        scores = {self._name(player_id): score for player_id, score in payload.scores.items()}
        for who, score in (*scores.items(), ("The house", payload.house or 0)):
            if score:
                yield f"  {who} {'wins' if score > 0 else 'loses'} {chips(abs(score))}"
        if not any(payload.scores.values()):
            yield "  nobody wins or loses"
        yield from self._stacks(payload.stacks)
