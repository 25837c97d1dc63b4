"""What tests of several packages share: small agents and players, real where it counts."""
