"""Checks a casino's public record: its events, hands and standings must agree to the chip."""
