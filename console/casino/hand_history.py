"""Render one completed hand as plain text, with cards in letters."""

from collections.abc import Iterable, Iterator, Mapping

from casino_contracts import HandDetail, HandRecord, PotShare, TableEvent
from casino_contracts.events.content import (
    ActionTaken,
    HandCompleted,
    HandStarted,
    StatusChanged,
    content_of,
    stacks_of,
)
from casino_contracts.events.payload_fields import Fields, PlayerStack, PostedBet, ReportedSeat

from casino.output import card_letters, chips, decided, sanitize, signed
from casino.public_state import action_words, facts_of, game_words

_DECIMALS = 9
"""More than an amount has: rounding removes what the subtraction of decimals leaves."""
_POSTS = {"post": "a blind to enter", "dead post": "a dead blind"}
_VERBS = {"fold": "folds", "check": "checks"}


def hand_history(detail: HandDetail, record: HandRecord | None = None) -> list[str]:
    """Return the lines of a hand, with everybody's cards where the operator's record is there."""
    return list(_History(detail, record).lines())


class _History:
    """Renders a hand's events in order; keeps names, stacks and the pot between them."""

    def __init__(self, detail: HandDetail, record: HandRecord | None) -> None:
        self._detail = detail
        self._record = record
        self._names: dict[str, str] = {}
        self._before: Mapping[str, float] = {}
        self._pot: float = 0
        self._bets: dict[str, float] = {}
        """Chips put in during this betting round, by player."""
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
        match content_of(event):
            case HandStarted(state=None) as content if content.players:
                yield from self._started(content)
            case HandStarted() as content if content.players:
                yield from self._game_started(content)
            case StatusChanged(kind="street_dealt") as content:
                yield from self._street(content)
            case (
                ActionTaken(
                    action="fold" | "check" | "call" | "bet" | "raise" | "all-in", state=None
                ) as content
            ):
                yield from self._acted(content)
            case ActionTaken(action=str(), state=dict()) as content:
                yield from self._game_acted(content)
            case HandCompleted(scores=None) as content if content.stacks:
                yield from self._completed(content)
                yield from self._disclosed(content)
            case HandCompleted() as content if content.stacks:
                yield from self._game_completed(content)
                yield from self._disclosed(content)
            case _:
                yield f"  {sanitize(event.message)}"

    def _name(self, player_id: str) -> str:
        return self._names.get(player_id) or sanitize(player_id)

    def _started(self, content: HandStarted) -> Iterator[str]:
        ante = f", ante {chips(content.ante)}" if content.ante else ""
        small, big = content.small_blind, content.big_blind
        blinds = "unknown" if small is None or big is None else f"{chips(small)}/{chips(big)}"
        yield f"Blinds {blinds}{ante}{_button(content)}"
        yield from self._seats(content.players)
        yield "Preflop"
        for posted in content.posted:
            yield from self._posted(posted)

    def _posted(self, posted: PostedBet) -> Iterator[str]:
        if posted.amount is None or posted.kind is None:
            return
        self._pot += posted.amount
        if posted.is_bet:
            self._bets[posted.player_id] = self._bets.get(posted.player_id, 0) + posted.amount
        kind = ("dead " if posted.is_dead else "") + posted.kind.replace("-", " ")
        words = _POSTS.get(kind) or f"the {sanitize(kind)}"
        yield f"  {self._name(posted.player_id)} posts {words}, {chips(posted.amount)}"

    def _seats(self, players: Iterable[ReportedSeat]) -> Iterator[str]:
        players = sorted(players, key=lambda player: player.seat_number or 0)
        self._before = stacks_of(players)
        self._names = {player.player_id: sanitize(player.name) for player in players}
        hidden = self._hidden()
        yield ""
        for player in players:
            name = self._names[player.player_id]
            seat = "" if player.seat_number is None else f"seat {player.seat_number}  "
            stack = "" if player.stack is None else f"  {chips(player.stack)}"
            yield f"  {seat}{name}{stack}{hidden.get(player.player_id, '')}"
        yield ""

    def _hidden(self) -> dict[str, str]:
        """Return each player's cards, or private state in other games, with a gap before."""
        if self._record is None:
            return {}
        texts = {hole.player_id: card_letters(hole.cards) for hole in self._record.hole_cards}
        for player_id, state in self._record.private_states.items():
            facts = facts_of(state, self._names) if isinstance(state, dict) else {}
            text = " · ".join(f"{label} {fact}" for label, fact in facts.items())
            texts.setdefault(player_id, sanitize(text))
        return {player_id: f"  {text}" for player_id, text in texts.items() if text}

    def _street(self, content: StatusChanged) -> Iterator[str]:
        self._bets.clear()
        street = sanitize(content.betting_round or "street").capitalize()
        yield ""
        yield f"{street}  {card_letters(content.community_cards)}   pot {chips(self._pot)}"

    def _acted(self, content: ActionTaken) -> Iterator[str]:
        self._pot = self._pot if content.pot is None else content.pot
        action, total = content.action or "", chips(content.amount or 0)
        before = self._bets.get(content.player_id, 0)
        self._bets[content.player_id] = before if content.amount is None else content.amount
        called = round((content.amount or 0) - before, _DECIMALS)
        call = f"calls {chips(called)}" if called > 0 else "calls"
        bets = {"call": call, "bet": f"bets {total}", "raise": f"raises to {total}"}
        verb = _VERBS.get(action) or bets.get(action, f"goes all-in with {total}")
        talk = f" and says “{sanitize(content.message)}”" if content.message else ""
        yield f"  {self._name(content.player_id)} {verb}{_fault(content)}{talk}"

    def _disclosed(self, content: HandCompleted) -> Iterator[str]:
        if content.disclosed:
            yield ""
            yield "Decisions"
        for said in content.disclosed:
            words = sanitize("; ".join(decided(said)))
            yield f"  {said.decision}. {self._name(said.player_id)}: {words}"

    def _completed(self, content: HandCompleted) -> Iterator[str]:
        yield ""
        yield "Result"
        for hand in content.shown:
            rank = sanitize(hand.rank_name)
            yield f"  {self._name(hand.player_id)} shows {card_letters(hand.cards)}: {rank}"
        if content.returned:
            returned = content.returned
            name = self._name(returned.player_id)
            yield f"  {name} gets {chips(returned.amount)} back, which nobody called"
        for number, pot in enumerate(content.pots):
            pot_name = f"side pot {number}" if number else "the pot"
            for share in pot.winners:
                won = f"{chips(share.amount)} of {chips(pot.amount)}"
                own = self._own_part(content, share) if len(content.pots) == 1 else ""
                yield f"  {self._name(share.player_id)} wins {won} from {pot_name}{own}"
        yield from self._stacks(content.stacks)

    def _own_part(self, content: HandCompleted, share: PotShare) -> str:
        """Return how much of what a player won from the only pot it had put in itself."""
        before = self._before.get(share.player_id)
        after = stacks_of(content.stacks).get(share.player_id)
        if before is None or after is None:
            return ""
        own = round(share.amount - (after - before), _DECIMALS)
        return f", {chips(own)} of them its own" if own > 0 else ""

    def _stacks(self, stacks: Iterable[PlayerStack]) -> Iterator[str]:
        yield ""
        yield "Stacks"
        for player_id, stack in stacks_of(stacks).items():
            change = stack - self._before.get(player_id, stack)
            yield f"  {self._name(player_id)}  {chips(stack)} ({signed(change)})"

    # Games other than Hold'em.

    def _game_started(self, content: HandStarted) -> Iterator[str]:
        game = sanitize(game_words(content.game_type) or content.game_type or "game")
        yield f"{game.capitalize()}{_button(content)}"
        yield from self._seats(content.players)
        yield from self._changed_facts(content.state or {})
        yield ""

    def _game_acted(self, content: ActionTaken) -> Iterator[str]:
        talk = f", and says “{sanitize(content.message)}”" if content.message else ""
        action = sanitize(action_words(content))
        yield f"  {self._name(content.player_id)}: {action}{_fault(content)}{talk}"
        yield from (f"  {line}" for line in self._changed_facts(content.state or {}))

    def _changed_facts(self, state: Fields) -> Iterator[str]:
        facts = facts_of(state, self._names)
        changes = [
            f"{label} {fact}" for label, fact in facts.items() if self._facts.get(label) != fact
        ]
        self._facts = facts
        if changes:
            yield f"  {sanitize(' · '.join(changes))}"

    def _game_completed(self, content: HandCompleted) -> Iterator[str]:
        yield ""
        yield "Result"
        scores = content.scores or {}
        by_name = {self._name(player_id): score for player_id, score in scores.items()}
        for name, score in (*by_name.items(), ("The bank", content.house or 0)):
            if score:
                yield f"  {name} {'wins' if score > 0 else 'loses'} {chips(abs(score))}"
        for rank in content.points:
            yield f"  {rank.place}. {self._name(rank.player_id)}: {chips(rank.points)} points"
        if not any(scores.values()) and not content.points:
            yield "  nobody wins or loses"
        yield from self._stacks(content.stacks)


def _button(content: HandStarted) -> str:
    button, numbers = content.button_seat, [seat.seat_number for seat in content.players]
    if button is None:
        return ""
    return f", button on {'' if {button, None} & {*numbers} else 'empty '}seat {button}"


def _fault(content: ActionTaken) -> str:
    return f" ({sanitize(content.fault)})" if content.fault else ""
