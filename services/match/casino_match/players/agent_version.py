"""The version of an agent: the digest of its card, without what changes by itself. Pure."""

from hashlib import sha256
from typing import Any, Final

import orjson
from casino_agentkit.signing.canonical_json import canonical_json

_ADDRESSES: Final = frozenset({"url", "signatures"})
"""At the top of a card: a signature differs each time, and the plan has the address."""
_INTERFACES: Final = ("supportedInterfaces", "additionalInterfaces")


def version_of_card(content: bytes) -> str:
    """Return the version of the agent with this card: `sha256:` and the digest.

    Signatures and addresses do not count. Raises ValueError if the card has no canonical form.

    >>> version_of_card(b'{"name": "A", "url": "http://a"}') == version_of_card(b'{"name":"A"}')
    True
    """
    card = orjson.loads(content)
    if not isinstance(card, dict):
        raise ValueError("the card is no JSON object")  # noqa: TRY004  as of other contents
    kept = {key: value for key, value in card.items() if key not in _ADDRESSES}
    for key in _INTERFACES:
        if isinstance(kept.get(key), list):
            kept[key] = [_without_address(item) for item in kept[key]]
    return "sha256:" + sha256(canonical_json(kept)).hexdigest()


def _without_address(interface: Any) -> Any:
    if not isinstance(interface, dict):
        return interface
    return {key: value for key, value in interface.items() if key != "url"}
