"""The request for a Hold'em action as structs, which equal `ActionRequest` field by field.

A request is read into them if it has only known fields, whole amounts and an id, as a table of ours
writes it. Everything else is read by the model.
"""

from typing import Annotated, Final

import msgspec

from casino_contracts.numbers import MAX_SAFE
from casino_contracts.player_messages import (
    ActionKind,
    ActionRequest,
    BettingRound,
    Card,
    Rank,
    SeatStatus,
    Suit,
)

_Whole = Annotated[int, msgspec.Meta(ge=0, le=MAX_SAFE)]


class HotCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card; see `Card`."""

    rank: Rank
    suit: Suit

    @property
    def text(self) -> str:
        """The short form: rank and the suit's first letter."""
        return self.rank + self.suit[0]


class HotPlayerView(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """What everybody sees of a player; see `PlayerView`."""

    player_id: str
    display_name: str
    seat_number: _Whole
    stack: _Whole
    bet: _Whole
    status: SeatStatus


class HotPastAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """An action of this hand; see `PastAction`."""

    player_id: str
    betting_round: BettingRound
    action: ActionKind
    amount: _Whole | None = None


class HotActionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The request; see `ActionRequest`. One that has `rejected` is read by the model."""

    table_id: str
    betting_round: BettingRound
    community_cards: tuple[HotCard, ...]
    hole_cards: tuple[HotCard, HotCard]
    pot: _Whole
    minimum_raise: _Whole
    current_bet: _Whole
    player_stack: _Whole
    legal_actions: Annotated[tuple[ActionKind, ...], msgspec.Meta(min_length=1)]
    request_id: Annotated[str, msgspec.Meta(min_length=1)]
    game_type: str | None = None
    hand_id: str | None = None
    hand_number: _Whole | None = None
    player_id: str | None = None
    seat_number: _Whole | None = None
    button_seat: _Whole | None = None
    to_call: _Whole | None = None
    min_raise_to: _Whole | None = None
    max_raise_to: _Whole | None = None
    deadline_ms: _Whole | None = None
    time_bank_ms: _Whole | None = None
    players: tuple[HotPlayerView, ...] | None = None
    history: tuple[HotPastAction, ...] | None = None

    @property
    def rejected(self) -> None:
        """None: this is a first attempt."""
        return None


AnyCard = Card | HotCard
AnyActionRequest = ActionRequest | HotActionRequest
"""A request for an action, however it was read."""

_DECODER: Final = msgspec.json.Decoder(HotActionRequest)


class ActionRequestReader:
    """Reads requests for actions: a hot input of the agent kit."""

    model = ActionRequest

    def read(self, data: bytes) -> AnyActionRequest:
        """Return the request in JSON. Raises ValueError: the model has to read it."""
        return _DECODER.decode(data)

    def of_model(self, message: ActionRequest) -> AnyActionRequest:
        """Return the request that the model has read."""
        return message
