"""Talk read again, and what would change by it."""
