"""What is read out of sources: pieces, what they say together, and what of it each chunk says."""

from uuid import uuid4

import pytest

from recollect.bench.ingest import generated
from recollect.flows.source_texts import is_name, of_chunks, pieces, united, with_people
from recollect.graph.model import Entity, Extracted, Link


def person(name, **more):
    return Entity("person", "", name, **more)


@pytest.mark.parametrize("text", ["", "short", "a line\n" * 40, "word " * 100, "x" * 130])
def test_pieces_hold_all_of_a_text(text):
    cut = list(pieces(text, 50))
    assert "".join(cut) == text
    assert all(0 < len(piece) <= 50 for piece in cut)


def test_pieces_end_where_a_line_does():
    assert list(pieces("one two\nthree four\nfive", 12)) == ["one two\n", "three four\n", "five"]


def test_what_pieces_say_together():
    ann, acme = person("Ann Lee", confidence=0.7, points=2, aliases=("Ann",)), Entity("entity", "name", "Acme")
    again = person("Ann Lee", confidence=0.9, aliases=("Ms Lee",))
    link = Link(ann.key, "works_at", acme.key)
    found = united([Extracted((ann, acme), (link,)), Extracted((again,), (link,))])
    assert found.links == (link,)
    assert found.entities[0] == person("Ann Lee", confidence=0.9, points=3, aliases=("Ann", "Ms Lee"))


def test_people_who_took_part_are_spoken_of():
    found = with_people(
        Extracted((person("Ann Lee", aliases=("Ann",)),)), ["Ann", "Bob Ray", "bob ray", "a@b.org", "U42"]
    )
    assert [entity.name for entity in found.entities] == ["Ann Lee", "Bob Ray"]
    assert with_people(found, []) is found


@pytest.mark.parametrize(
    ("name", "is_one"), [("Ann", True), ("李小龙", True), ("a@b.org", False), ("--", False), ("R2", False)]
)
def test_names(name, is_one):
    assert is_name(name) is is_one


def test_each_chunk_has_what_stands_in_it():
    ann, bob, acme = person("Ann Lee", aliases=("Annie",)), person("Bob Ray"), Entity("entity", "name", "Acme")
    link = Link(ann.key, "works_at", acme.key, description="Ann Lee works at Acme.")
    found = Extracted((ann, bob, acme), (link,))
    first, second, third = (uuid4() for _ in range(3))
    texts = [
        (first, "Ann Lee works at Acme. Yes."),
        (second, "(Annie's at Acme; Bob Ray too)"),
        (third, "Annex and Rayon."),
    ]
    of = dict(of_chunks(found, texts))
    assert (of[first].names, of[first].links) == ({"ann-lee", "acme"}, (link,))
    assert (of[second].names, of[second].links) == ({"ann-lee", "bob-ray", "acme"}, ())
    assert of[third] == Extracted()
    assert dict(of_chunks(found, texts[2:]))[third] == found


def test_the_documents_of_the_benchmark_are_the_same_every_time():
    assert generated(50) == generated(60)[:50]
    assert len(set(generated(1_000))) == 1_000
