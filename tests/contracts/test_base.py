"""The names that logs redact, compared with the messages."""

from casino_contracts.base import SECRET_FIELDS
from casino_contracts.message_schemas import messages

NOT_IN_MESSAGES = {"authorization", "fleetKey"}
"""A header, and the key that is sent in it."""


def test_every_field_that_messages_hide_is_redacted() -> None:
    """A field without `repr` holds a token or a secret."""
    hidden = {
        field.alias or name
        for message in messages().values()
        for name, field in message.model_fields.items()
        if not field.repr
    }
    assert hidden >= {"roomToken", "seatToken", "secret"}
    assert hidden <= set(SECRET_FIELDS)


def test_every_name_is_a_field_of_a_message() -> None:
    """A field that was renamed would be written to the logs."""
    names = {
        field.alias or name
        for message in messages().values()
        for name, field in message.model_fields.items()
    }
    assert set(SECRET_FIELDS) - names == NOT_IN_MESSAGES
