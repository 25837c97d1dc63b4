"""TLS: contexts of servers and clients, and explanations of errors."""

import ssl
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from casino_agentkit.errors import InvalidTls
from casino_agentkit.process.private_file import read_file

_OTHER_KEY = "KEY_VALUES_MISMATCH"  # OpenSSL's reason for a key that is not the certificate's


def server_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """TLS 1.2 or newer; chain and key are PEM. Raises InvalidTls, which names the file."""
    check_certificates(certificate)
    check_key(key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        # An empty password: otherwise OpenSSL would prompt for one at the terminal.
        context.load_cert_chain(certificate, key, password=lambda: b"")
    except ssl.SSLError as error:
        raise InvalidTls(
            f"{key} is not the key of the first certificate in {certificate}"
            if error.reason == _OTHER_KEY
            else f"{certificate} and {key} cannot be used: {_reason(error)}"
        ) from error
    return context


def client_context(authorities: Path | None = None) -> ssl.SSLContext:
    """Return a client's context: it trusts the system's authorities, and those in a file.

    A certificate in the file that is not an authority's is trusted itself. Certificates and host
    names are always checked. Raises InvalidTls, which names the file.
    """
    if authorities is None:
        return _system_context()
    check_certificates(authorities)
    context = _system_context.__wrapped__()
    context.load_verify_locations(authorities)
    return context


@cache
def _system_context() -> ssl.SSLContext:
    """Return the context of a process; reading the system's authorities takes 60 ms."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


def check_certificates(path: Path) -> None:
    """Raise InvalidTls unless a file contains certificates in PEM."""
    # Imported lazily, as below: only a process with TLS files or TLS errors needs it.
    from cryptography import x509  # noqa: PLC0415

    try:
        x509.load_pem_x509_certificates(_content(path, is_private=False))
    except ValueError as error:
        if isinstance(error, InvalidTls):
            raise
        raise InvalidTls(f"{path} holds no certificate in PEM") from error


def check_key(path: Path) -> None:
    """Raise InvalidTls unless a file contains a private key in PEM and is not public."""
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415

    content = _content(path, is_private=True)
    try:
        serialization.load_pem_private_key(content, password=None)
    except TypeError as error:
        raise InvalidTls(f"{path} needs a passphrase: give the key without one") from error
    except ValueError as error:
        raise InvalidTls(f"{path} holds no private key in PEM") from error


def _content(path: Path, *, is_private: bool) -> bytes:
    try:
        return read_file(path, is_private=is_private)
    except ValueError as error:
        raise InvalidTls(f"{path} {error}") from error


def why_not_trusted(error: BaseException) -> str | None:
    """Return the explanation of a TLS error, to follow an address; None for other errors."""
    from aiohttp import ClientConnectorError  # noqa: PLC0415

    if isinstance(error, ClientConnectorError):
        error = error.os_error
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"its TLS certificate is not accepted ({error.verify_message}): if it comes from an"
            " authority of your own, name that authority's certificate in CASINO_*_TLS_CA"
        )
    if isinstance(error, ssl.SSLError):
        return f"no TLS connection ({_reason(error)}): is it a plain http address?"
    return None


def _reason(error: ssl.SSLError) -> str:
    return (error.reason or "unknown reason").replace("_", " ").lower()


def clear_text_warning(host: str, public_url: str | None, *, is_local: bool) -> str | None:
    """Warn without TLS, unless `host` is local or an https URL means a proxy; else None."""
    if is_local or urlsplit(public_url or "").scheme == "https":
        return None
    return (
        f"{host} is reached without TLS: keys and cards travel in clear text, readable for anybody"
        " on the network; set CASINO_*_TLS_CERT and CASINO_*_TLS_KEY, or put a proxy with TLS in"
        " front and set CASINO_*_PUBLIC_URL to its https address"
    )
