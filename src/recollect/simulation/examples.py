"""Memories of a simulated life that show one fate each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recollect.graph.names import NODE_KINDS
from recollect.simulation.looking import Track


@dataclass(frozen=True, slots=True)
class Example:
    """One memory, and what it is an example of."""

    fate: str
    track: Track


def examples(tracks: Sequence[Track], confident: float) -> list[Example]:
    """One for each fate that somebody had, in the order of how much was made of them."""
    decaying = [track for track in tracks if track.ttl_policy == "decay"]
    sources = [track for track in decaying if track.kind == "source"]
    nodes = [track for track in decaying if track.kind in NODE_KINDS]
    found = (
        ("kept forever", _first(tracks, lambda track: track.ttl_policy == "keep_forever" and track.kind == "source")),
        ("a person of many notes", _most_recalled([node for node in nodes if node.kind == "person"])),
        ("a note asked for again and again", _most_recalled(sources)),
        ("a note recalled three times", _first(sources, lambda track: track.recalled == 3)),
        ("a note recalled once", _first(sources, lambda track: track.recalled == 1)),
        ("a note nobody asked for", _first(sources, lambda track: track.recalled == 0)),
        ("a note for today only", _first(tracks, lambda track: track.ttl_policy == "ephemeral")),
        ("a doubtful name, mentioned once", _first(nodes, lambda track: _is_doubtful(track, confident))),
    )
    return [Example(fate, track) for fate, track in found if track is not None]


def _is_doubtful(track: Track, confident: float) -> bool:
    return track.recalled == 0 and track.confidence < confident


def _first(tracks: Sequence[Track], fits: Callable[[Track], bool]) -> Track | None:
    """The earliest: of it there is most to be seen."""
    return min((track for track in tracks if fits(track)), key=lambda track: (track.days[0], track.id), default=None)


def _most_recalled(tracks: Sequence[Track]) -> Track | None:
    best = max(tracks, key=lambda track: (track.recalled, -track.days[0]), default=None)
    return best if best is not None and best.recalled > 1 else None
