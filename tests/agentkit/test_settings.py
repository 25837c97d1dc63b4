"""Settings: typed, frozen, and no typo goes unnoticed."""

import os
import re
import socket
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pytest
from casino_agentkit import (
    Duration,
    InvalidSecret,
    InvalidSettings,
    Key,
    ServiceSettings,
    find_secret,
    new_key,
)
from pydantic import SecretStr, ValidationError


class OvenSettings(ServiceSettings):
    """A service's settings."""

    prefix: ClassVar[str] = "OVEN_"
    heat: int = 180
    bake: Duration = timedelta(minutes=30)
    key: Key | None = None
    recipe: SecretStr | None = None


class TestLoading:
    """From the environment, and from the command line over it."""

    def test_defaults_environment_and_given(self) -> None:
        """In this order."""
        settings = OvenSettings.load({"OVEN_HEAT": "200", "OVEN_PORT": "4000"}, port=4001)
        assert (settings.heat, settings.port, settings.host) == (200, 4001, "127.0.0.1")
        assert OvenSettings.load({}, port=None).port == 0
        assert OvenSettings.load({"OVEN_HEAT": ""}).heat == 180

    def test_other_programs_variables_are_left_alone(self) -> None:
        """Only our prefix is ours."""
        assert OvenSettings.load({"OVENS": "9", "PATH": "/bin"}).heat == 180

    def test_an_unknown_setting_is_refused(self) -> None:
        """A typo is told with what is known."""
        with pytest.raises(InvalidSettings, match="unknown setting OVEN_HEATT; known.*OVEN_HEAT"):
            OvenSettings.load({"OVEN_HEATT": "200"})

    def test_a_wrong_value_names_its_variable(self) -> None:
        """Every one of them."""
        with pytest.raises(InvalidSettings, match="OVEN_PORT: .*; OVEN_HEAT: "):
            OvenSettings.load({"OVEN_HEAT": "hot", "OVEN_PORT": "70000"})

    def test_settings_are_frozen(self) -> None:
        """What was read is what holds."""
        with pytest.raises(ValidationError, match="frozen"):
            OvenSettings.load({}).heat = 1  # type: ignore[misc]


class TestDuration:
    """Lengths of time carry their unit."""

    @pytest.mark.parametrize(
        ("text", "seconds"), [("500ms", 0.5), ("2s", 2), ("1.5 s", 1.5), ("5m", 300), ("1h", 3600)]
    )
    def test_units(self, text: str, seconds: float) -> None:
        """Milliseconds to hours."""
        assert OvenSettings.load({"OVEN_BAKE": text}).bake == timedelta(seconds=seconds)

    @pytest.mark.parametrize("text", ["5", "5 days", "-1s", "1e3s"])
    def test_a_bare_number_is_refused(self, text: str) -> None:
        """Five of what?"""
        with pytest.raises(InvalidSettings, match="OVEN_BAKE.*500ms, 2s, 5m or 1h"):
            OvenSettings.load({"OVEN_BAKE": text})


class TestPublicUrl:
    """What an agent's card advertises."""

    def test_a_machine_whose_name_nobody_knows_before(self) -> None:
        """A container of many, say."""
        settings = OvenSettings.load({"OVEN_PUBLIC_URL": "http://{hostname}:4500/"})
        assert settings.public_url == f"http://{socket.gethostname()}:4500"

    @pytest.mark.parametrize("url", ["table:4500", "http://", "ftp://table"])
    def test_what_is_no_address_is_refused(self, url: str) -> None:
        """Before anybody is told to go there."""
        with pytest.raises(InvalidSettings, match="OVEN_PUBLIC_URL: .*such as http://table:4500"):
            OvenSettings.load({"OVEN_PUBLIC_URL": url})


