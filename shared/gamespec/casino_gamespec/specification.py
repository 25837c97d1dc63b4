"""Game specification: metadata, rules and schemas of one version of a game."""

from dataclasses import dataclass

from casino_gamespec import front_matter
from casino_gamespec.document import Document
from casino_gamespec.errors import InvalidSpecification
from casino_gamespec.front_matter import FrontMatter
from casino_gamespec.schemas import Fault, Schema
from casino_gamespec.version import Version

DOCUMENT_LIMIT = 1_000_000
"""Maximum size of a document, in bytes."""


@dataclass(frozen=True)
class GameSpec:
    """One version of one game's specification, parsed and validated.

    `about` is its metadata, `text` the original document.
    """

    about: FrontMatter
    document: Document
    state: Schema
    action: Schema
    result: Schema
    text: str

    @classmethod
    def parse(cls, text: str) -> "GameSpec":
        """Parse a document. Raises InvalidSpecification, with the part that is wrong."""
        if len(text.encode(errors="replace")) > DOCUMENT_LIMIT:
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

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is read otherwise than written, such as a schema of a later dialect."""
        schemas = (self.state, self.action, self.result)
        return tuple(schema.warning for schema in schemas if schema.warning is not None)

    def check_state(self, state: object) -> tuple[Fault, ...]:
        """Return the faults of the `state` of an action request, () if it is valid."""
        return self.state.faults(state)

    def check_action(self, action: object) -> tuple[Fault, ...]:
        """Return the faults of an action, () if it is valid."""
        return self.action.faults(action)

    def check_result(self, result: object) -> tuple[Fault, ...]:
        """Return the faults of the result of a round, () if it is valid."""
        return self.result.faults(result)

    def text_of(self, title: str) -> str | None:
        """Return the text of a section such as `Rules`, None if the document has none."""
        return self.document.text_of(title)
