"""Settings: typed, frozen, strict about names, with secrets in files."""

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
from pydantic import SecretStr


class OvenSettings(ServiceSettings):
    """Settings of a sample service."""

    prefix: ClassVar[str] = "OVEN_"
    heat: int = 180
    salt: float = 0.5
    bake: Duration = timedelta(minutes=30)
    key: Key | None = None
    recipe: SecretStr | None = None


class TestLoading:
    def test_arguments_override_the_environment_and_defaults(self) -> None:
        settings = OvenSettings.load({"OVEN_HEAT": "200", "OVEN_PORT": "4000"}, port=4001)
        assert (settings.heat, settings.port, settings.host) == (200, 4001, "127.0.0.1")
        assert OvenSettings.load({}, port=None).port == 0
        assert OvenSettings.load({"OVEN_HEAT": ""}).heat == 180

    def test_an_unknown_setting_is_refused(self) -> None:
        """The error names the one that was probably meant."""
        message = r"setting OVEN_9, OVEN_HEATT \(did you mean OVEN_HEAT\?\); docs/reference"
        with pytest.raises(InvalidSettings, match=message):
            OvenSettings.load({"OVEN_HEATT": "200", "OVEN_9": "1"})

    def test_a_wrong_value_names_its_variable(self) -> None:
        with pytest.raises(InvalidSettings, match="OVEN_PORT: .*; OVEN_HEAT: "):
            OvenSettings.load({"OVEN_HEAT": "hot", "OVEN_PORT": "70000"})

    @pytest.mark.parametrize("value", ["inf", "-Infinity", "nan", "1e999"])
    def test_a_number_is_finite(self, value: str) -> None:
        with pytest.raises(InvalidSettings, match="OVEN_SALT: must be a finite number"):
            OvenSettings.load({"OVEN_SALT": value})


class TestDuration:
    @pytest.mark.parametrize(
        ("text", "seconds"), [("500ms", 0.5), ("2s", 2), ("1.5 s", 1.5), ("5m", 300), ("1h", 3600)]
    )
    def test_units_of_durations(self, text: str, seconds: float) -> None:
        assert OvenSettings.load({"OVEN_BAKE": text}).bake == timedelta(seconds=seconds)

    @pytest.mark.parametrize("text", ["5", "5 days", "-1s", "1e3s"])
    def test_a_bare_number_is_refused(self, text: str) -> None:
        """A duration needs a unit."""
        with pytest.raises(InvalidSettings, match="OVEN_BAKE.*500ms, 2s, 5m or 1h"):
            OvenSettings.load({"OVEN_BAKE": text})


class TestPublicUrl:
    def test_the_host_name_can_be_in_the_public_url(self) -> None:
        """As in one of several containers."""
        settings = OvenSettings.load({"OVEN_PUBLIC_URL": "http://{hostname}:4500/"})
        assert settings.public_url == f"http://{socket.gethostname()}:4500"

    @pytest.mark.parametrize("url", ["table:4500", "http://", "ftp://table"])
    def test_an_invalid_public_url_is_refused(self, url: str) -> None:
        with pytest.raises(InvalidSettings, match="OVEN_PUBLIC_URL: .*such as http://table:4500"):
            OvenSettings.load({"OVEN_PUBLIC_URL": url})


