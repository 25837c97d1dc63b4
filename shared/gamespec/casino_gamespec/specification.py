"""A game's specification: what a client needs to play a game that it has never heard of."""

from dataclasses import dataclass

from casino_gamespec import front_matter
from casino_gamespec.document import Document
from casino_gamespec.errors import InvalidSpecification
from casino_gamespec.front_matter import FrontMatter
from casino_gamespec.schemas import Fault, Schema
from casino_gamespec.version import Version

DOCUMENT_LIMIT = 1_000_000
"""Bytes of the longest document that is read."""


@dataclass(frozen=True)
class GameSpec:
    """One version of one game's specification, read and checked.

    `about` is its metadata, `text` the document as it came.
    """

    about: FrontMatter
    document: Document
    state: Schema
    action: Schema
    result: Schema
    text: str

    @classmethod
    def parse(cls, text: str) -> "GameSpec":
        """Read a document; or raise InvalidSpecification, which names the part that is wrong."""
        if len(text.encode()) > DOCUMENT_LIMIT:
            raise InvalidSpecification("document", f"is larger than {DOCUMENT_LIMIT} bytes")
        yaml, markdown = front_matter.split(text.removeprefix("\ufeff"))
        about = front_matter.read(yaml)
        document = Document(markdown)
        state, action, result = (
            Schema.of(document.json_of(title), title)
            for title in ("State Schema", "Action Schema", "Result Schema")
        )
        return cls(about, document, state, action, result, text)

    @property
    def game_type(self) -> str:
        """The game's id."""
        return self.about.game_type

    @property
    def version(self) -> Version:
        """The version of this specification."""
        return Version.parse(self.about.version)

    def check_state(self, state: object) -> tuple[Fault, ...]:
        """Return what is wrong with the `state` of a question, () when it is as specified."""
        return self.state.faults(state)

    def check_action(self, action: object) -> tuple[Fault, ...]:
        """Return what is wrong with an action that is to be sent."""
        return self.action.faults(action)

    def check_result(self, result: object) -> tuple[Fault, ...]:
        """Return what is wrong with the result of a round."""
        return self.result.faults(result)

    def text_of(self, title: str) -> str | None:
        """Return a section's text, `Rules` say; None where the document has none."""
        return self.document.text_of(title)
