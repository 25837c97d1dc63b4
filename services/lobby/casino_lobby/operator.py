"""Who may see cards that were not shown: whoever has the operator's token."""

import hmac

from casino_agentkit import Refusal

SETTING = "CASINO_LOBBY_OPERATOR_TOKEN"


class Operator:
    """Knows the token; without one nobody is the operator.

    >>> Operator("sesame").admit("Bearer sesame")
    """

    def __init__(self, token: str | None) -> None:
        self._token = token.encode() if token else None

    @property
    def is_known(self) -> bool:
        """Whether there is a token that opens what is the operator's."""
        return self._token is not None

    def admit(self, authorization: str | None) -> None:
        """Let the operator pass, by the request's `authorization` header.

        Raises Refusal: OPERATOR_ONLY, UNAUTHORIZED.
        """
        if self._token is None:
            raise Refusal(
                "OPERATOR_ONLY",
                f"This lobby shows that to nobody; its operator opens it by setting {SETTING}.",
            )
        scheme, _, given = (authorization or "").partition(" ")
        is_bearer = scheme.lower() == "bearer"
        # In the same time for every wrong token, so that none can be guessed letter by letter.
        if not hmac.compare_digest(given.strip().encode(), self._token) or not is_bearer:
            raise Refusal(
                "UNAUTHORIZED",
                "Send the operator's token: `authorization: Bearer …`.",
            )
