"""Sign-in with Ethereum: the text of EIP-4361, and the signer of an EIP-191 signature.

Needs the extra `ethereum`; all else of the gateway works without it.
"""

import re
from datetime import datetime, timedelta
from importlib.util import find_spec
from urllib.parse import urlsplit

from casino_gateway.a2g.codes import A2gRefused, Code
from casino_gateway.a2g.incoming import invalid

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_SIGNATURE = re.compile(r"0x[0-9a-fA-F]{130}")
_LIBRARY = "eth_keys"
_PERSONAL = b"\x19Ethereum Signed Message:\n%d"
"""What EIP-191 puts before a text of so many bytes."""
_ETHEREUM_RECOVERY = 27
"""Ethereum's recovery ids are 27 and 28; some wallets send 0 and 1."""


def check_installed() -> None:
    """Raise A2gRefused (NOT_SUPPORTED) if the library that recovers signers is not installed."""
    if find_spec(_LIBRARY) is None:
        raise A2gRefused(
            Code.NOT_SUPPORTED,
            "sign-in with Ethereum needs the extra `ethereum` at the gateway"
            ' (pip install "a2a-casino[ethereum]"); POST /api/auth/guest works without it',
        )


def checked_address(text: object) -> str:
    """Return a wallet's address with the checksum of EIP-55. Raises A2gRefused."""
    if not (isinstance(text, str) and _ADDRESS.fullmatch(text)):
        raise invalid("address: must be 0x and 40 hexadecimal digits")
    check_installed()
    from eth_utils.address import to_checksum_address  # noqa: PLC0415  part of the extra

    return str(to_checksum_address(text))


def sign_in_text(address: str, url: str, nonce: str, at: datetime, valid: timedelta) -> str:
    """Return the text that a wallet signs (EIP-4361, version 1)."""
    return (
        f"{urlsplit(url).netloc} wants you to sign in with your Ethereum account:\n"
        f"{address}\n"
        "\n"
        "Sign in to play for chips. This costs nothing and moves nothing.\n"
        "\n"
        f"URI: {url}\n"
        "Version: 1\n"
        "Chain ID: 1\n"
        f"Nonce: {nonce}\n"
        f"Issued At: {_rfc_3339(at)}\n"
        f"Expiration Time: {_rfc_3339(at + valid)}"
    )


def signer_of(message: str, signature: object) -> str:
    """Return the address whose key signed a text (EIP-191). Raises A2gRefused."""
    if not (isinstance(signature, str) and _SIGNATURE.fullmatch(signature)):
        raise invalid("signature: must be 0x and 130 hexadecimal digits")
    check_installed()
    from eth_hash.auto import keccak  # noqa: PLC0415  part of the extra
    from eth_keys.datatypes import Signature  # noqa: PLC0415

    text = message.encode()
    digest = keccak(_PERSONAL % len(text) + text)
    content = bytes.fromhex(signature.removeprefix("0x"))
    recovery = content[-1] - (_ETHEREUM_RECOVERY if content[-1] >= _ETHEREUM_RECOVERY else 0)
    try:
        key = Signature(content[:-1] + bytes([recovery])).recover_public_key_from_msg_hash(digest)
    except Exception as error:  # the library raises its own errors, and those of its key back end
        raise A2gRefused(Code.AUTH_INVALID, "signature: is none of this text") from error
    return str(key.to_checksum_address())


def _rfc_3339(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")
