"""The lobby, as the gateway calls and follows it."""
