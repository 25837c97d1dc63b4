"""Keys of services, derived from another key."""

from casino_agentkit import service_key

KEY = "the-operators-own-key"


def test_it_names_its_service_and_holds_nothing_of_the_other_key() -> None:
    derived = {service: service_key(KEY, service) for service in ("gateway", "match")}
    assert derived["gateway"].startswith("gateway.")
    assert derived["match"].startswith("match.")
    assert derived["gateway"].removeprefix("gateway.") != derived["match"].removeprefix("match.")
    assert KEY not in "".join(derived.values())


def test_a_derived_key_is_its_own_service_key_and_no_other_services() -> None:
    derived = service_key(KEY, "gateway")
    assert service_key(derived, "gateway") == derived
    assert service_key(derived, "match") != service_key(KEY, "match")