RECIPE = "butter-and-patience"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Write a secret into a file, as people do."""
    path = tmp_path / "recipe"
    path.write_text(f"{RECIPE}\n")
    path.chmod(0o600)
    return path


class TestSecretFiles:
    """Every secret may stand in a file."""

    def test_a_file_says_it_as_well(self, recipe: Path) -> None:
        """Without the line's end; a secret volume's mode is fine."""
        for mode in (0o600, 0o400, 0o444):
            recipe.chmod(mode)
            settings = OvenSettings.load({"OVEN_RECIPE_FILE": str(recipe)})
            assert settings.recipe == SecretStr(RECIPE)
            assert RECIPE not in repr(settings)

    def test_only_secrets_do(self, recipe: Path) -> None:
        """Nobody keeps a port in a file."""
        with pytest.raises(InvalidSettings, match="unknown setting OVEN_HEAT_FILE; .*RECIPE_FILE"):
            OvenSettings.load({"OVEN_HEAT_FILE": str(recipe)})
        assert [name for name in OvenSettings.model_fields if OvenSettings.is_secret(name)] == [
            "key", "recipe"
        ]  # fmt: skip

    def test_one_place_is_enough(self, recipe: Path) -> None:
        """Which of two would hold? An empty variable is none."""
        both = {"OVEN_RECIPE": RECIPE, "OVEN_RECIPE_FILE": str(recipe)}
        with pytest.raises(InvalidSettings, match="^OVEN_RECIPE and OVEN_RECIPE_FILE are both"):
            OvenSettings.load(both)
        assert OvenSettings.load({**both, "OVEN_RECIPE_FILE": ""}).recipe == SecretStr(RECIPE)
        assert OvenSettings.load({**both, "OVEN_RECIPE": ""}).recipe == SecretStr(RECIPE)
        assert OvenSettings.load(dict.fromkeys(both, "")).recipe is None

    @pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o777])
    def test_a_file_that_others_can_change_is_refused(self, recipe: Path, mode: int) -> None:
        """Whoever writes it chooses the key."""
        recipe.chmod(mode)
        with pytest.raises(InvalidSettings, match="OVEN_RECIPE_FILE: .*chmod go-w"):
            OvenSettings.load({"OVEN_RECIPE_FILE": str(recipe)})

    @pytest.mark.parametrize(
        ("content", "fault"),
        [
            (b"", "is empty"),
            (b" \n\t ", "is empty"),
            (b"\xff\xfe" + RECIPE.encode(), "is no UTF-8 text"),
            (RECIPE.encode() * 10_000, "has more than 65536 bytes"),
        ],
    )
    def test_a_content_that_is_no_secret_is_refused(
        self, recipe: Path, content: bytes, fault: str
    ) -> None:
        """In a sentence that shows nothing of it, and neither does what caused it."""
        recipe.write_bytes(content)
        with pytest.raises(InvalidSecret, match=f"X_FILE: the file that it names {fault}") as told:
            find_secret({"X_FILE": str(recipe)}, "X")
        shown = f"{told.value!r} {told.value.__cause__!r}"
        assert RECIPE not in shown

    def test_what_is_no_file_is_refused(self, tmp_path: Path) -> None:
        """At once: a pipe that nobody writes to does not hold anybody up."""
        os.mkfifo(tmp_path / "pipe", 0o600)
        for path in (tmp_path / "none", tmp_path, tmp_path / "pipe", Path("/dev/null")):
            with pytest.raises(InvalidSettings, match="^OVEN_RECIPE_FILE: the file that it names"):
                OvenSettings.load({"OVEN_RECIPE_FILE": str(path)})

    @pytest.mark.parametrize("mistaken", [RECIPE, f"{RECIPE}\0", "x" * 5_000])
    def test_a_secret_in_place_of_a_path_is_not_shown(self, mistaken: str) -> None:
        """An easy mistake, whose message goes into logs."""
        with pytest.raises(InvalidSettings) as told:
            OvenSettings.load({"OVEN_RECIPE_FILE": mistaken})
        assert mistaken not in str(told.value)


class TestKey:
    """What lets somebody in."""

    def test_a_new_one_is_long_and_fits_everywhere(self) -> None:
        """256 bits, in letters, digits, `-` and `_`."""
        keys = {new_key() for _ in range(100)}
        assert len(keys) == 100
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", key) for key in keys)
        for key in keys:
            assert OvenSettings.load({"OVEN_KEY": key}).key == SecretStr(key)

    @pytest.mark.parametrize("key", ["fifteen-letters", "k\u00e9" * 10, " " + "k" * 20, "k\n" * 10])
    def test_one_that_is_short_or_fits_no_header_is_refused(self, key: str) -> None:
        """Without showing it."""
        with pytest.raises(InvalidSettings, match="^OVEN_KEY: must ") as told:
            OvenSettings.load({"OVEN_KEY": key})
        assert key.strip() not in str(told.value)


class TestExposure:
    """A process that others can reach needs a key, where its service says so."""

    @pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
    def test_on_this_machine_none_is_needed(self, host: str) -> None:
        """With a public URL of this machine, too."""
        settings = OvenSettings(host=host, public_url="http://localhost:4500")
        assert settings.refuse_without_key("key", "anybody could bake") is settings

    @pytest.mark.parametrize(
        "beyond", [{"host": "0.0.0.0"}, {"host": "kitchen"}, {"public_url": "https://oven.example"}]
    )
    def test_beyond_it_one_is(self, beyond: dict[str, str]) -> None:
        """And it is told what would happen, what to run and what to set."""
        settings = OvenSettings.model_validate(beyond)
        with pytest.raises(
            InvalidSettings,
            match="which other machines.*anybody could bake: run `casino key` and set OVEN_KEY .*"
            "`casino key --file PATH` and set OVEN_KEY_FILE.*OVEN_HOST=127.0.0.1",
        ):
            settings.refuse_without_key("key", "anybody could bake")
        keyed = OvenSettings.model_validate({**beyond, "key": new_key()})
        assert keyed.refuse_without_key("key", "anybody could bake") is keyed
