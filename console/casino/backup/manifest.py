"""The manifest of a backup: what it holds, from which release, and how to verify it."""

import re
from datetime import datetime
from typing import Literal

from casino_contracts.foreign_text import FILE_LIMITS, json_of
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from casino.errors import BackupFailed

FORMAT = 1
"""Version of the layout of backups; a release reads its own and all earlier versions."""

DatabaseKind = Literal["sqlite", "postgresql"]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class Member(_Entry):
    """A file of the backup: its size in bytes and the SHA-256 of its content."""

    name: str
    size: int
    sha256: str


class DatabaseOrigin(_Entry):
    """The database that was copied; `db_schema` is the PostgreSQL schema of its tables."""

    kind: DatabaseKind
    db_schema: str | None = None


class Manifest(_Entry):
    """The last member of a backup: a file without it is incomplete."""

    format: int = FORMAT
    release: str
    created_at: datetime
    database: DatabaseOrigin
    members: tuple[Member, ...]

    @property
    def size(self) -> int:
        """The bytes of all members."""
        return sum(member.size for member in self.members)

    def to_json(self) -> bytes:
        """Return the manifest as it is stored."""
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=1).encode() + b"\n"


def read_manifest(content: bytes, release: str) -> Manifest:
    """Parse a manifest for the installed release.

    Raises BackupFailed for a backup of a newer format or release, and for an unreadable manifest.
    """
    try:
        document = json_of(content, FILE_LIMITS)
        written_in, made_by = int(document["format"]), str(document["release"])
    except (ValueError, TypeError, KeyError) as error:
        raise BackupFailed("its manifest cannot be read: it is damaged, or no backup") from error
    if written_in > FORMAT or _numbers(made_by) > _numbers(release):
        raise BackupFailed(
            f"it was made by release {made_by} (format {written_in}), and this is release {release}"
            f" (format {FORMAT}): restore it with release {made_by} or a newer one"
        )
    try:
        return Manifest.model_validate(document)
    except ValidationError as error:
        raise BackupFailed("its manifest cannot be read: it is damaged") from error


def _numbers(release: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (0, 3, 1) of "0.3.1.dev2"."""
    leading = re.match(r"\d+(?:\.\d+)*", release)
    return tuple(int(number) for number in leading[0].split(".")) if leading else ()
