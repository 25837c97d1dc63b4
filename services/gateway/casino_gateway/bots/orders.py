"""What a bot asks of the gateway: `hello`, `join` and `leave`."""

from typing import Annotated, Any, Literal, TypeVar

from casino_agentkit import CommandRefused
from casino_agentkit.violations import violations_of
from casino_contracts import WireModel
from pydantic import Field, ValidationError

from casino_gateway.bots.codes import BotReason

OrderT = TypeVar("OrderT", bound=WireModel)

Secret = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{43,128}$")]
RoomId = Annotated[str, Field(min_length=1, max_length=128)]
RequestId = Annotated[str, Field(min_length=1, max_length=128)]


class Hello(WireModel):
    """The first request of a connection."""

    name: Annotated[str, Field(min_length=1, max_length=64)] = "Bot"
    token: Secret | None = Field(default=None, repr=False)
    skills: Annotated[tuple[Literal["signup", "act", "notify"], ...], Field(max_length=3)] = (
        "signup",
        "act",
    )


class Join(WireModel):
    """Take a seat in a room; the same `requestId` again means the same seat."""

    room_id: RoomId
    request_id: RequestId
    preferred_seat: Annotated[int, Field(ge=0, le=63)] | None = None


class Leave(WireModel):
    """Give back the seat of a `join`."""

    room_id: RoomId
    request_id: RequestId


def order_of(kind: type[OrderT], data: Any) -> OrderT:
    """Read the data of a request; raises CommandRefused: INVALID_INPUT, with every field."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        text = "; ".join(f"{fault.field}: {fault.message}" for fault in violations_of(error))
        raise CommandRefused(BotReason.INVALID_INPUT, text) from error
