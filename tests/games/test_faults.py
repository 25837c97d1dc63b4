"""How the faults of settings, snapshots and examples are described."""

import pytest
from casino_games.game import faults_in, paths_in
from pydantic import BaseModel, ValidationError, model_validator
from pydantic_core import InitErrorDetails


class Blinds(BaseModel):
    """A small and a big blind."""

    small: int
    big: int


class Settings(BaseModel):
    """Settings with a part, a list, and a rule for the whole."""

    blinds: Blinds = Blinds(small=1, big=2)
    stacks: list[int] = []

    @model_validator(mode="after")
    def _has_stacks(self) -> "Settings":
        if self.blinds.small == 77:
            raise ValueError("no small blind of 77")
        return self


def error_of(data: object) -> ValidationError:
    with pytest.raises(ValidationError) as raised:
        Settings.model_validate(data)
    return raised.value


class TestFaults:
    def test_each_fault_has_its_path_and_description(self) -> None:
        """Parts of a path are joined by dots, also the indices of a list."""
        error = error_of({"blinds": {"small": "hidden"}, "stacks": [5, "hidden"]})
        assert faults_in(error, "config") == (
            "blinds.small: Input should be a valid integer, unable to parse string as an integer; "
            "blinds.big: Field required; "
            "stacks.1: Input should be a valid integer, unable to parse string as an integer"
        )
        assert "hidden" not in faults_in(error, "config")

    @pytest.mark.parametrize(
        ("data", "text"),
        [
            ([], "config: Input should be a valid dictionary or instance of Settings"),
            ({"blinds": {"small": 77, "big": 9}}, "config: Value error, no small blind of 77"),
        ],
    )
    def test_a_fault_of_the_whole_has_the_name_of_the_whole(self, data: object, text: str) -> None:
        assert faults_in(error_of(data), "config") == text

    def test_paths_are_sorted_and_listed_once(self) -> None:
        """Two faults may be at one place."""
        faults: list[InitErrorDetails] = [
            {"type": "missing", "loc": ("order", 1), "input": {}},
            {"type": "missing", "loc": ("actions",), "input": {}},
            {"type": "int_type", "loc": ("order", 1), "input": "hidden"},
        ]
        error = ValidationError.from_exception_data("Snapshot", faults)
        assert paths_in(error) == "actions, order.1"
