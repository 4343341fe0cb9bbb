"""Carry a data directory to another major version."""
