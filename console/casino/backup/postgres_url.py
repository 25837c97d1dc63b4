"""A PostgreSQL URL as the environment of PostgreSQL's own programs."""

from collections.abc import Mapping
from urllib.parse import parse_qs, unquote, urlsplit

from casino.errors import BackupFailed


def has_password(url: str) -> bool:
    """Return whether a database's URL has a password in it."""
    parts = urlsplit(url)
    return parts.password is not None or "password" in parse_qs(parts.query)


def client_environment(url: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which `psql` and `pg_dump` connect to the database of a URL.

    A password is passed on here and never as an argument, which all users of the machine can read.
    What the URL does not say is left to the environment: `PGPASSWORD`, `PGPASSFILE`, `PGSSLMODE`.
    Raises BackupFailed.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BackupFailed(f"the database's URL cannot be read: {error}") from error
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    hosts = parse_qs(parts.query).get("host", [])
    pairs = [_host_and_port(host) for host in hosts]
    settings = {
        "PGHOST": ",".join(host for host, _ in pairs) or parts.hostname,
        "PGPORT": ",".join(number for _, number in pairs).strip(",")
        or query.get("port")
        or (str(port) if port else None),
        "PGUSER": unquote(parts.username) if parts.username else query.get("user"),
        "PGPASSWORD": unquote(parts.password) if parts.password else query.get("password"),
        "PGDATABASE": unquote(parts.path.lstrip("/")) or query.get("database"),
        "PGSSLMODE": query.get("sslmode") or query.get("ssl"),
        "PGAPPNAME": "a2a-casino backup",
        # The lines of errors are recognised by their first word.
        "LC_MESSAGES": "C",
    }
    return {**environment, **{name: value for name, value in settings.items() if value}}


def _host_and_port(host: str) -> tuple[str, str]:
    if host.startswith("/"):
        return host, ""
    name, _, port = host.partition(":")
    return name, port
