"""Reasons of the kit's own refusals and start failures."""

from enum import StrEnum, unique


@unique
class KitReason(StrEnum):
    """Stable words for programs; a service adds its own, and none of them twice."""

    CREDENTIALS_REQUIRED = "CREDENTIALS_REQUIRED"
    """The other agent asks for credentials of a security scheme that is not spoken."""
    FAILED = "FAILED"
    """A process cannot start, for a cause that has no word of its own."""
    FORBIDDEN = "FORBIDDEN"
    """The caller's token does not give the right to this call."""
    PORT_TAKEN = "PORT_TAKEN"
    """Another process listens on the port."""
    TASK_FAILED = "TASK_FAILED"
    """The other agent ended the call's task without a result."""
    UNAUTHORIZED = "UNAUTHORIZED"
    """The caller sent no token, or not the operator's key."""
    UNKNOWN = "UNKNOWN"
    """The other agent refused without a reason."""
    UNSUPPORTED_OPERATION = "UNSUPPORTED_OPERATION"
    """The other agent does not support the call: the A2A SDK's own reason."""
