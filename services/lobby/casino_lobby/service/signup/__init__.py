"""Players on their way to a seat: invitation, display name, and the seat at the table."""
