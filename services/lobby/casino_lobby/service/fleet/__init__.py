"""Tables of the fleet: announcements, leases, and rooms that move to another table."""
