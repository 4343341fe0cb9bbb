"""What each kind of memory is by default."""

from recollect.records import kinds


def test_every_kind_of_the_model_is_known():
    assert set(kinds.KINDS) == {
        "turn",
        "source",
        "chunk",
        "profile",
        "statement",
        "episode",
        "insight",
        "procedure",
        "person",
        "concept",
        "entity",
        "storyline",
        "macro",
        "item",
    }


def test_only_what_was_said_or_read_is_short_term():
    assert {name for name, kind in kinds.KINDS.items() if kind.tier == "short"} == {"turn", "source", "chunk"}


def test_only_derived_kinds_are_forgotten():
    never = {"turn", "source", "chunk", "profile", "person", "concept", "entity", "storyline", "macro", "item"}
    assert not never & set(kinds.FORGETTABLE_KINDS)


def test_knowledge_is_what_the_change_log_tells_of():
    assert set(kinds.KNOWLEDGE_KINDS) == {"profile", "statement", "episode", "insight", "procedure"}


def test_links_are_made_among_knowledge():
    assert set(kinds.LINKED_KINDS) == {"statement", "episode", "insight", "procedure"}


def test_defaults_of_categories_and_importance():
    expected = {
        ("profile", None): ("profile", 0.8),
        ("turn", None): ("activity", 0.5),
        ("source", None): ("knowledge", 0.5),
        ("chunk", None): ("knowledge", 0.5),
        ("episode", None): ("event", 0.6),
        ("insight", None): ("relationship_dynamic", 0.4),
        ("procedure", None): ("procedural", 0.5),
        ("person", None): ("relationships", 0.5),
        ("entity", None): ("knowledge", 0.5),
        ("statement", "goal"): ("goals", 0.8),
        ("statement", "preference"): ("preferences", 0.6),
        ("statement", "constraint"): ("constraints", 0.6),
        ("statement", "decision"): ("knowledge", 0.7),
        ("statement", "fact"): ("knowledge", 0.5),
    }
    for (kind, type), values in expected.items():
        assert (kinds.default_category(kind, type), kinds.default_importance(kind, type)) == values
