"""Attacks that operators run against their own casino.

Requests are built here and not by the kit's client, because attackers have their own clients.
"""
