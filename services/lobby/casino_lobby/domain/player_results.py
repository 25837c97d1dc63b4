"""Results of a room's players and how their nets went, a fold of its events. Pure.

Only completed hands count: a cancelled hand, and one that ends with its epoch, leaves no trace.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from struct import pack, unpack
from typing import Annotated

from casino_contracts import (
    MAX_SAFE,
    CostSum,
    DefaultCount,
    DisclosedDecision,
    Outcome,
    PlayerProfile,
    PlayerType,
)
from casino_contracts.events.content import (
    ActionTaken,
    EventContent,
    HandCompleted,
    HandStarted,
    PlayerBusted,
    PlayerRegistered,
    StatusChanged,
    stacks_of,
)
from casino_contracts.play_counts import (
    DEFAULTED,
    NOT_ASKED,
    PlayCounts,
    PlayedHand,
    count_hand,
    kept_reason,
)
from casino_contracts.play_statistics import LatencySketch, WinRate
from pydantic import BeforeValidator, PlainSerializer

from casino_lobby.domain.observed_hand import LOSSES_KEPT, NotedHands, ObservedHand, RecentBest
from casino_lobby.domain.room_addresses import PlayerAgent

Chips = int | float
"""An amount of the wire; a sum of them may be negative or beyond what the wire allows."""
_DECIMALS = 6


def exact(amount: Chips) -> Chips:
    """Return an amount without floating-point errors.

    >>> exact(0.1 + 0.2), exact(7)
    (0.3, 7)
    """
    return round(amount, _DECIMALS)


def bounded(amount: Chips) -> Chips:
    """Return an amount within what a message may hold: a table may report anything."""
    return max(-MAX_SAFE, min(MAX_SAFE, amount))


STEPS = 200
"""Maximum number of steps; each has two points of a player."""

Points = list[float | None]
"""Two for each step, up to the player's last one; None where the player played no hand of it."""

_BYTES = 8


def _packed(points: Points) -> str:
    """Return points as text, which takes a hundredth of the time of JSON numbers."""
    numbers = (nan if point is None else point for point in points)
    return b64encode(pack(f"<{len(points)}d", *numbers)).decode()


def _unpacked(stored: object) -> object:
    if not isinstance(stored, str):
        return stored
    content = b64decode(stored, validate=True)
    numbers = unpack(f"<{len(content) // _BYTES}d", content)
    return [None if isnan(number) else number for number in numbers]


StoredPoints = Annotated[
    Points, BeforeValidator(_unpacked), PlainSerializer(_packed, when_used="json")
]


