"""Plain typed calls as bytes, and servers that answer them by the protocol or the application."""
