"""Settings: typed, frozen, and no typo goes unnoticed."""

import socket
from datetime import timedelta
from typing import ClassVar

import pytest
from casino_agentkit import Duration, InvalidSettings, ServiceSettings
from pydantic import ValidationError


class OvenSettings(ServiceSettings):
    """A service's settings."""

    prefix: ClassVar[str] = "OVEN_"
    heat: int = 180
    bake: Duration = timedelta(minutes=30)


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
