"""Structs that read and write a message in a tenth of the time of its model; by msgspec.

A struct is derived from the model: it has the fields in their order, with their types and limits as
far as msgspec can check them. An optional field that it cannot check is left out, and reads as
None. So a struct refuses some JSON that the model takes: unknown fields, amounts with decimals,
texts to be cut. That is read by the model. What a struct takes, the model takes with equal values.
"""

from collections.abc import Callable
from functools import cache, reduce
from operator import or_
from types import GenericAlias, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

import msgspec
from annotated_types import MaxLen, MinLen
from pydantic.fields import FieldInfo

from casino_contracts.base import WireModel
from casino_contracts.numbers import WireNumber

ModelT = TypeVar("ModelT", bound=WireModel)


def _raw(message: WireModel) -> msgspec.Raw:
    """Return a message without struct, which is part of a struct, as JSON."""
    return msgspec.Raw(message.wire())


_ENCODE: Final = msgspec.json.Encoder(enc_hook=_raw).encode


class _FastStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    def wire(self) -> bytes:
        """Return the message as UTF-8 JSON, equal to the model's in every byte."""
        return _ENCODE(self)


class FastReader(Generic[ModelT]):
    """Reads a frequent message, as a hot input or output of the agent kit."""

    def __init__(self, model: type[ModelT]) -> None:
        self.model = model
        self.read: Callable[[bytes], ModelT] = msgspec.json.Decoder(struct_of(model)).decode
        """Returns the message in JSON. Raises ValueError: the model has to read it."""

    def of_model(self, message: ModelT) -> ModelT:
        return message


def struct_of(model: type[ModelT], **types: Any) -> type[ModelT]:
    """Return the struct of a model, typed as the model, whose properties it has.

    `types` are those of fields that need others than the model's. A writer may pass whatever it
    encodes: nothing is checked before reading. Raises TypeError for a model that has validators of
    its own, or a required field that msgspec cannot check.

    >>> from casino_contracts import Card
    >>> struct_of(Card)(rank="T", suit="hearts").wire()
    b'{"rank":"T","suit":"hearts"}'
    """
    return cast("type[ModelT]", _struct_of(model, **types))


@cache
def _struct_of(model: type[WireModel], **types: Any) -> type[msgspec.Struct]:
    validators = model.__pydantic_decorators__
    if validators.field_validators or validators.model_validators:
        raise TypeError(f"{model.__name__} has validators")
    inherited = {name: of for name, of in vars(model).items() if isinstance(of, property)}
    fields: list[Any] = []
    for name, field in model.model_fields.items():
        try:
            of = types[name] if name in types else _type_of(field.annotation, *field.metadata)
        except TypeError as error:
            if field.is_required():
                raise TypeError(f"{model.__name__}.{name}: {error}") from error
            inherited[name] = field.default
        else:
            fields.append((name, of, *([] if field.is_required() else [_default(field)])))
    return msgspec.defstruct(
        model.__name__,
        fields,
        bases=(_FastStruct,),
        namespace=inherited,
        rename={name: str(field.alias) for name, field in model.model_fields.items()},
        frozen=True,
        kw_only=sorted(fields, key=len) != fields,  # by position where required ones come first
    )


def _part(model: type[WireModel]) -> type[msgspec.Struct]:
    """Return the struct of a part of a message; raises TypeError if it lacks a field of it."""
    struct = _struct_of(model)
    if len(struct.__struct_fields__) < len(model.model_fields):
        raise TypeError(f"msgspec cannot check all fields of {model.__name__}")
    return struct


def _default(field: FieldInfo) -> Any:
    """Return the default of a field; only that of an optional one is left out of the JSON."""
    if field.exclude_if is not None:
        return field.default
    return msgspec.field(default_factory=lambda: field.get_default(call_default_factory=True))


def _type_of(annotation: Any, *metadata: Any) -> Any:
    """Return what msgspec checks of the values of a field; raises TypeError if that is not all."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        own = (of.metadata if isinstance(of, FieldInfo) else [of] for of in arguments[1:])
        return _type_of(arguments[0], *(one for each in own for one in each), *metadata)
    limits = _limits(metadata)
    if {"ge", "le"} & limits.keys():
        annotation, origin = int, None
    if origin in {Union, UnionType}:
        return reduce(or_, [of if of is NoneType else _type_of(of, *metadata) for of in arguments])
    if origin is tuple:
        annotation = GenericAlias(tuple, (_type_of(arguments[0]), ...))
    elif isinstance(annotation, type) and issubclass(annotation, WireModel):
        annotation = _part(annotation)
    elif annotation not in {int, str, bool} and origin is not Literal:
        raise TypeError(f"msgspec cannot check {annotation}")
    return Annotated[annotation, msgspec.Meta(**limits)] if limits else annotation


def _limits(metadata: tuple[Any, ...]) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    for one in metadata:
        match one:
            case WireNumber(at_least=least, above=above, at_most=most):
                limits |= {"ge": least if above is None else above + 1, "le": most}
            case MinLen(min_length=least):
                limits["min_length"] = least
            case MaxLen(max_length=most):
                limits["max_length"] = most
            case object(pattern=str(pattern)):  # in Python, $ is before a last line break too
                limits["pattern"] = pattern.replace("$", r"\Z")
            case _:
                raise TypeError(f"msgspec cannot check {one}")
    return limits
