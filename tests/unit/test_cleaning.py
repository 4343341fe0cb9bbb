"""Cleaning: what of a document are its own words, who is in it, and when it was."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.sources.cleaning import Cleaned, clean, plain_type
from recollect.sources.cleaning.charsets import decoded, is_binary
from recollect.sources.cleaning.fillers import without_fillers
from recollect.sources.cleaning.markup import text_of
from recollect.sources.cleaning.people import name, people
from recollect.sources.cleaning.plain import tidy, unwrapped

DATA = Path(__file__).parent.parent / "data" / "sources"
TYPES = ("conversation", "meeting", "voice-memo", "email", "slack-thread", "text-note", "artifact", "recipe", "")


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type]


def mail(number: str) -> Cleaned:
    [path] = DATA.glob(f"mail/{number}-*")
    return clean("email", path.read_text("utf-8"))


# Mail


def test_a_reply_without_quote_signature_and_broken_lines() -> None:
    found = mail("01")
    assert found.title == "Re: Delivery of the greenhouse sensors"
    assert found.participants == ("Marta Oliveira", "Tom Fenwick", "Kenji Nakamura")
    assert found.started_at == found.ended_at == at(2026, 3, 2, 8, 15, 20)
    assert "Kenji will bring the calibration kit when he visits you on 11 March" in found.text
    assert found.text.endswith("do you still need the gateway with the SIM card?")
    assert [(line.speaker, line.text) for line in found.lines] == [("Marta Oliveira", found.text)]


def test_a_page_is_read_where_the_plain_version_only_says_that_there_is_one() -> None:
    found = mail("02")
    assert found.text.splitlines()[0] == "Spring service week"
    assert "for 49 euros." in found.text.replace("\u00a0", " ")
    assert "- Bring the key of your battery" in found.text
    assert "Workshop Kastanienallee 12, Leipzig" in found.text
    for gone in ("preheader", "color", "https", "unsubscribe", "receiving"):
        assert gone not in found.text.lower()


def test_what_outlook_puts_under_an_answer_goes() -> None:
    found = mail("03")
    assert found.participants == ("Folake Adeyemi", "Paolo Rossi")
    assert found.text.endswith("the current lease of the Leeds warehouse ends on 30 April.")
    assert "deposit of £18,000" in found.text


def test_flowed_lines_are_joined_and_the_device_is_not_named() -> None:
    assert mail("04").text == (
        "Mum is fine, the knee operation went well and she comes home on Saturday. Could you pick her up at St. Mary's"
        " at noon? I have the kids until two."
    )


def test_bytes_are_read_as_what_they_are() -> None:
    found = mail("05")
    assert found.title == "Zählerstand für Februar"
    assert found.participants == ("Jörg Hübner", "Ines Becker")
    assert "Ihr Zählerstand vom 28. Februar beträgt 14.382 kWh." in found.text
    assert "Stadtwerke" not in found.text


def test_a_forwarded_mail_is_what_the_mail_says() -> None:
    text = mail("06").text
    assert text.startswith("See below, we have to pay by Friday.\n\nForwarded from Oakfield Primary, “School trip")
    assert "Year 4 goes to Whitby on 22 May." in text
    assert "Kind regards" not in text


def test_attachments_are_named_and_pictures_in_the_text_are_not() -> None:
    text = mail("07").text
    assert "Seven of 200 sensors drift" in text
    assert text.endswith("Attached: batch17.pdf")
    assert "image001" not in text


def test_german_quotes_and_fields() -> None:
    text = mail("08").text
    assert text.startswith("Liebe Frau Becker,")
    assert text.endswith("Den unterschriebenen Vertrag schicke ich Ihnen morgen per Post.")


def test_answers_between_quotes_stay() -> None:
    assert mail("09").text == (
        "Yes, one gateway, please. The old one was stolen in January.\n\n"
        "My colleague Ruth Abara. Her number is in the order."
    )


def test_what_a_list_and_a_firm_add_goes() -> None:
    found = mail("10")
    assert found.participants == ("Giulia Ferri",)
    assert found.text.startswith("Hello all,")
    assert found.text.endswith("Training stays on Tuesday and Thursday at 18:30.\n\nGiulia")


def test_a_mail_of_a_subject_or_a_sign_alone() -> None:
    assert clean("email", "From: Ana <ana@x.example>\nSubject: I am late\n\n").text == "I am late"
    assert clean("email", "From: Ana <ana@x.example>\nSubject: Re: Late\n\n👍\n").text == "👍"


def test_a_mail_within_a_mail() -> None:
    text = mail("11").text
    assert text.startswith("Folake, the surveyor's mail is attached.")
    assert "Forwarded from Ewan Sinclair, “Roof of the Leeds warehouse”:\n\nThe roof leaks" in text


def test_a_body_alone_is_signed_by_somebody() -> None:
    found = mail("12")
    assert found.participants == ("Jonas",)
    assert found.text.startswith("Hi Sam,")
    assert found.text.endswith("Lena wants the garden, not the hall.")
    assert (found.title, found.started_at) == (None, None)


def test_a_mail_as_an_object() -> None:
    fields = {
        "type": "email",
        "from": "Ines Becker <ines@mailbox.example>",
        "to": [{"name": "Jonas Lind", "email": "jonas@mailbox.example"}],
        "subject": "Boiler",
        "date": "2026-03-05T08:00:00Z",
        "body": "<p>The boiler is broken.</p><p>Best,<br>Ines</p>",
    }
    found = clean("email", json.dumps(fields))
    assert (found.text, found.title, found.started_at) == ("The boiler is broken.", "Boiler", at(2026, 3, 5, 8))
    assert found.participants == ("Ines Becker", "Jonas Lind")


QUOTES = {
    "apple": "On Mar 2, 2026, at 10:15 AM, Bob Li <bob@x.example> wrote:\n\n> Old words",
    "wrapped": "On Mon, Mar 2, 2026 at 10:15 AM Bob Li\n<bob@x.example> wrote:\n> Old words\n> more",
    "unmarked": "On Mon, Mar 2, 2026 at 10:15 AM Bob Li <bob@x.example> wrote:\n\nOld words\n\nBob",
    "outlook": "-----Original Message-----\nFrom: Bob Li\nSent: Monday\nSubject: Old words\n\nOld words",
    "rule": "________________________________\nFrom: Bob\nSent: 2 March\nTo: Me\nSubject: X\n\nOld words",
    "bold": "*From:* Bob Li\n*Sent:* 2 March 2026\n*To:* Me\n*Subject:* X\n\nOld words",
    "french": "Le lun. 2 mars 2026 à 10:15, Bob Li <bob@x.example> a écrit :\n> Old words",
    "spanish": "El lun, 2 mar 2026 a las 10:15, Bob Li (<bob@x.example>) escribió:\n> Old words",
    "italian": "Il giorno lun 2 mar 2026 alle ore 10:15 Bob Li <bob@x.example> ha scritto:\n> Old words",
    "dutch": "Op ma 2 mrt 2026 om 10:15 schreef Bob Li <bob@x.example>:\n> Old words",
    "chinese": "在 2026年3月2日星期一，Bob Li <bob@x.example> 写道：\n> Old words",
    "bare": "> Old words\n>> older words",
}


@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES)
def test_quotes_of_the_usual_programs(quote: str) -> None:
    assert clean("email", f"Fresh words, on Tuesday.\n\n{quote}\n").text == "Fresh words, on Tuesday."


GMAIL = (
    "From: Ana Ruiz <ana@x.example>\nSubject: Re: Key\nContent-Type: text/html; charset=utf-8\n\n"
    '<div dir="ltr">The key is with Henrik.</div><br><div class="gmail_quote gmail_quote_container">'
    '<div dir="ltr" class="gmail_attr">On Mon, Mar 2, 2026 at 9:15&#8239;AM Bo Li &lt;<a href="mailto:bo@x.example">'
    'bo@x.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px"><div>Where is the key?'
    "</div></blockquote></div>"
)
APPLE = (
    "From: Ana Ruiz <ana@x.example>\nSubject: Re: Key\nContent-Type: text/html; charset=utf-8\n\n"
    '<html><body>The key is with Henrik.<br><br><div>Ana<br><blockquote type="cite"><div>On 2 Mar 2026, at 09:15, Bo Li'
    " wrote:</div><br><div>Where is the key?</div></blockquote></div></body></html>"
)
OUTLOOK = (
    "From: Ana Ruiz <ana@x.example>\nSubject: Re: Key\nContent-Type: text/html; charset=utf-8\n\n"
    '<html><body><div>The key is with Henrik.</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg">'
    "<b>From:</b> Bo Li &lt;bo@x.example&gt;<br><b>Sent:</b> Monday, March 2, 2026 9:15 AM<br><b>To:</b> Ana Ruiz<br>"
    "<b>Subject:</b> Key</div><div>Where is the key?</div></body></html>"
)


@pytest.mark.parametrize("raw", [GMAIL, APPLE, OUTLOOK])
def test_quotes_in_pages(raw: str) -> None:
    text = clean("email", raw).text
    assert text.removesuffix("Ana").strip() == "The key is with Henrik."


SIGNATURES = (
    "-- \nSarah Chen\nAcme",
    "--\nSarah Chen | Acme | +1 555 0100",
    "Best regards,\nSarah Chen\nHead of Finance\nAcme Inc.\nwww.acme.example",
    "Thanks!\nSarah",
    "Sent from my iPhone",
    "Sent from my Galaxy\n",
    "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Von meinem iPhone gesendet",
    "Mit freundlichen Grüßen\n\nSarah Chen",
    "Cordialement,\nSarah",
    "Cheers,\nS.\n\nThis email and any attachments are confidential and intended solely for the addressee.",
)


@pytest.mark.parametrize("signature", SIGNATURES)
def test_signatures(signature: str) -> None:
    assert clean("email", f"The contract is signed.\n\nI call you on Monday.\n\n{signature}").text == (
        "The contract is signed.\n\nI call you on Monday."
    )


KEPT = (
    "Best regards to your mother, she was so kind.\n\nWe will visit her in May.",
    "From: the beginning I said that it is wrong.",
    "On Monday Bob wrote: a long letter, and I answered it.",
    "The list:\n\n- apples\n- pears\n\n--\n\nAnd then we went home. It was late. Nobody slept. The end.",
    "Thanks,\nbut I do not need the lamp any more. I bought one in Porto. It is green. It cost 30 euros.",
    "5 > 3 and that is all.",
)


@pytest.mark.parametrize("text", KEPT)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert clean("email", text).text == text


def test_a_mail_of_quotes_alone_keeps_them() -> None:
    assert clean("email", "> The van is booked.\n> 180 euros.").text == "The van is booked.\n180 euros."


@pytest.mark.parametrize(
    ("display", "address", "expected"),
    [
        ("Chen, Sarah", "s@x.example", "Sarah Chen"),
        ("'sarah.chen@x.example'", "sarah.chen@x.example", "Sarah Chen"),
        ("", "sarah_chen@x.example", "Sarah Chen"),
        ("", "schen7@x.example", "schen7"),
        ("", "noreply@x.example", ""),
        ("GitHub", "noreply@github.example", ""),
        ("Sarah Chen (Acme)", "s@x.example", "Sarah Chen"),
        ("Sarah Chen via Docs", "drive@x.example", "Sarah Chen"),
    ],
)
def test_names_of_people(display: str, address: str, expected: str) -> None:
    assert name(display, address) == expected


def test_people_are_named_once() -> None:
    assert people("Ana Ruiz <a@x.example>, ana.ruiz@x.example", "b.c@x.example") == ("Ana Ruiz", "B C")


@pytest.mark.parametrize(
    ("data", "label", "expected"),
    [
        ("Grüße".encode(), "iso-8859-1", "Grüße"),
        ("Grüße".encode("latin-1"), "utf-8", "Grüße"),
        ("Grüße".encode("cp1252"), None, "Grüße"),
        ("“quoted”".encode("cp1252"), "us-ascii", "“quoted”"),
        ("こんにちは".encode("iso-2022-jp"), "iso-2022-jp", "こんにちは"),
        ("你好".encode("gb18030"), "gb2312", "你好"),
        ("Привет".encode("koi8-r"), "koi8-r", "Привет"),
        ("hello".encode("utf-16"), None, "hello"),
        (b"hello", "no-such-charset", "hello"),
        (b"hello", "base64", "hello"),
    ],
)
def test_charsets_that_lie(data: bytes, label: str | None, expected: str) -> None:
    assert decoded(data, label) == expected


def test_binaries_are_told_from_text() -> None:
    assert is_binary(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    assert not is_binary("Grüße, 你好, \t\n".encode())
    assert not is_binary("hello".encode("utf-16"))
    assert not is_binary(b"")


def test_pages_as_text() -> None:
    page = "<p>a&amp;b<br>c<br><br>d</p><blockquote>old<blockquote>older</blockquote></blockquote><pre>x\n  y</pre>"
    assert text_of(page) == "a&b\nc\n\nd\n\n> old\n>\n> > older\n>\nx\n  y"
    assert text_of("<script>alert(1)</script><p hidden>no</p><p>yes") == "yes"
    assert text_of("<head><title>T</title><body>never closed the head") == "never closed the head"
    assert text_of("<![bad <p>words</p>").endswith("words")


# Slack


def slack(channel: str, *days: str) -> str:
    folder = DATA / "slack" / "larkspur"
    messages = [each for day in days for each in json.loads((folder / channel / f"{day}.json").read_text("utf-8"))]
    return json.dumps(
        {"channel": channel, "messages": messages, "users": json.loads((folder / "users.json").read_text("utf-8"))}
    )


def test_slack_messages_with_names_and_without_joins_and_bots() -> None:
    found = clean("slack-thread", slack("general", "2026-03-02"))
    assert found.text == (
        "Marta Oliveira: Welcome Leila Haddad! Leila runs the lab in Braga from today on.\n"
        "Leila Haddad: Thanks! My desk is next to Kenji Nakamura, and I am in Porto every Wednesday."
    )
    assert found.title == "#general"
    assert found.participants == ("Marta Oliveira", "Leila Haddad")
    assert found.started_at == at(2026, 3, 2, 8, 10) + timedelta(microseconds=200)
    assert found.ended_at == at(2026, 3, 2, 8, 15) + timedelta(microseconds=300)


def test_answers_stand_in_their_thread() -> None:
    found = clean("slack-thread", slack("apollo", "2026-03-04", "2026-03-03"))
    assert [(line.speaker, line.text.split(".")[0]) for line in found.lines] == [
        ("Kenji Nakamura", "Batch 17 drifts by more than 3 %"),
        ("Leila Haddad", "I would stop it until Braga has checked the soldering"),
        ("Kenji Nakamura", "Stopped"),
        ("Marta Oliveira", "Done, he is fine with 20 March"),
        ("Marta Oliveira", "Unrelated: the new labels arrive tomorrow"),
        ("Marta Oliveira", "Labels are here, two boxes in #general's kitchen"),
    ]
    assert "See the report & the plots." in found.text
    assert "@here Marta Oliveira please tell Tom Fenwick" in found.text
    assert "(shared labels.jpg)" in found.text


def test_a_thread_as_an_object_with_users() -> None:
    found = clean("slack-thread", (DATA / "slack" / "thread.json").read_text("utf-8"))
    assert found.title == "#house: The boiler is broken again. Who calls Mr Petrov?"
    assert [line.speaker for line in found.lines] == ["Ines Becker", "Jonas Lind", "Jonas Lind"]
    assert found.lines[1].text == "Ines Becker, I called him, he comes on Thursday at nine."


def test_a_channel_of_bots_keeps_their_words() -> None:
    bots = [
        {"subtype": "bot_message", "bot_id": "B1", "username": "Alerts", "text": "Disk is full", "ts": "1772438400"}
    ]
    assert clean("slack-thread", json.dumps(bots)).text == "Alerts: Disk is full"


def test_slack_as_pasted_text() -> None:
    found = clean("slack-thread", "Marta: are we done?\nKenji: yes\nMarta: good")
    assert [line.speaker for line in found.lines] == ["Marta", "Kenji", "Marta"]


# Speech


def spoken(file: str, source_type: str) -> Cleaned:
    return clean(source_type, (DATA / "transcripts" / file).read_text("utf-8"))


def test_captions_with_voices() -> None:
    found = spoken("planning.vtt", "meeting")
    assert found.title == "Planning of the Apollo launch"
    assert found.text == (
        "Leila Haddad: Good morning everybody. So, we have two points today. The launch date and the certificate.\n"
        "Kenji Nakamura: I think we can launch on the 14th of April. Research & legal have no objections,"
        " and TÜV signed the certificate.\n"
        "Marta Oliveira: That that would be a first. Then I order the packaging, for 500 units this week.\n"
        "Leila Haddad: Agreed."
    )
    assert found.participants == ("Leila Haddad", "Kenji Nakamura", "Marta Oliveira")


def test_captions_without_voices() -> None:
    found = spoken("memo.srt", "voice-memo")
    assert found.text == (
        "Note to self, about the flat. I have to measure the kitchen before Thursday, because the carpenter, Mr Nowak,"
        " needs the numbers.\nAnd buy a lamp for Lena."
    )
    assert found.participants == ()


def test_lines_with_times_and_speakers_under_a_head() -> None:
    found = spoken("standup.txt", "meeting")
    assert found.title == "Weekly meeting of the rowing club"
    assert found.participants == ("Giulia Ferri", "Henrik Madsen", "Anna Kowalska")
    assert found.started_at == at(2026, 3, 10, 18)
    assert found.ended_at == at(2026, 3, 10, 18, 1, 40)
    assert found.lines[1].text == "It is booked, from the 8th to the 10th of May. We pay 180 euros."
    assert found.lines[1].at == at(2026, 3, 10, 18, 0, 11)
    assert found.lines[-1].text.endswith("Action items:\n- Giulia orders the jacket")


def test_rolling_captions_say_things_once() -> None:
    rolling = (
        "WEBVTT\n\n00:01.000 --> 00:03.000\nthe boiler is\n\n00:03.000 --> 00:05.000\nthe boiler is\nbroken again\n\n"
        "00:05.000 --> 00:07.000\nbroken again\nand cold\n"
    )
    assert clean("voice-memo", rolling).text == "the boiler is broken again and cold"


@pytest.mark.parametrize(
    "talk",
    [
        "Ana: are we done?\nBo: nearly\nAna: good",
        "[00:01] Ana: are we done?\n[00:05] Bo: nearly\n[00:09] Ana: good",
        "00:00:01 Ana: are we done?\n00:00:05 Bo: nearly\n00:00:09 Ana: good",
        "Ana  0:01\nare we done?\n\nBo  0:05\nnearly\n\nAna  0:09\ngood",
        "Ana [00:01]: are we done?\nBo [00:05]: nearly\nAna [00:09]: good",
        "**Ana:** are we done?\n\n**Bo:** nearly\n\n**Ana:** good",
        "[02/03/2026, 10:15:22] Ana: are we done?\n[02/03/2026, 10:16:00] Bo: nearly\n[02/03/2026, 10:17:01] Ana: good",
        "ana: are we done?\nbo: nearly\nana: good\nbo: bye",
    ],
)
def test_ways_to_write_who_speaks(talk: str) -> None:
    found = clean("meeting", talk)
    assert [(line.speaker or "").lower() for line in found.lines][:3] == ["ana", "bo", "ana"]
    assert [line.text for line in found.lines][:3] == ["are we done?", "nearly", "good"]


def test_notes_of_a_meeting_are_no_transcript() -> None:
    notes = "# Planning\n\nDecision: we launch in April.\nTodo: call TÜV.\nThe rest stays as it is."
    found = clean("meeting", notes)
    assert found.text == notes
    assert found.lines == ()


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("Um, uh, so we ship.", "So we ship."),
        ("We ship um on Friday.", "We ship on Friday."),
        ("We should, you know, ship.", "We should ship."),
        ("You know, it is late.", "It is late."),
        ("It's cold, I mean, freezing.", "It's cold, freezing."),
        ("I I think the the plan works.", "I think the plan works."),
        ("W-we can.", "We can."),
        ("[Music] Welcome back.", "Welcome back."),
        ("Wir treffen uns, ähm, um zehn, und er kommt nicht.", "Wir treffen uns, um zehn, und er kommt nicht."),
    ],
)
def test_fillers_go(said: str, written: str) -> None:
    assert without_fillers(said) == written


@pytest.mark.parametrize(
    "said",
    [
        "Do you know the plan?",
        "You know what I mean.",
        "He is in the ER now.",
        "The gap is 5 mm wide.",
        "I like it, and she would like that too.",
        "That that is true, he had had enough.",
        "Re-read the t-test.",
        "Very, very good. No, no.",
        "Sort of people that I like.",
        "Hmm.",
    ],
)
def test_what_only_sounds_like_fillers_stays(said: str) -> None:
    assert without_fillers(said) == said


def test_a_talk_as_json_lines() -> None:
    lines = [
        {"role": "user", "content": "Where is the key?", "at": "2026-03-01T10:00:00+01:00"},
        {"role": "assistant", "content": [{"type": "text", "text": "With Henrik."}], "at": "2026-03-01T10:00:05+01:00"},
    ]
    found = clean("conversation", "\n".join(map(json.dumps, lines)))
    assert found.text == "user: Where is the key?\nassistant: With Henrik."
    assert (found.started_at, found.ended_at) == (at(2026, 3, 1, 9), at(2026, 3, 1, 9, 0, 5))
    wrapped = {"type": "conversation", "content": "\n".join(map(json.dumps, lines))}
    assert clean("conversation", json.dumps(wrapped)).lines == found.lines


# Notes


def test_markdown() -> None:
    found = clean("text-note", (DATA / "notes" / "garden.md").read_text("utf-8"))
    assert found.title == "Plan for the garden"
    assert found.participants == ("Ines Becker", "Jonas Lind")
    assert found.started_at == at(2026, 2, 21, 12)
    assert found.text.startswith(
        "# Garden 2026\n\nWe want less lawn and more food. The soil was tested by Soil Lab Leipzig."
    )
    assert "- [x] order compost (600 litres)\n- tomatoes behind the shed, see the seed list" in found.text
    assert "beds = 2  # **not** bold" in found.text
    for gone in ("draft", "https", "tags:", "]("):
        assert gone not in found.text


def test_front_matter_that_is_none_stays() -> None:
    assert clean("text-note", "---\n: [broken\n---\n# Head\n\nWords").text.endswith("# Head\n\nWords")
    assert clean("text-note", "---\nonly: front\n---\n").text == "---\nonly: front\n---"


def test_text_is_left_alone() -> None:
    found = clean("text-note", (DATA / "notes" / "doctor.txt").read_bytes().decode())
    assert found.title == "Call with the doctor"
    assert found.text == (
        "Call with the doctor\n\nDr. Amara Osei says the blood values are fine. Iron is a little low,\n"
        "so I take 20 mg a day until June.\n\nNext appointment: 9 June, 8:30."
    )


def test_other_scripts_are_left_alone() -> None:
    raw = (DATA / "notes" / "经验.txt").read_text("utf-8")
    assert clean("text-note", raw).text == raw.strip()


def test_a_note_with_colons_is_no_talk() -> None:
    note = "Mum: call back\nDoctor: Tuesday\nMum: bring cake"
    assert clean("text-note", note).text == note
    assert clean("text-note", note).lines == ()


@pytest.mark.parametrize(
    "note",
    [
        "Date: 2026-03-02\n\nWe met at the lake.",
        "To: do\nSubject: garden\n\nBuy seeds.",
        "9:00 Museum: the Louvre\n11:00 Lunch: at Marie's\n14:00 Train: platform 3",
        "09:00 - 10:00 Standup: room 4\n10:00 - 12:00 Review: room 5",
    ],
)
def test_notes_that_begin_like_something_else(note: str) -> None:
    assert clean("text-note", note).text == note
    assert plain_type(note) == "text-note"


@pytest.mark.parametrize("source_type", ["text-note", "artifact", "something else"])
def test_other_types_are_read_as_what_they_plainly_are(source_type: str) -> None:
    captions = (DATA / "transcripts" / "planning.vtt").read_text("utf-8")
    assert clean(source_type, captions).participants == ("Leila Haddad", "Kenji Nakamura", "Marta Oliveira")
    letter = (DATA / "mail" / "01-plain-reply.eml").read_text("utf-8")
    assert clean(source_type, letter).title == "Re: Delivery of the greenhouse sensors"
    assert clean(source_type, "<!DOCTYPE html><title>Rain</title><p>It <b>rains</b>.</p>").text == "It rains."


def test_lines_that_had_no_room_are_joined() -> None:
    narrow = "The budget for the third quarter is now forty-five thousand\neuros, which we agreed on.\nSarah"
    assert unwrapped(narrow) == narrow.replace("thousand\neuros", "thousand euros")
    poem = "Roses are red\nviolets are blue"
    assert unwrapped(poem) == poem


# Never

HOSTILE = (
    "From: =?utf-8?b?////?=\nSubject: =?x-unknown?q?=E4?=\nContent-Type: multipart/mixed; boundary=\n\n--\n--",
    "Content-Type: multipart/mixed; boundary=a\nFrom: b\n\n"
    + "--a\nContent-Type: multipart/mixed; boundary=a\n\n" * 50,
    "From: a\nDate: Mon, 99 Foo 20260 25:61:99 +9999\nContent-Transfer-Encoding: base64\n\n!!!!",
    'From: a@b\nContent-Type: text/plain; charset="\x00\n\nwords',
    "WEBVTT\n\n00:00:99.999 --> 99:99:99.999\n<v >",
    "1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\n",
    '[{"ts": {}, "text": [], "user": 7}]',
    '{"type": "email", "body": {"a": 1}}',
    '{"messages": [{"ts": "nan", "text": "a", "user": ["x"]}], "users": [1, {"id": 2}]}',
    "---\na: &a [*a]\n---\n<!-- never closed",
    "[" * 100_000,
    "{" * 5_000 + "}" * 5_000,
    "\ud800 lone \udfff surrogates",
    "> " * 5_000,
    "<" * 20_000 + "p",
    "<!--" * 3_000,
)
GRAINS = st.sampled_from(
    [
        *(
            "From: Ana <a@b.example>\n",
            "Subject: x\n",
            "\n",
            "\n\n",
            "> old\n",
            "-- \n",
            "Best regards,\n",
            "Sent from my iPhone",
        ),
        *(
            "On Mon, 2 Mar 2026 Bob wrote:\n",
            "-----Original Message-----\n",
            "Content-Type: multipart/mixed; boundary=b\n",
        ),
        *(
            "--b\n",
            "--b--\n",
            "Content-Transfer-Encoding: base64\n",
            "WEBVTT\n\n",
            "00:01.000 --> 00:02.000\n",
            "<v Ana>",
            "1\n",
        ),
        *(
            "Ana: ",
            "um, ",
            "you know, ",
            "[00:01] ",
            "---\n",
            "title: x\n",
            "<!-- ",
            " -->",
            "[a](b)",
            "```\n",
            "# H\n",
            "<p>",
        ),
        *(
            '[{"ts": "1772438400", "user": "U1", "text": "',
            '"}]',
            "<@U1>",
            "word ",
            "Wort ",
            "\u200b",
            "\x00",
            "。",
            "é",
        ),
    ]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(GRAINS, max_size=25).map("".join), st.sampled_from(HOSTILE))


def seen(text: str) -> bool:
    return any(map(str.isalnum, text))


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(TYPES), TEXTS)
@example("email", HOSTILE[0])
def test_it_never_fails_and_never_loses_every_word(source_type: str, raw: str) -> None:
    found = clean(source_type, raw)
    assert found.text == found.text.strip()
    assert not raw.strip() or found.text or not seen(raw)
    if seen(tidy(raw)):
        assert seen(found.text) or found.title
    for moment in (found.started_at, found.ended_at, *(line.at for line in found.lines)):
        assert moment is None or moment.tzinfo is not None
    assert all(who.strip() for who in found.participants)
    assert "\x00" not in found.text


@pytest.mark.parametrize("raw", HOSTILE)
@pytest.mark.parametrize("source_type", TYPES)
def test_broken_documents(source_type: str, raw: str) -> None:
    assert isinstance(clean(source_type, raw), Cleaned)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "type",
                        "messages",
                        "users",
                        "ts",
                        "text",
                        "user",
                        "body",
                        "content",
                        "files",
                        "attachments",
                        "from",
                        "date",
                        "thread_ts",
                        "channel",
                    ]
                ),
                inner,
                max_size=6,
            )
        ),
        max_leaves=20,
    )
)
@settings(max_examples=300, deadline=None)
def test_any_json_is_read(value: Any) -> None:
    raw = json.dumps(value)
    for source_type in ("slack-thread", "email", "conversation", "text-note"):
        assert isinstance(clean(source_type, raw), Cleaned)


def test_cleaning_twice_changes_little() -> None:
    for path in sorted(DATA.glob("notes/*")):
        once = clean("text-note", path.read_bytes().decode()).text
        assert clean("text-note", once).text == once
