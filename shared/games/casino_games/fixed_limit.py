"""Base of Kuhn and Leduc: fixed-limit poker for two, with a private card each.

Both pay an ante. In each betting round the first player begins; bets and raises have a fixed size
per round and a maximum number. A call, or a check after a check, ends a round. A bet or raise is
offered only if both players can pay it in full, so nobody is ever all-in. The models at the end are
those that both specifications share.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias

from pydantic import Field

from casino_games.dealt import ConfigT
from casino_games.game import Json
from casino_games.replayed import ReplayedGame
from casino_games.specification import Chips, Closed
from casino_games.state_adapter import JsonStateAdapter

Kind: TypeAlias = Literal["CHECK", "BET", "CALL", "RAISE", "FOLD"]


class FixedLimit:
    """The chips of one hand and the player to act; changed only by `act`."""

    __slots__ = (
        "_decisions",
        "_most_raises",
        "_raises",
        "_sizes",
        "actor",
        "betting_round",
        "folded",
        "is_over",
        "paid",
        "stacks",
    )

    def __init__(
        self, stacks: Sequence[int], ante: int, sizes: Sequence[int], most_raises: int
    ) -> None:
        """Post the antes; `sizes` has the size of a bet for each round."""
        self.stacks = [stack - ante for stack in stacks]
        """Remaining chips by player."""
        self.paid = [ante, ante]
        """Chips put in by each player."""
        self.actor = 0
        self.betting_round = 0
        self.folded: int | None = None
        """The player that folded."""
        self.is_over = False
        self._sizes = sizes
        self._most_raises = most_raises
        self._raises = 0  # bets and raises in this round
        self._decisions = 0  # in this round

    @property
    def to_call(self) -> int:
        return max(self.paid) - self.paid[self.actor]

    @property
    def pot(self) -> int:
        return sum(self.paid)

    def kinds(self) -> list[Kind]:
        """Return the legal actions of the actor, none when the betting is over."""
        if self.is_over:
            return []
        kinds: list[Kind] = ["FOLD", "CALL"] if self.to_call else ["CHECK"]
        if self._raises < self._most_raises and self._can_raise():
            kinds.append("RAISE" if self.to_call else "BET")
        return kinds

    def act(self, kind: Kind) -> int:
        """Apply one of `kinds` for the actor and return the chips paid."""
        actor = self.actor
        if kind == "FOLD":
            self.folded = actor
            self.is_over = True
            return 0
        paid = self.to_call
        is_raise = kind in {"BET", "RAISE"}
        if is_raise:
            paid += self._sizes[self.betting_round]
            self._raises += 1
        self.stacks[actor] -= paid
        self.paid[actor] += paid
        self._decisions += 1
        if is_raise or (kind == "CHECK" and self._decisions == 1):
            self.actor = 1 - actor
        else:
            self._end_round()
        return paid

    def _can_raise(self) -> bool:
        price = max(self.paid) + self._sizes[self.betting_round]
        return all(
            stack + paid >= price for stack, paid in zip(self.stacks, self.paid, strict=True)
        )

    def _end_round(self) -> None:
        if self.betting_round + 1 == len(self._sizes):
            self.is_over = True
            return
        self.betting_round += 1
        self.actor = self._raises = self._decisions = 0


@dataclass(slots=True)
class FixedLimitHand:
    """The cards and the betting of a hand."""

    cards: tuple[int, int] = field(repr=False)
    next_card: int = field(repr=False)
    """Becomes the public card in the second betting round, if there is one."""
    betting: FixedLimit
    history: list[Json] = field(default_factory=list)


class FixedLimitGame(ReplayedGame[ConfigT, FixedLimitHand], Generic[ConfigT]):
    """One hand; the first player of the configuration begins every betting round.

    Scores are the chips each player has won or lost; until the end chips in the pot count as lost.
    """

    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 2
    timeout_action: ClassVar[str] = "FOLD"  # not offered if checking is free
    card_names: ClassVar[tuple[str, ...]]
    """The deck, weakest first."""
    has_board: ClassVar[bool] = False
    """Whether the third card of the order can become public."""

    @classmethod
    def deck_plan(cls, game_config: Mapping[str, Any], seats: int) -> tuple[int, tuple[int, ...]]:
        cls.config_model.checked(game_config)
        return len(cls.card_names), (1,) * (seats + cls.has_board)

    def opened_leaves(self, leaves: int) -> tuple[int, ...]:
        board = () if self._public_card() is None else (leaves - 1,)
        return (*range(len(self._shown())), *board)

    def opening_events(self) -> list[Json]:
        return [
            {"event": "forced_bet", "player_id": player_id, "kind": "ante", "amount": self._ante}
            for player_id in self._players
        ]

    def get_current_player(self) -> str:
        betting = self._round().betting
        return "" if betting.is_over else self._players[betting.actor]

    def get_public_state(self) -> Json:
        """Return chips, public card and history; `shown` is set at the end of a hand."""
        hand = self._round()
        betting = hand.betting
        return {
            "game_type": self.game_type,
            "betting_round": betting.betting_round + 1,
            "public_card": self._public_card(),
            "pot": betting.pot,
            "to_call": 0 if betting.is_over else betting.to_call,
            "current_player": self.get_current_player(),
            "players": [
                {
                    "player_id": player_id,
                    "stack": betting.stacks[index],
                    "paid": betting.paid[index],
                    "status": "folded" if betting.folded == index else "active",
                }
                for index, player_id in enumerate(self._players)
            ],
            "history": [entry.copy() for entry in hand.history],
            "shown": self._shown(),
        }

    def get_public_words(self) -> list[str]:
        betting = self._round().betting
        if betting.folded is not None:
            ended = "{%s} folds: the pot of %s goes to {%s}."
            folded, stays = self._players[betting.folded], self._players[1 - betting.folded]
            return [ended % (folded, betting.pot, stays)]
        if betting.is_over:
            best = [who for who, score in self.get_scores().items() if score > 0]
            told = f"goes to {{{best[0]}}}" if best else "is shared"
            return [f"Showdown: the pot of {betting.pot} {told}."]
        price = f", {betting.to_call} to call" if betting.to_call else ""
        return [f"Betting round {betting.betting_round + 1}: the pot is {betting.pot}{price}."]

    def get_private_state(self, player_id: str) -> Json:
        hand = self._round()
        return {"card": self.card_names[hand.cards[self._index(player_id)]]}

    def get_available_actions(self) -> list[Json]:
        return [{"action_type": kind} for kind in self._round().betting.kinds()]

    def get_scores(self) -> dict[str, int]:
        hand = self._round()
        betting = hand.betting
        prizes = self._prizes() if betting.is_over else (0, 0)
        return {
            player_id: prizes[index] - betting.paid[index]
            for index, player_id in enumerate(self._players)
        }

    @abstractmethod
    def _strength(self, card: int, public_card: int) -> int:
        """Return the strength of a card at the showdown; higher is better, equal splits the pot."""

    @property
    @abstractmethod
    def _sizes(self) -> tuple[int, ...]:
        """The size of a bet, for each betting round."""

    @property
    @abstractmethod
    def _ante(self) -> int: ...

    @property
    @abstractmethod
    def _most_raises(self) -> int:
        """Maximum number of bets and raises per betting round."""

    def _deck_size(self) -> int:
        return len(self.card_names)

    def _order_of(self, leaves: Sequence[Sequence[int]], rest: Sequence[int]) -> list[int]:
        return [card for leaf in leaves for card in leaf] + [*rest]

    def _deal(self, order: list[int]) -> FixedLimitHand:
        first, second, next_card, *_ = order
        betting = FixedLimit(self._config.stacks, self._ante, self._sizes, self._most_raises)
        return FixedLimitHand((first, second), next_card, betting)

    def _perform(self, answer: Json) -> list[Json]:
        hand = self._round()
        betting = hand.betting
        actor, betting_round = betting.actor, betting.betting_round
        paid = betting.act(answer["action_type"])
        done = {
            "player_id": self._players[actor],
            "betting_round": betting_round + 1,
            "action": answer["action_type"],
        }
        hand.history.append(done)
        stack = betting.stacks[actor]
        events = [{"event": "action", **done, "paid": paid, "stack": stack, "pot": betting.pot}]
        if betting.is_over:
            events += self._ending()
        elif betting.betting_round != betting_round:
            events.append({"event": "card_dealt", "card": self._public_card()})
        return events

    def _ending(self) -> list[Json]:
        events: list[Json] = []
        shown = self._shown()
        if shown:
            events.append({"event": "hands_shown", "hands": shown})
        winners = [
            {"player_id": player_id, "amount": prize}
            for player_id, prize in zip(self._players, self._prizes(), strict=True)
            if prize
        ]
        pot = self._round().betting.pot
        events.append({"event": "pot_awarded", "amount": pot, "winners": winners})
        events.append({"event": "hand_over", "scores": self.get_scores()})
        return events

    def _prizes(self) -> tuple[int, int]:
        hand = self._round()
        pot = hand.betting.pot
        folded = hand.betting.folded
        if folded is not None:
            return (0, pot) if folded == 0 else (pot, 0)
        first, second = (self._strength(card, hand.next_card) for card in hand.cards)
        if first == second:
            return (pot // 2, pot // 2)  # both have paid the same
        return (pot, 0) if first > second else (0, pot)

    def _public_card(self) -> str | None:
        hand = self._round()
        return self.card_names[hand.next_card] if hand.betting.betting_round else None

    def _shown(self) -> list[Json]:
        hand = self._round()
        if not hand.betting.is_over or hand.betting.folded is not None:
            return []
        return [
            {"player_id": player_id, "card": self.card_names[card]}
            for player_id, card in zip(self._players, hand.cards, strict=True)
        ]


class FixedLimitStateAdapter(JsonStateAdapter):
    """Describes cards, chips and the actions so far; subclasses add name and rules."""

    def describe(self, public_state: Json, private_state: Json) -> Sequence[str]:
        public_card = public_state["public_card"]
        players = ("{player_id}: stack {stack}, paid {paid}, {status}",)
        return [
            f"Your card: {private_state['card']}",
            *([f"Public card: {public_card}"] if public_card else []),
            f"Betting round: {public_state['betting_round']}",
            f"Pot: {public_state['pot']}, to call: {public_state['to_call']}",
            f"To decide: {public_state['current_player'] or 'nobody, the hand is over'}",
            "Players:",
            *("- " + players[0].format(**player) for player in public_state["players"]),
            *(["So far:"] if public_state["history"] else []),
            *("- {player_id}: {action}".format(**entry) for entry in public_state["history"]),
        ]


class Player(Closed):
    """One of the two players."""

    player_id: str
    stack: Chips = Field(description="What is left to bet; a pot that was won is not in it yet.")
    paid: Chips = Field(description="Put in during this hand, the ante included.")
    status: Literal["active", "folded"]


class FixedLimitPublic(Closed):
    """What both players see; each game adds its cards and its words."""

    pot: Chips = Field(description="All chips put in.")
    to_call: Chips = Field(description="What the player who decides has to add to stay in.")
    current_player: str = Field(description="Who decides; empty when the hand is over.")
    players: Annotated[tuple[Player, ...], Field(min_length=2, max_length=2)] = Field(
        description="The first one begins every betting round."
    )


class Check(Closed):
    """Stay in without a bet; offered when there is nothing to call."""

    action_type: Literal["CHECK"]


class Bet(Closed):
    """Open the betting, with the fixed size."""

    action_type: Literal["BET"]


class Call(Closed):
    """Pay what the other has put in more."""

    action_type: Literal["CALL"]


class Raise(Closed):
    """Pay what the other has put in more, and the fixed size on top."""

    action_type: Literal["RAISE"]


class Fold(Closed):
    """Give the pot to the other; offered when there is a bet to call."""

    action_type: Literal["FOLD"]
