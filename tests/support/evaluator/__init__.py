"""What tests of the evaluator share."""
