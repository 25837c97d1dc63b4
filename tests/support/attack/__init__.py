"""Attacks, attackers, and the casinos that they run against."""
