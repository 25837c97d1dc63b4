"""Results of a room: chips won and lost per player, and win rates. Pure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from casino_contracts import CostSum, DecisionCosts, PlayerFault, TableEvent
from casino_contracts.events.content import (
    ActionTaken,
    HandCompleted,
    HandStarted,
    PlayerRegistered,
    StatusChanged,
    content_of,
    stacks_of,
)
from casino_contracts.play_statistics import WinRate


@dataclass
class PlayerScore:
    """One player's results; amounts are in chips."""

    player_id: str
    name: str
    bought: float = 0
    stack: float = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    defaults: Counter[str] = field(default_factory=Counter)
    """Decisions in which the player's program answered in its place, by reason."""
    costs: CostSum = field(default_factory=CostSum)
    model: str | None = None
    rate: WinRate = field(default_factory=WinRate)
    """The win rate, in the unit of the score."""
    last_fault: PlayerFault | None = None
    """The newest failed answer that was read, with its reason."""
    is_guest: bool = False
    """Whether a person decides, who is left out of the ranking."""

    @property
    def net(self) -> float:
        return self.stack - self.bought

    @property
    def faults(self) -> int:
        """Number of decisions that were not the player's own, though it was asked and there."""
        return self.failed_answers - self.outcomes["retried"]

    @property
    def decision_costs(self) -> DecisionCosts | None:
        """What the decisions cost; None if none of them said so."""
        return self.costs.over(self.rate.hands, self.rate.per_100)

    @property
    def failed_answers(self) -> int:
        no_faults = (self.outcomes[outcome] for outcome in ("ok", "sitting_out", "away"))
        return self.outcomes.total() - sum(no_faults)


@dataclass
class CountedHand:
    """One completed hand, as reported in one line."""

    number: int
    pot: float
    board: tuple[str, ...]
    changes: dict[str, float]
    message: str


class Score:
    """Accumulates a room's events into results.

    Win rates are in big blinds, each hand by its own: `big_blind` is that of hands whose start does
    not state one. If it is None, as in games without blinds, rates are in chips.
    """

    def __init__(self, big_blind: float | None = None) -> None:
        self.players: dict[str, PlayerScore] = {}
        self.hands = 0
        self.bank: float = 0
        """Chips that the bank has won or lost, in a game that is played against one."""
        self.has_bank = False
        self.biggest: CountedHand | None = None
        """The hand with the most big blinds in its pot; without pots, in its largest win."""
        self._biggest_size: float = 0
        self.sessions = 0
        """Number of sessions that are over."""
        self._before: Mapping[str, float] = {}
        self._room_big_blind = big_blind
        self._big_blind = big_blind

    @property
    def rate_name(self) -> str:
        return "chips/100" if self._room_big_blind is None else "bb/100"

    @property
    def bought_in(self) -> float:
        return sum(player.bought for player in self.players.values())

    @property
    def in_play(self) -> float:
        return sum(player.stack for player in self.players.values())

    @property
    def is_conserved(self) -> bool:
        return self.in_play + self.bank == self.bought_in

    def add(self, event: TableEvent) -> CountedHand | None:
        """Apply an event, whatever it leaves out; return the hand that it completes, or None."""
        match content_of(event):
            case PlayerRegistered(seat=seat):
                stack = seat.stack or 0
                seated = PlayerScore(seat.player_id, seat.name, bought=stack, stack=stack)
                seated.is_guest = seat.player_type == "human"
                seated.model = seat.profile.model if seat.profile else None
                self.players[seat.player_id] = seated
            case HandStarted() as content:
                self._before = stacks_of(content.players)
                if self._room_big_blind is not None:
                    self._big_blind = content.big_blind or self._room_big_blind
            case ActionTaken(player_id=player_id, outcome=str(outcome)) as content:
                if player := self.players.get(player_id):
                    player.outcomes[outcome] += 1
                    if reason := content.default_reason:
                        player.defaults[reason] += 1
            case HandCompleted() as content:
                return self._completed(content, event.message)
            case StatusChanged() as content:
                self._change_status(content)
        return None

    def _change_status(self, content: StatusChanged) -> None:
        player = self.players.get(content.player_id or "")
        match content.kind:
            case "finished":
                self.sessions += 1
            case "hand_cancelled":
                for player_id, stack in self._before.items():
                    if dealt_in := self.players.get(player_id):
                        dealt_in.stack = stack
            case "left" if player:  # the chips leave those bought as well as those in play
                stack = player.stack if content.stack is None else content.stack
                player.bought -= stack
                player.stack -= stack
            case "rebought" if player:
                player.bought += content.amount or 0
                player.stack += content.amount or 0
            case "cashed_out" if player:
                player.bought -= content.amount or 0
                player.stack -= content.amount or 0

    def _completed(self, content: HandCompleted, message: str) -> CountedHand | None:
        self.bank += content.house or 0
        self.has_bank |= content.house is not None
        changes = {}
        for player_id, stack in stacks_of(content.stacks).items():
            if player := self.players.get(player_id):
                change = stack - self._before.get(player_id, player.stack)
                player.stack = stack
                player.rate.add(change / (self._big_blind or 1))
                changes[player_id] = change
        for entry in content.disclosed:
            if entry.usage and (player := self.players.get(entry.player_id)):
                player.costs.add(entry.usage)
        if content.hand_number is None:
            return None
        self.hands += 1
        hand = CountedHand(
            content.hand_number,
            sum(pot or 0 for pot in content.pot_amounts),
            tuple(card.text for card in content.community_cards),
            changes,
            message.partition(": ")[2],
        )
        size = (hand.pot or max(changes.values(), default=0)) / (self._big_blind or 1)
        if size > self._biggest_size:
            self.biggest, self._biggest_size = hand, size
        return hand
