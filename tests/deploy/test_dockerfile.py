"""The Dockerfile has the instructions of every builder, and none of BuildKit alone."""

import re
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "Dockerfile").read_text()
CLASSIC = {
    "ARG": set[str](),
    "CMD": set[str](),
    "COPY": {"--chown", "--from"},
    "ENTRYPOINT": set[str](),
    "ENV": set[str](),
    "EXPOSE": set[str](),
    "FROM": {"--platform"},
    "HEALTHCHECK": {"--interval", "--retries", "--start-period", "--timeout"},
    "LABEL": set[str](),
    "RUN": set[str](),
    "STOPSIGNAL": set[str](),
    "USER": set[str](),
    "WORKDIR": set[str](),
}
"""The instructions of the classic builder that are used, with the flags that it knows."""


def instructions() -> list[list[str]]:
    """Return the words of each instruction, with its continued lines and without comments."""
    lines = [line for line in TEXT.splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [line.split() for line in joined.splitlines() if line.strip()]


def test_each_instruction_and_its_flags_are_known_to_the_classic_builder() -> None:
    """`RUN --mount` and `COPY --link`, for example, are BuildKit's."""
    assert len(instructions()) > 50
    for word, *arguments in instructions():
        assert word in CLASSIC, word
        flags = set()
        for argument in arguments:
            if not argument.startswith("--"):
                break
            flags.add(argument.partition("=")[0])
        assert flags <= CLASSIC[word], (word, flags)


def test_it_asks_for_no_other_syntax_and_has_no_document_within_it() -> None:
    """The first comment chooses a parser; `<<` begins text that only BuildKit reads."""
    assert not re.search(r"^#\s*(syntax|escape|check)\s*=", TEXT, re.MULTILINE | re.IGNORECASE)
    assert "<<" not in TEXT
