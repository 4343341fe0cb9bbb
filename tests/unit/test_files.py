"""Paths as documents: what is read, what is named as skipped, and what makes two documents one."""

import json
import os
import shutil
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.sources.cleaning import clean
from recollect.sources.documents import Document, Skipped
from recollect.sources.files import Reading, count, of_text, read

DATA = Path(__file__).parent.parent / "data" / "sources"


def documents(*paths: Path, **reading: object) -> list[Document]:
    return [each for each in read(paths, Reading(**reading)) if isinstance(each, Document)]  # type: ignore[arg-type]


def skipped(*paths: Path, **reading: object) -> dict[str, str]:
    found = read(paths, Reading(**reading))  # type: ignore[arg-type]
    return {Path(each.path).name: each.reason for each in found if isinstance(each, Skipped)}


def test_everything_under_a_folder_in_order() -> None:
    found = documents(DATA)
    assert skipped(DATA) == {}
    files = [str(each.metadata["file"]) for each in found]
    assert files[:2] == ["01-plain-reply.eml", "02-html-newsletter.eml"]
    assert {each.source_type for each in found} == {"email", "meeting", "voice-memo", "slack-thread", "text-note"}
    assert len({each.id for each in found}) == len(found)
    assert files.count("club.mbox") == 3
    assert files.count("larkspur") == 4
    assert len(found) == 11 + 1 + 3 + 4 + 1 + 3 + 4
    assert count([DATA]) >= len(found) - 1


def test_a_mail_has_its_people_and_date() -> None:
    [mail] = documents(DATA / "mail" / "01-plain-reply.eml")
    assert mail.title == "Re: Delivery of the greenhouse sensors"
    assert mail.participants == ("Marta Oliveira", "Tom Fenwick", "Kenji Nakamura")
    assert mail.started_at == datetime(2026, 3, 2, 8, 15, 20, tzinfo=UTC)
    assert mail.raw.startswith("Return-Path:")
    assert mail.metadata == {
        "file": "01-plain-reply.eml",
        "path": str(DATA / "mail" / "01-plain-reply.eml"),
        "message_id": "<CAF3w8@mail.larkspur.example>",
    }


def test_the_same_file_is_one_source_wherever_it_lies(tmp_path: Path) -> None:
    words = {
        "mail/05-lying-charset.eml": b"74 Euro",
        "notes/garden.md": b"compost",
        "transcripts/planning.vtt": b"14th",
        "slack/thread.json": b"plumber",
    }
    for name, word in words.items():
        copy = tmp_path / f"copy{Path(name).suffix}"
        text = (DATA / name).read_bytes()
        copy.write_bytes(text.replace(b"\n", b"\r\n"))
        assert documents(copy)[0].id == documents(DATA / name)[0].id
        copy.write_bytes(text.replace(word, b"something else"))
        assert documents(copy)[0].id != documents(DATA / name)[0].id


def test_a_mail_in_a_mailbox_is_the_mail_alone(tmp_path: Path) -> None:
    mail = (DATA / "mail" / "01-plain-reply.eml").read_bytes()
    box = tmp_path / "all.mbox"
    box.write_bytes(b"From x Mon Mar  2 09:15:22 2026\nStatus: RO\nX-Keywords: seen\n" + mail + b"\n")
    [found] = documents(box)
    [alone] = documents(DATA / "mail" / "01-plain-reply.eml")
    assert found.id == alone.id


def test_a_mailbox_message_by_message() -> None:
    found = documents(DATA / "mail" / "club.mbox")
    assert [each.title for each in found] == ["Regatta in Ghent", "Re: Regatta in Ghent", "Re: Regatta in Ghent"]
    assert "\nFrom what I hear, the van of the school is free." in found[0].raw
    assert [each.metadata["message"] for each in found] == [1, 2, 3]
    assert count([DATA / "mail" / "club.mbox"]) == 3


def test_a_mailbox_without_a_suffix_and_a_message_too_large(tmp_path: Path) -> None:
    box = tmp_path / "Inbox"
    text = (DATA / "mail" / "club.mbox").read_bytes()
    box.write_bytes(text + b"\nFrom a@b.example Thu Mar 12 09:00:00 2026\nFrom: a@b.example\n\n" + b"x" * 3_000 + b"\n")
    found = list(read([box], Reading(most_bytes=2_000)))
    assert [type(each) for each in found] == [Document, Document, Document, Skipped]
    assert found[-1] == Skipped(f"{box}, message 4", "is larger than 2,000 bytes")


