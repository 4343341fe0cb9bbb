"""Phrases as patterns."""

import re


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def one_of(phrases: str) -> str:
    """A pattern for any of several phrases, which stand apart by two blanks or a line end; each may be a pattern."""
    return "(?:" + "|".join(phrase for phrase in re.split(r"\s{2,}", phrases.strip()) if phrase) + ")"
