"""What tests of matches share."""