def test_a_mailbox_is_not_read_whole(tmp_path: Path) -> None:
    def peak(messages: int) -> int:
        box = tmp_path / "large.mbox"
        with box.open("wb") as file:
            for number in range(messages):
                head = f"From a Mon Mar  2 09:15:22 2026\nFrom: a.b@c.example\nSubject: Number {number}\n\n"
                file.write(head.encode() + b"All is well. " * 4_000 + b"\n\n")
        tracemalloc.start()
        try:
            assert sum(isinstance(each, Document) for each in read([box])) == messages
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)  # what is imported and kept by the first one belongs to no mailbox
    assert peak(60) < 3 * peak(6)


def test_bytes_of_another_charset(tmp_path: Path) -> None:
    mail = tmp_path / "alt.eml"
    text = "From: a.b@c.example\nSubject: Test\nContent-Type: text/plain; charset=windows-1251\n\nПривет, Анна.\n"
    mail.write_bytes(text.encode("cp1251"))
    [found] = documents(mail)
    assert "Привет, Анна." in found.raw
    note = tmp_path / "alt.txt"
    note.write_bytes("Grüße aus Köln".encode("cp1252"))
    assert documents(note)[0].raw == "Grüße aus Köln"
    note.write_bytes("Grüße aus Köln".encode("utf-16"))
    assert documents(note)[0].raw == "Grüße aus Köln"


def test_large_attachments_are_left_out_of_a_mail(tmp_path: Path) -> None:
    text = (DATA / "mail" / "07-attachments.eml").read_text("utf-8")
    mail = tmp_path / "large.eml"
    mail.write_text(text.replace("JVBERi0xLjQKJcOkw7zDtsOfCg==", "JVBERi0xLjQKJcOkw7zDtsOf\n" * 20_000), "utf-8")
    [found] = documents(mail)
    assert len(found.raw) < 10_000
    assert "batch17.pdf" in found.raw
    assert found.id == documents(DATA / "mail" / "07-attachments.eml")[0].id


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (tmp_path / "fake.txt").write_bytes(b"\x00\x01\x02" * 50)
    (tmp_path / "empty.md").write_text(" \n")
    (tmp_path / "list.json").write_text('{"a": 1}')
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 broken")
    with ZipFile(tmp_path / "other.zip", "w") as packed:
        packed.writestr("a.txt", "words")
    (tmp_path / "Makefile").write_text("all:\n")
    (tmp_path / "big.txt").write_text("x" * 2_000)
    (tmp_path / ".hidden.txt").write_text("not mine")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "a.txt").write_text("not mine")
    (tmp_path / "ok.txt").write_text("These words are read.")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.txt")
    found = skipped(tmp_path, most_bytes=1_000)
    assert set(found) == {
        *("photo.png", "fake.txt", "empty.md", "list.json", "no.zip", "other.zip", "Makefile", "big.txt", "gone.txt"),
        "pipe.txt",
    }
    assert found["photo.png"].startswith("has an unknown suffix, .png")
    assert found["fake.txt"] == "is no text"
    assert found["empty.md"] == "is empty"
    assert found["list.json"].startswith("is no export of Slack")
    assert found["big.txt"] == "has 2,000 bytes; the limit is 1,000"
    assert [each.raw for each in documents(tmp_path, most_bytes=1_000)] == ["These words are read."]


def test_a_hidden_file_that_is_named_is_read(tmp_path: Path) -> None:
    (tmp_path / ".notes.txt").write_text("Mine after all.")
    assert len(documents(tmp_path / ".notes.txt")) == 1
    assert skipped(tmp_path / "missing.txt") == {"missing.txt": "is not there"}


