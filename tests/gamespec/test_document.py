"""Reading a specification: liberal about its form, strict about what must be in it."""

import json
import re
from typing import Any

import pytest
from casino_gamespec import GameSpec, InvalidSpecification
from casino_gamespec.front_matter import read, split
from support.specifications import ACTION, RESULT, STATE, specification

THE_DOCUMENTS_OWN = """\
---
gameType: texas-holdem
version: "1.0.0"
name: "Texas Hold'em Poker"
category: card
gameModel: turn_based
players:
  min: 2
  max: 10
houseEdge: "3% rake (capped)"
defaultTimeoutAction: fold
schemaFormat: json-schema
---
"""


ALIAS_BOMB = "a0: &a0 [lol, lol]\n" + "\n".join(
    f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)
)
DOUBLING = {f"n{n}": {"allOf": [{"$ref": f"#/$defs/n{n + 1}"}] * 2} for n in range(40)}
CHAIN: dict[str, Any] = {f"n{n}": {"$ref": f"#/$defs/n{n + 1}"} for n in range(1000)}


def fault(text: str) -> str:
    with pytest.raises(InvalidSpecification) as refused:
        GameSpec.parse(text)
    return str(refused.value)


def without(key: str) -> str:
    """Return a specification whose front matter lacks a line."""
    return re.sub(rf"^{key}: .*\n", "", specification(), flags=re.MULTILINE)


class TestFrontMatter:
    def test_the_example_of_the_protocol_document_is_read(self) -> None:
        """Every field has the documented value."""
        about = read(split(THE_DOCUMENTS_OWN)[0])
        assert about.game_type == "texas-holdem"
        assert about.version == "1.0.0"
        assert about.name == "Texas Hold'em Poker"
        assert about.game_model == "turn_based"
        assert about.default_timeout_action == "fold"
        assert about.schema_format == "json-schema"
        assert about.house_edge == "3% rake (capped)"
        assert about.players is not None
        assert (about.players.min, about.players.max) == (2, 10)

    @pytest.mark.parametrize(
        "key", ["gameType", "version", "gameModel", "defaultTimeoutAction", "schemaFormat"]
    )
    def test_missing_required_fields_are_named(self, key: str) -> None:
        """All fields that the document says a client must extract."""
        assert key in fault(without(key))

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("gameModel", "realtime"),
            ("schemaFormat", "xml-schema"),
            ("version", "one"),
            ("gameType", "../../etc/passwd"),
            ("players", "\n  min: many\n  max: 2"),
        ],
    )
    def test_wrong_fields_are_named(self, key: str, value: str) -> None:
        assert key in fault(specification(**{key: value}))

    def test_optional_fields_may_be_absent(self) -> None:
        text = specification(
            name=None, category=None, players=None, houseEdge=None, extra="[1, {a: b}]"
        )
        assert GameSpec.parse(text).about.players is None

    def test_scalars_are_kept_as_written(self) -> None:
        """YAML would make 1.1 of 1.10, and false of off."""
        about = GameSpec.parse(specification(version="1.10", defaultTimeoutAction="off")).about
        assert about.version == "1.10.0"
        assert about.default_timeout_action == "off"

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_any_line_ends_are_read(self, end: str) -> None:
        text = "\ufeff" + specification().replace("\n", end)
        assert GameSpec.parse(text).game_type == "kuhn_poker"

    @pytest.mark.parametrize(
        ("yaml", "message"),
        [
            ("a: &a [1]\nb: *a", "aliases"),
            ("a: " + "[" * 50 + "]" * 50, "deeper"),
            ("a: [1", "invalid YAML in line"),
            ("gameType: a\ngameType: b", "twice"),
            ("- just\n- a list", "front matter"),
            ("a: " + "x" * 20_000, "between two lines"),
            ("!!python/object/apply:os.system ['true']", "front matter"),
            (ALIAS_BOMB, "aliases"),
        ],
    )
    def test_hostile_yaml_is_refused(self, yaml: str, message: str) -> None:
        assert message in fault(f"---\n{yaml}\n---\n## Rules\n")


