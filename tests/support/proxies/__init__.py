"""TCP proxies that tests put between the parts of a casino."""