def test_with_a_type_any_text_is_taken(tmp_path: Path) -> None:
    (tmp_path / "report.org").write_text("* Results\nAll is well.")
    [found] = documents(tmp_path, source_type="artifact")
    assert (found.source_type, found.title) == ("artifact", "report")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.txt", "[00:01] Ana: are we done?\n[00:05] Bo: nearly\n", "meeting"),
        ("a.txt", "WEBVTT\n\n00:01.000 --> 00:02.000\nNote to self\n", "voice-memo"),
        ("a.txt", "From: Ana <ana@x.example>\nSubject: Key\n\nIt is here.", "email"),
        ("a.md", "# Key\n\nIt is here.", "text-note"),
        ("a.html", "<html><title>Key</title><p>It is here.</p></html>", "text-note"),
    ],
)
def test_types_by_what_files_plainly_are(tmp_path: Path, name: str, text: str, expected: str) -> None:
    (tmp_path / name).write_text(text)
    [found] = documents(tmp_path / name)
    assert found.source_type == expected
    assert of_text(text).id == found.id


def test_when_a_file_is_from(tmp_path: Path) -> None:
    dated = tmp_path / "2026-02-03 standup.txt"
    dated.write_text("We ship on Friday.")
    assert documents(dated)[0].started_at == datetime(2026, 2, 3, 12, tzinfo=UTC)
    plain = tmp_path / "standup.txt"
    plain.write_text("We ship on Friday.")
    os.utime(plain, (1_700_000_000, 1_700_000_000))
    assert documents(plain)[0].started_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert documents(DATA / "notes" / "garden.md")[0].started_at == datetime(2026, 2, 21, 12, tzinfo=UTC)


# Slack


def test_an_export_by_threads_and_days() -> None:
    found = {each.title: each for each in documents(DATA / "slack" / "larkspur")}
    assert list(found) == [
        "#apollo: Batch 17 drifts by more than 3 %. Shall we stop the line?…",
        "#apollo, 2026-03-03",
        "#apollo, 2026-03-04",
        "#general, 2026-03-02",
    ]
    thread = next(iter(found.values()))
    assert thread.participants == ("Kenji Nakamura", "Leila Haddad", "Marta Oliveira")
    assert thread.started_at is not None
    assert thread.ended_at is not None
    assert (thread.started_at.day, thread.ended_at.day) == (3, 4)
    assert thread.metadata["channel"] == "apollo"
    assert thread.metadata["thread"] == "1772524800.000100"
    assert json.loads(thread.raw)["users"] == {
        "U02KENJI": "Kenji Nakamura",
        "U03LEILA": "Leila Haddad",
        "U01MARTA": "Marta Oliveira",
    }
    assert count([DATA / "slack" / "larkspur"]) == 3


@pytest.mark.parametrize("inside", ["", "Larkspur Slack export Mar 2026/"])
def test_an_archive_is_the_same_as_its_folder(tmp_path: Path, inside: str) -> None:
    folder = DATA / "slack" / "larkspur"
    packed = tmp_path / "export.zip"
    with ZipFile(packed, "w") as archive:
        for file in sorted(folder.rglob("*.json")):
            archive.write(file, inside + str(file.relative_to(folder)))
    assert [each.id for each in documents(packed)] == [each.id for each in documents(folder)]


def test_a_broken_day_does_not_cost_the_others(tmp_path: Path) -> None:
    copy = tmp_path / "larkspur"
    shutil.copytree(DATA / "slack" / "larkspur", copy)
    (copy / "apollo" / "2026-03-03.json").write_text("[{")
    assert skipped(tmp_path) == {"larkspur, 2026-03-03.json": "is no list of messages"}
    assert [each.title for each in documents(tmp_path)] == ["#apollo, 2026-03-04", "#general, 2026-03-02"]
    shutil.rmtree(copy / "apollo")
    (copy / "general" / "2026-03-02.json").write_text(
        '[{"subtype": "channel_join", "ts": "1", "user": "U1", "text": "a"}]'
    )
    assert skipped(tmp_path) == {"larkspur": "has no message of a person"}