RECIPE = "butter-and-patience"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Write a secret into a file, with a newline at its end."""
    path = tmp_path / "recipe"
    path.write_text(f"{RECIPE}\n")
    path.chmod(0o600)
    return path


class TestSecretFiles:
    def test_a_secret_is_read_from_its_file(self, recipe: Path) -> None:
        """Without the newline at its end; others may read the file, but not write it."""
        for mode in (0o600, 0o400, 0o444):
            recipe.chmod(mode)
            settings = OvenSettings.load({"OVEN_RECIPE_FILE": str(recipe)})
            assert settings.recipe == SecretStr(RECIPE)
            assert RECIPE not in repr(settings)

    def test_only_secrets_have_file_variables(self, recipe: Path) -> None:
        with pytest.raises(InvalidSettings, match="unknown setting OVEN_HEAT_FILE"):
            OvenSettings.load({"OVEN_HEAT_FILE": str(recipe)})
        assert [name for name in OvenSettings.model_fields if OvenSettings.is_secret(name)] == [
            "key", "recipe"
        ]  # fmt: skip

    def test_variable_and_file_together_are_refused(self, recipe: Path) -> None:
        """An empty variable counts as not set."""
        both = {"OVEN_RECIPE": RECIPE, "OVEN_RECIPE_FILE": str(recipe)}
        with pytest.raises(InvalidSettings, match="^OVEN_RECIPE and OVEN_RECIPE_FILE are both"):
            OvenSettings.load(both)
        assert OvenSettings.load({**both, "OVEN_RECIPE_FILE": ""}).recipe == SecretStr(RECIPE)
        assert OvenSettings.load({**both, "OVEN_RECIPE": ""}).recipe == SecretStr(RECIPE)
        assert OvenSettings.load(dict.fromkeys(both, "")).recipe is None

    @pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o777])
    def test_a_file_that_others_can_change_is_refused(self, recipe: Path, mode: int) -> None:
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
        recipe.write_bytes(content)
        with pytest.raises(InvalidSecret, match=f"X_FILE: the file that it names {fault}") as error:
            find_secret({"X_FILE": str(recipe)}, "X")
        shown = f"{error.value!r} {error.value.__cause__!r}"
        assert RECIPE not in shown

    def test_what_is_no_file_is_refused(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe", 0o600)
        for path in (tmp_path / "none", tmp_path, tmp_path / "pipe", Path("/dev/null")):
            with pytest.raises(InvalidSettings, match="^OVEN_RECIPE_FILE: the file that it names"):
                OvenSettings.load({"OVEN_RECIPE_FILE": str(path)})

    @pytest.mark.parametrize("mistaken", [RECIPE, f"{RECIPE}\0", "x" * 5_000])
    def test_a_secret_in_place_of_a_path_is_not_shown(self, mistaken: str) -> None:
        """The error may be logged."""
        with pytest.raises(InvalidSettings) as error:
            OvenSettings.load({"OVEN_RECIPE_FILE": mistaken})
        assert mistaken not in str(error.value)


class TestKey:
    def test_a_new_key_is_long_and_fits_a_header(self) -> None:
        keys = {new_key() for _ in range(100)}
        assert len(keys) == 100
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", key) for key in keys)
        for key in keys:
            assert OvenSettings.load({"OVEN_KEY": key}).key == SecretStr(key)

    @pytest.mark.parametrize("key", ["fifteen-letters", "k\u00e9" * 10, " " + "k" * 20, "k\n" * 10])
    def test_a_key_that_is_short_or_fits_no_header_is_refused(self, key: str) -> None:
        with pytest.raises(InvalidSettings, match="^OVEN_KEY: must ") as error:
            OvenSettings.load({"OVEN_KEY": key})
        assert key.strip() not in str(error.value)


class TestExposure:
    """A process that others can reach needs a key, where its service says so."""

    @pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
    def test_on_loopback_no_key_is_needed(self, host: str) -> None:
        """Also with a public URL of this machine."""
        settings = OvenSettings(host=host, public_url="http://localhost:4500")
        assert settings.refuse_without_key("key", "anybody could bake") is settings

    @pytest.mark.parametrize(
        "beyond", [{"host": "0.0.0.0"}, {"host": "sample"}, {"public_url": "https://oven.example"}]
    )
    def test_beyond_loopback_a_key_is_needed(self, beyond: dict[str, str]) -> None:
        """The error says what would happen, what to run and what to set."""
        settings = OvenSettings.model_validate(beyond)
        with pytest.raises(
            InvalidSettings,
            match="which other machines.*anybody could bake: run `casino key` and set OVEN_KEY .*"
            "`casino key --file PATH` and set OVEN_KEY_FILE.*OVEN_HOST=127.0.0.1",
        ):
            settings.refuse_without_key("key", "anybody could bake")
        keyed = OvenSettings.model_validate({**beyond, "key": new_key()})
        assert keyed.refuse_without_key("key", "anybody could bake") is keyed
