"""What is found in a text before it is known who is who."""

from dataclasses import dataclass

PERSON = "person"
UNKNOWN = "name"
"""The type of what is certainly a name, and of nobody knows what."""


@dataclass(slots=True)
class Mention:
    """A stretch of a text that names something."""

    start: int
    end: int
    sentence: int
    text: str
    """The name as it stands there, without title."""
    type: str
    """`person`, `concept`, or the type of an entity."""
    sure: float = 0.8
    title: str = ""
    """Before or behind the name of a person: "Ms", "Aunt"."""
    weak: bool = False
    """Only a guess by what stands around it: what is said of the name elsewhere counts more."""
    key: tuple[str, str, str] | None = None
    """Of the entity that it was found to be."""
    possessive: bool = False
    also: str = ""
    """The name with the word for its type: "Atlas Project"."""
