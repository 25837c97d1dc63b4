"""What the security tests share: a quiet log."""