def test_direct_messages_are_called_by_their_people(tmp_path: Path) -> None:
    (tmp_path / "users.json").write_text('[{"id": "U11", "name": "ana"}, {"id": "U22", "name": "bo"}]')
    (tmp_path / "D0123456").mkdir()
    messages = [
        {"user": "U11", "text": "Hi there", "ts": "1772524800"},
        {"user": "U22", "text": "Hello", "ts": "1772524801"},
    ]
    (tmp_path / "D0123456" / "2026-03-03.json").write_text(json.dumps(messages))
    assert [each.title for each in documents(tmp_path)] == ["ana and bo, 2026-03-03"]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=500), st.sampled_from([".eml", ".mbox", ".zip", ".json", ".txt", ".vtt", ".md", ".html", ""]))
def test_any_bytes_are_read_or_named(tmp_path_factory: pytest.TempPathFactory, data: bytes, suffix: str) -> None:
    path = tmp_path_factory.mktemp("any") / f"file{suffix}"
    path.write_bytes(data)
    for each in read([path]):
        assert isinstance(each, Skipped) or "\x00" not in each.raw


def test_a_mailbox_of_no_text_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "noise.mbox").write_bytes(bytes(range(256)) * 12)
    (tmp_path / "notes.mbox").write_text("Just some words.\nAnd more of them.\n")
    (tmp_path / "void.mbox").write_text("\n")
    assert documents(tmp_path) == []
    assert skipped(tmp_path) == {
        "noise.mbox": "is no text",
        "notes.mbox": "is no mailbox: no message begins in it",
        "void.mbox": "is empty",
    }


def test_noise_within_a_mailbox_costs_no_other_message(tmp_path: Path) -> None:
    whole = b"From a@b.example Mon\nFrom: Ana <a@b.example>\nSubject: Hi\n\nSee you.\n\n"
    (tmp_path / "box.mbox").write_bytes(whole + b"From c@d.example Mon\n" + bytes(range(256)) * 4 + b"\n\n" + whole)
    assert [each.title for each in documents(tmp_path)] == ["Hi", "Hi"]
    assert skipped(tmp_path) == {"box.mbox, message 2": "is no text"}


def test_captions_without_words_and_a_mail_without_any(tmp_path: Path) -> None:
    (tmp_path / "a.vtt").write_text("WEBVTT\n")
    (tmp_path / "b.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n\n")
    (tmp_path / "c.eml").write_text("From: a@b.example\nTo: c@d.example\nDate: Mon, 2 Mar 2026 10:00:00 +0000\n\n \n")
    (tmp_path / "d.eml").write_text("From: a@b.example\nSubject: Lunch?\n\n")
    assert skipped(tmp_path) == {
        "a.vtt": "has captions without a word",
        "b.vtt": "has captions without a word",
        "c.eml": "is a mail with neither a subject nor a text",
    }
    assert [each.title for each in documents(tmp_path)] == ["Lunch?"]


def slack_day(folder: Path) -> Path:
    folder.mkdir(parents=True)
    messages = [
        {"user": "U024BE7LH", "text": "The deploy is out, <@U0G9QF9C6> please look", "ts": "1772524800"},
        {"user": "U0G9QF9C6", "text": "Looks fine to me", "ts": "1772524801"},
    ]
    (folder / "2026-03-03.json").write_text(json.dumps(messages))
    return folder / "2026-03-03.json"


@pytest.mark.parametrize("alone", [True, False])
def test_a_channel_or_a_day_without_a_list_of_people_names_nobody(tmp_path: Path, alone: bool) -> None:
    day = slack_day(tmp_path / "general")
    (found,) = documents(day if alone else day.parent)
    assert found.participants == ()
    cleaned = clean(found.source_type, found.raw)
    assert "U024BE7LH" not in cleaned.text
    assert "U0G9QF9C6" not in cleaned.text
    assert "someone please look" in cleaned.text


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("beside", [True, False])
def test_a_channel_or_a_day_takes_names_from_the_export_around_it(tmp_path: Path, alone: bool, beside: bool) -> None:
    day = slack_day(tmp_path / "general")
    users = [{"id": "U024BE7LH", "real_name": "Ana Ruiz"}, {"id": "U0G9QF9C6", "real_name": "Bo Lind"}]
    ((day.parent if beside else tmp_path) / "users.json").write_text(json.dumps(users))
    (found,) = documents(day if alone else day.parent)
    assert found.participants == ("Ana Ruiz", "Bo Lind")
    assert "Bo Lind please look" in clean(found.source_type, found.raw).text
