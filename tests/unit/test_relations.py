"""How people and things stand to each other, in the ways in which people say it."""

import pytest

from recollect.graph.extract import extract


def linked(text: str) -> set[tuple[str, str, str]]:
    return {
        (link.subject[2], link.type, link.object[2])
        for link in extract(text).links
        if link.type != "mentioned_with" and not link.denied
    }


@pytest.mark.parametrize(
    ("text", "link"),
    [
        # Active
        ("Maria Lopez is working for Acme Corp.", ("maria-lopez", "works_at", "acme-corp")),
        ("Tom Becker reports directly to Sarah Chen.", ("tom-becker", "reports_to", "sarah-chen")),
        ("Sarah Chen oversees the Atlas Project.", ("sarah-chen", "manages", "atlas")),
        ("Maria Lopez lives in Lisbon.", ("maria-lopez", "lives_in", "lisbon")),
        ("Brightwater Logistics is headquartered in Rotterdam.", ("brightwater-logistics", "located_in", "rotterdam")),
        ("Sarah Chen is the wife of Tom Becker.", ("sarah-chen", "married_to", "tom-becker")),
        ("Sarah Chen is a sister of Tom Becker.", ("sarah-chen", "sibling_of", "tom-becker")),
        ("Kafka is powered by Linux.", ("kafka", "depends_on", "linux")),
        ("Sarah Chen is studying at Fudan University.", ("sarah-chen", "studied_at", "fudan-university")),
        ("Acme Corp is a subsidiary of Brightwater Logistics.", ("acme-corp", "part_of", "brightwater-logistics")),
        # Passive
        ("Kiori Ltd was founded by Hiroshi Tanaka.", ("hiroshi-tanaka", "founded", "kiori-ltd")),
        ("The Atlas Project is led by Maria Lopez.", ("maria-lopez", "manages", "atlas")),
        ("Acme Corp was acquired by Brightwater Logistics.", ("brightwater-logistics", "acquired", "acme-corp")),
        ("Tom Becker was hired by Acme Corp.", ("tom-becker", "works_at", "acme-corp")),
        ("Jenkins was replaced by Tekton.", ("tekton", "replaces", "jenkins")),
        ("Tom Becker is the son of Sarah Chen.", ("sarah-chen", "parent_of", "tom-becker")),
        # Appositive, possessive
        ("Acme Corp's CTO Maria Lopez called.", ("maria-lopez", "works_at", "acme-corp")),
        ("Maria Lopez, CEO of Acme Corp, called.", ("maria-lopez", "works_at", "acme-corp")),
        ("Maria Lopez (Acme Corp) called.", ("maria-lopez", "works_at", "acme-corp")),
        ("We met Acme Corp and their CTO, Maria Lopez.", ("maria-lopez", "works_at", "acme-corp")),
        ("How is Acme Corp? I met Maria Lopez, their new CTO.", ("maria-lopez", "works_at", "acme-corp")),
        ("I like Acme Corp. Their founder, Maria Lopez, called.", ("maria-lopez", "founded", "acme-corp")),
        ("Tom: Maria Lopez is our lead.", ("tom", "reports_to", "maria-lopez")),
        ("Tom: ask our designer, Maria Lopez.", ("tom", "works_with", "maria-lopez")),
        ("It was at Roisin's house in Omagh.", ("roisin", "lives_in", "omagh")),
        ("Berlin-based Maria Lopez sang.", ("maria-lopez", "lives_in", "berlin")),
        ("Ask Shanice Brown, assistant to Maria Lopez.", ("shanice-brown", "reports_to", "maria-lopez")),
        # Over sentences
        ("I met Maria Lopez. She works at Acme Corp.", ("maria-lopez", "works_at", "acme-corp")),
        ("I walked with Nora. Her mother, Solveig, called.", ("solveig", "parent_of", "nora")),
        ("Acme Corp is slow. Gwen there is on leave.", ("gwen", "works_at", "acme-corp")),
        # What is known of who writes
        ("Hi Tom,\n\nAsk my boss, Maria Lopez, today.\n\nBest,\nIngrid", ("ingrid", "reports_to", "maria-lopez")),
        ("Hi Anneke,\n\nIs your colleague Wouter in?\n\nBest,\nIngrid", ("anneke", "works_with", "wouter")),
        ("user: hi, i'm Zainab. my wife Amina sings", ("zainab", "married_to", "amina")),
        ("user: my wife Amina and my son Chidi sing", ("amina", "parent_of", "chidi")),
        ("Olu: Pairing with Bex was fun.", ("olu", "works_with", "bex")),
        ("Write to Jo Lindgren (jo.lindgren@acme.example) at Acme.", ("jo-lindgren", "works_at", "acme")),
        ("Hiroshi Tanaka founded Kiori Ltd with his sister Yumi.", ("yumi", "founded", "kiori-ltd")),
        ("ヤマト運輸の鈴木様に見積もりをお願いしています。", ("鈴木", "works_at", "ヤマト運輸")),
    ],
)
def test_what_stands_in_a_text(text: str, link: tuple[str, str, str]) -> None:
    assert link in linked(text)


@pytest.mark.parametrize(
    "text",
    [
        "I met Maria Lopez and Tom Becker. She works at Acme Corp.",
        "Maria Lopez was not hired by Acme Corp.",
        "Maria Lopez, their former CTO, called. Acme Corp did not.",
        "We pick up Tom from Leeds at six.",
        "The flight of Tom from Leeds to Berlin was late.",
        "Paddy,\n\nThe surveyor found damp, so the bank (Ulster Mutual) wants to look at it again.\n\nFionn",
        "Tom there is a problem. Acme Corp is slow.",
        "Acme Corp, lives in Ottawa with three dogs",
    ],
)
def test_what_no_text_says(text: str) -> None:
    assert linked(text) == set()


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Kwame Mensah wrote the report on rivers.", "Kwame Mensah wrote the report on rivers."),
        ("Yesterday Maria Lopez joined Acme Corp.", "Maria Lopez joined Acme Corp."),
        (
            "- Yevhen: finished the webhook retries\n- Carmela: asked for more time",
            "Yevhen finished the webhook retries.",
        ),
    ],
)
def test_notes_are_sentences(text: str, note: str) -> None:
    assert note in {remark.text for remark in extract(text).remarks}