class TestSections:
    def test_the_schemas_are_found(self) -> None:
        spec = GameSpec.parse(specification())
        assert spec.state.document == STATE
        assert spec.action.document == ACTION
        assert spec.result.document == RESULT
        assert spec.text_of("rules") == "Three cards, one each; ante 1; bet 1 or pass."
        assert spec.text_of("Weather") is None

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (r"^## (\w+ Schema)$", r"# \1"),
            (r"^## (\w+ Schema)$", r"##### **\1** ###"),
            (r"^## (\w+) Schema$", r"## 4.2. \1-schema:"),
            ("```json", "```JSON"),
            ("```json", "```"),
            ("```json", "``` json title=x"),
            ("```json", "```json-schema"),
            ("```", "~~~~~"),
            ("```json", "Some words.\n\n```python\n# State Schema\nx = {}\n```\n\n```json"),
            ("```json\n", '```json\n{"an": "example"}\n```\n\n```json\n'),
            (r"^## (\w+ Schema)$", r"## \1\n\n### In short\n\nA closed object."),
        ],
    )
    def test_headings_and_labels_may_vary(self, old: str, new: str) -> None:
        text = re.sub(old, new, specification(), flags=re.MULTILINE)
        assert text != specification()
        assert GameSpec.parse(text).state.document == STATE

    def test_sections_may_come_in_any_order(self) -> None:
        head, *sections = specification().split("\n## ")
        text = "\n## ".join([head, *reversed(sections)])
        assert GameSpec.parse(text).action.document == ACTION

    @pytest.mark.parametrize("title", ["State Schema", "Action Schema", "Result Schema"])
    def test_a_missing_section_is_named(self, title: str) -> None:
        assert title in fault(specification().replace(title, "Something"))
        heading = f"## {title}\n\n```"
        assert title in fault(specification().replace(f"{heading}json", f"{heading}python"))

    @pytest.mark.parametrize(
        ("block", "message"),
        [
            ("{not json}", "not JSON"),
            ('{"a": NaN}', "NaN"),
            ('{"a": 1, "a": 2}', "twice"),
            ("[" * 100_000, "deeper"),
            ('"' + '\\"' * 100_000, "not JSON"),
            ("[]", "must be an object"),
            ("9" * 5000, "not JSON"),
        ],
    )
    def test_a_block_that_is_no_schema_is_refused(self, block: str, message: str) -> None:
        text = specification().replace(json.dumps(STATE, indent=2), block)
        assert fault(text).startswith("State Schema: ")
        assert message in fault(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# Kuhn poker\n\n## Rules\n", "must begin with YAML"),
        (
            specification() + "\n## State Schema\n\n```json\n{}\n```\n",
            "State Schema: there are several such sections",
        ),
        (specification().rstrip().removesuffix("```") + "\nmore\n", "Result Schema"),
        (specification(rules="x" * 1_000_001), "larger than"),
    ],
    ids=["no front matter", "two sections", "a block without an end", "a megabyte"],
)
def test_a_document_of_another_form_is_refused(text: str, message: str) -> None:
    assert message in fault(text)


class TestSchemas:
    @pytest.mark.parametrize(
        ("state", "message"),
        [
            ({"type": "strin"}, "invalid JSON Schema at $.type"),
            ({"$schema": "http://json-schema.org/draft-07/schema#"}, "2020-12"),
            ({"$ref": "https://evil.test/schema.json"}, "another document"),
            ({"$ref": "file:///etc/passwd"}, "another document"),
            ({"$ref": "other.json"}, "another document"),
            ({"$ref": "#/$defs/Nobody"}, "cannot be resolved"),
            ({"$ref": "#"}, "in an endless loop"),
            ({"$ref": "#/x/y", "x": {"y": {"$ref": "https://evil.test/"}}}, "another document"),
            ({"properties": {"a": {"$id": "https://evil.test/"}}}, "at the top only"),
            ({"properties": {"a": {"pattern": "(a+)+$"}}}, "refused"),
            ({"patternProperties": {"(x|x)*y": {}}}, "refused"),
            ({"allOf": [{} for _ in range(6000)]}, "more than 5000"),
            ({"$ref": "#/$defs/n0", "$defs": {**DOUBLING, "n40": {}}}, "apply to the same value"),
            ({"$ref": "#/$defs/n0", "$defs": {**CHAIN, "n1000": {}}}, "chain of references"),
            ({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}, "in an endless loop"),
        ],
    )
    def test_wrong_remote_and_recursive_schemas_are_refused(
        self, state: dict[str, Any], message: str
    ) -> None:
        assert message in fault(specification(state=state))

    @pytest.mark.parametrize(
        "name",
        ["draft/next/schema", "draft/2021-01/schema", "draft/2031-07/schema#", "v1", "v1/2026"],
    )
    def test_a_later_dialect_is_read_as_2020_12(self, name: str) -> None:
        """The warning names the part; the schema is checked and used as always."""
        dialect = f"https://json-schema.org/{name}"
        state = {"$schema": dialect, "properties": {"pot": {"type": "integer"}}}
        spec = GameSpec.parse(specification(state=state))
        written = dialect.removesuffix("#")
        assert spec.warnings == (f"State Schema: $schema {written} is read as draft 2020-12",)
        assert spec.check_state({"pot": "x"})[0].path == "$.pot"
        assert "invalid JSON Schema" in fault(specification(state={**state, "type": "strin"}))

    @pytest.mark.parametrize(
        "dialect",
        [
            "https://json-schema.org/draft/2019-09/schema",
            "https://json-schema.org/draft/2020-11/schema",
            "http://json-schema.org/draft-04/schema#",
            "https://json-schema.org/draft/next/schema/../../2019-09/schema",
            "https://evil.test/draft/next/schema",
            "https://json-schema.org.evil.test/draft/next/schema",
            "",
            None,
            7,
        ],
    )
    def test_an_earlier_or_unknown_dialect_is_refused(self, dialect: Any) -> None:
        """Its keywords mean something else."""
        assert "or later" in fault(specification(state={"$schema": dialect}))

    def test_references_by_id_and_trees_are_allowed(self) -> None:
        """A schema may refer to itself for a deeper level."""
        own = "https://casino.test/tree"
        tree = {"$id": own, "properties": {"child": {"$ref": f"{own}#"}, "n": {"type": "integer"}}}
        spec = GameSpec.parse(specification(state=tree))
        assert spec.check_state({"child": {"child": {"n": 1}}}) == ()
        assert spec.check_state({"child": {"child": {"n": "x"}}})[0].path == "$.child.child.n"

    def test_a_property_may_be_called_like_a_keyword(self) -> None:
        """Data may look like a reference, too."""
        state = {"properties": {"$ref": {"const": {"$ref": "https://evil.test/"}}}}
        assert GameSpec.parse(specification(state=state)).check_state({"$ref": 1}) != ()
