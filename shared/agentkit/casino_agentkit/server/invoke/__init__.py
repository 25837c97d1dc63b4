"""The invoke profile: typed entrypoints as `POST /entrypoints/{skill}/invoke`, beside A2A."""
