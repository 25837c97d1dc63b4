"""No agent offers an entrypoint under the name of another role's."""

from typing import Any

import pytest
from casino_contracts.entrypoints import (
    SKILLS,
    ActionSkill,
    SignupSkill,
    SummarySkill,
    may_be_called,
)
from pydantic import TypeAdapter, ValidationError


class TestSkills:
    def test_no_entrypoint_is_called_by_the_name_of_another(self) -> None:
        """In any spelling: a player's sign-up is not the table's close."""
        purposes: dict[str, Any] = {
            "signup": SignupSkill,
            "act": ActionSkill,
            "tableSummary": SummarySkill,
        }
        for purpose, kind in purposes.items():
            adapter = TypeAdapter(kind)
            for skill in SKILLS:
                for name in {skill, skill.upper(), skill.lower()} - {purpose}:
                    with pytest.raises(ValidationError):
                        adapter.validate_python(name)
            assert adapter.validate_python(purpose) == purpose
            assert adapter.validate_python("mine.v2") == "mine.v2"

    @pytest.mark.parametrize("name", ["closeTable", "recordGameEvent", "createRoom", "handRecord"])
    def test_the_rule_as_a_function(self, name: str) -> None:
        assert not may_be_called("signup", name)
        assert may_be_called("signup", "signup")