@dataclass
class NetSeries:
    """How the players' nets went over all hands, in a bounded number of points.

    Hands are put together in steps of equal length, and of each step the lowest and the highest net
    of a player are kept, in the order in which they occurred: so no peak is lost. When the steps
    are used up, two neighbours become one step of twice the length, which is what counting in such
    steps from the beginning would have given. So the series follows from the hands alone.
    """

    first_hand: int = 1
    hands: int = 0
    hands_per_step: int = 1
    last_hands: list[int] = field(default_factory=list)
    nets: dict[str, StoredPoints] = field(default_factory=dict)

    def add(self, number: int | None, nets: Mapping[str, float]) -> None:
        """Add a completed hand with the nets of its players.

        A hand without a number, or with a lower one than the last, takes the last one's place.
        """
        if self.hands == STEPS * self.hands_per_step:
            self._halve()
        last = self.last_hands[-1] if self.last_hands else 1
        number = max(number or last, last)
        if self.hands == 0:
            self.first_hand = number
        step = self.hands // self.hands_per_step
        if step == len(self.last_hands):
            self.last_hands.append(number)
        else:
            self.last_hands[step] = number
        self.hands += 1
        size = 2 * step + 2
        for player_id, net in nets.items():
            points = self.nets.get(player_id)
            if points is None:
                points = self.nets[player_id] = []
            if len(points) < size:
                points.extend([None] * (size - len(points)))
            _widen(points, size - 2, float(bounded(net)))

    def forget(self, player_id: str) -> None:
        self.nets.pop(player_id, None)

    def _halve(self) -> None:
        self.hands_per_step *= 2
        self.last_hands = self.last_hands[1::2]
        for player_id, points in self.nets.items():
            joined: Points = [None] * (2 * -(-len(points) // 4))
            for at, point in enumerate(points):
                if point is not None:
                    _widen(joined, at // 4 * 2, point)
            self.nets[player_id] = joined


def _widen(points: Points, at: int, net: float) -> None:
    """Let the two points of a step, its extremes in their order, take in a later net."""
    first, second = points[at], points[at + 1]
    if first is None or second is None:
        points[at] = points[at + 1] = net
        return
    low, high = (first, second) if first < second else (second, first)
    if net < low:
        points[at], points[at + 1] = high, net
    elif net > high:
        points[at], points[at + 1] = low, net


@dataclass
class PlayerResults:
    """What a player has bought, has, and did in the completed hands.

    `stack` is that after the last completed hand or buy-in; a player who left keeps the last one.
    So `stack - bought` is the net result at any time.
    """

    name: str
    player_type: PlayerType | None = None
    profile: PlayerProfile | None = None
    bought: Chips = 0
    """Chips bought, less those cashed out."""
    stack: Chips = 0
    is_seated: bool = True
    rate: WinRate = field(default_factory=WinRate)
    """In big blinds of each hand, or in chips."""
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    defaults: dict[str, DefaultCount] = field(default_factory=dict)
    """By reason."""
    costs: CostSum = field(default_factory=CostSum)
    play: PlayCounts = field(default_factory=PlayCounts)
    latency: LatencySketch = field(default_factory=LatencySketch)
    losses: NotedHands = field(default_factory=NotedHands)
    best: NotedHands = field(default_factory=NotedHands)  # by score
    wins: NotedHands = field(default_factory=NotedHands)  # in the unit of the rate
    card_url: str | None = None
    """The address of its agent; empty if several agents have had its id."""
    description: str | None = None
    """Of its agent card."""
    signer: str | None = None
    """Thumbprint of the key that signed that card."""

    @property
    def net(self) -> Chips:
        return exact(self.stack - self.bought)

    def be_of(self, card_url: str | None) -> None:
        """Take the address of its agent, which a table may leave out."""
        if card_url is not None and card_url != self.card_url:
            self.card_url = card_url if self.card_url is None else ""

    def sit_down(self, stack: Chips) -> None:
        """Take a seat with these chips; those with which the player left before are cashed out."""
        self.bought = exact(self.bought + stack - self.stack)
        self.stack, self.is_seated = stack, True

    def buy(self, amount: Chips) -> None:
        """Buy chips or, negative, cash them out."""
        self.bought = exact(self.bought + amount)
        self.stack = exact(max(0, self.stack + amount))

    def leave(self, stack: Chips | None = None) -> None:
        """Free the seat; without `stack` the player leaves with the last known one."""
        self.stack = self.stack if stack is None else stack
        self.is_seated = False

    def complete_hand(self, stack: Chips, before: Chips, big_blind: Chips) -> Chips:
        """Count a hand that began with `before` chips and ended with `stack`; return its net."""
        self.stack = stack
        net = exact(stack - before)
        self.rate.add(bounded(net / big_blind))  # finite at any big blind
        return net

    def count_default(self, reason: str) -> None:
        reason = kept_reason(reason, self.defaults)
        known = self.defaults.get(reason)
        self.defaults[reason] = (
            DefaultCount(reason=reason, count=1)
            if known is None
            else known.model_copy(update={"count": known.count + 1})
        )

    def disclose(self, entry: DisclosedDecision, reason: str | None) -> None:
        """Take what became public of a decision; `reason` is that of its default, if it is one."""
        if entry.usage is not None:
            self.costs.add(entry.usage)
        if entry.defaulted and entry.defaulted.detail and reason in self.defaults:
            update = {"detail": entry.defaulted.detail}
            self.defaults[reason] = self.defaults[reason].model_copy(update=update)


PLAYERS_KEPT = 64
"""Maximum number of players; beyond it those are forgotten who left and came first."""


@dataclass
class RoomResults:
    """Results by player id, in the order in which the players came; those who left stay."""

    players: dict[str, PlayerResults] = field(default_factory=dict)
    hands: int = 0
    epoch: int = 1
    hand: ObservedHand = field(default_factory=ObservedHand)
    series: NetSeries = field(default_factory=NetSeries)
    best: RecentBest = field(default_factory=RecentBest)

    def add(
        self, content: EventContent | None, epoch: int, big_blind: Chips | None, at: str = ""
    ) -> None:
        """Apply what an event of an epoch says; `big_blind` is that of hands that state none.

        Without it, as in games without blinds, results are counted in chips. Fields that cannot be
        read change nothing. Takes a constant time, and per hand one that grows with the players.
        """
        if epoch != self.epoch:
            self.epoch, self.hand = epoch, ObservedHand()
        match content:
            case ActionTaken():
                self.hand.act(content.fields)
                self.hand.played.decide(content)
            case HandStarted():
                self._start_hand(content, big_blind)
            case HandCompleted():
                self._complete_hand(content, big_blind, at)
            case PlayerRegistered(seat=seat) if seat.stack is not None:
                self._sit_down(seat.player_id, seat.name, seat.stack)
                said = self.players[seat.player_id]
                said.player_type, said.profile = seat.player_type, seat.profile
                said.be_of(content.agent_card_url)
            case PlayerBusted(player_id=player_id):
                self.leave(player_id)
            case StatusChanged():
                self._change_status(content)

    def settle(self, content: HandCompleted, hands: int, big_blind: Chips | None) -> None:
        """Take the stacks after so many completed hands, which no event has said.

        If several hands were completed since the last stacks, their nets count, and no rate.
        """
        nets: dict[str, Chips] = {}
        for player_id, stack in stacks_of(content.stacks).items():
            if player := self.players.get(player_id):
                if hands == self.hands + 1:
                    player.complete_hand(stack, player.stack, big_blind or 1)
                player.stack = stack
                nets[player_id] = player.net
        if hands > self.hands:
            self.hands = hands
            self.series.add(hands, nets)

    def name(self, player_id: str, name: str, agent: PlayerAgent) -> None:
        """Take what the lobby knows of a player that it has invited."""
        if player := self.players.get(player_id):
            player.name, player.description, player.signer = name, agent.description, agent.signer
            player.be_of(agent.card_url)

    def leave(self, player_id: str) -> None:
        if player := self.players.get(player_id):
            player.leave()

    def drop_hand(self) -> None:
        self.hand = ObservedHand()

    def _sit_down(self, player_id: str, name: str | None, stack: Chips) -> None:
        player = self.players.get(player_id)
        if player is None:
            player = self.players[player_id] = PlayerResults(name or player_id, is_seated=False)
        player.name = name or player.name
        if not player.is_seated:  # else it is reported once more
            player.sit_down(stack)
        if len(self.players) > PLAYERS_KEPT:
            gone = (other for other, results in self.players.items() if not results.is_seated)
            forgotten = next(gone, next(iter(self.players)))
            del self.players[forgotten]
            self.series.forget(forgotten)

    def _start_hand(self, content: HandStarted, big_blind: Chips | None) -> None:
        for seat in content.players:
            if seat.stack is None:
                continue
            player = self.players.get(seat.player_id)
            if player is None or not player.is_seated:  # its table did not report the seat
                self._sit_down(seat.player_id, seat.display_name, seat.stack)
        self.hand = ObservedHand.begin(content, big_blind)

    def _complete_hand(self, content: HandCompleted, big_blind: Chips | None, at: str) -> None:
        hand, self.hand = self.hand, ObservedHand()
        place = (self.epoch, content.hand_number)
        blind = hand.played.big_blind or big_blind or 1
        nets: dict[str, Chips] = {}
        for player_id, stack in stacks_of(content.stacks).items():
            if player := self.players.get(player_id):
                before = hand.before.get(player_id)
                before = player.stack if before is None else before
                net = player.complete_hand(stack, before, blind)
                if net < 0:
                    player.losses.note(net, *place, LOSSES_KEPT)
                else:
                    player.wins.note(bounded(-net / blind), *place)
                nets[player_id] = player.net
        highlight = hand.highlight(content)
        for player_id in self.players.keys() & highlight.players:
            self.players[player_id].best.note(-highlight.score, *place)
        self.best.note(at, highlight.score, *place)
        self.hands += 1
        self.series.add(content.hand_number, nets)
        self._count_play(hand.played, content)

    def _count_play(self, hand: PlayedHand, content: HandCompleted) -> None:
        players = self.players
        for number, (player_id, _, _, latency_ms, outcome) in enumerate(hand.decisions, 1):
            player = players.get(player_id)
            if player is None or outcome is None:
                continue
            player.outcomes[outcome] = player.outcomes.get(outcome, 0) + 1
            if outcome in DEFAULTED:
                player.count_default(hand.defaults.get(number, outcome))
            if latency_ms is not None and outcome not in NOT_ASKED:
                player.latency.add(latency_ms)
        for entry in hand.disclosed(content):
            if player := players.get(entry.player_id):
                player.disclose(entry, hand.defaults.get(entry.decision))
        counts = {key: players[key].play for key in hand.stacks if key in players}
        count_hand(hand, content.winners, counts, has_flop=content.board_size > 0)

    def _change_status(self, content: StatusChanged) -> None:
        player = self.players.get(content.player_id or "")
        match content.kind:
            case "hand_cancelled":
                self.drop_hand()
            case "closed":
                for seated in self.players.values():
                    seated.is_seated = False
            case "left" if player:
                player.leave(content.stack)
            case "rebought" | "cashed_out" as kind if player:
                self._buy(content, player, kind)

    def _buy(self, content: StatusChanged, player: PlayerResults, kind: str) -> None:
        if content.amount is not None:
            amount = content.amount if kind == "rebought" else -content.amount
        elif content.stack is not None:
            amount = content.stack - player.stack
        else:
            return
        player.buy(amount)
        if (before := self.hand.before.get(content.player_id or "")) is not None:
            self.hand.before[content.player_id or ""] = before + amount  # it is no result
