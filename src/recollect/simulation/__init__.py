"""A year of a synthetic user in seconds: what forgetting does, before one chooses settings."""
