"""Speech: WebVTT, SRT, and lines that begin with a speaker, a time or both."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from html import unescape

from recollect.sources.cleaning import plain
from recollect.sources.cleaning.fillers import cleaner
from recollect.sources.cleaning.model import Cleaned, Said, speakers, spoken
from recollect.sources.cleaning.moments import moment
from recollect.sources.cleaning.phrases import words

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?"
_TIMING = re.compile(rf"\s*({_TIME})\s*-->\s*({_TIME})(?:\s.*)?$")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]{1,200})>")
_TAG = re.compile(r"</?[a-z0-9][^<>]{0,200}>", re.IGNORECASE)
_POSITION = re.compile(r"\{\\an?\d\}")
_CHEVRON = re.compile(r"^\s*(?:>>+|&gt;&gt;)\s*")
_STAMP = rf"(?:[\[(]?(?:[\d./-]{{6,10}},?\s+)?{_TIME}\s?(?:[ap]\.?m\.?)?(?:\s*-\s*{_TIME})?[\])]?\s*(?:[-–|]\s*)?)"
_WHO = r"(?P<who>[^\W\d_][^:：\n\[\]<>{}|/\\\"“”?!;]{0,48}?)"
_LABELLED = re.compile(
    rf"\s*(?:[-*•]\s+)?(?P<stamp>{_STAMP})?\*{{0,2}}{_WHO}\*{{0,2}}\s*(?P<late>{_STAMP})?\s*[:：]\*{{0,2}}"
    r"(?:\s+(?P<said>.*)|$)",
    re.IGNORECASE,
)
_HEADED = re.compile(
    rf"\s*\*{{0,2}}{_WHO}\*{{0,2}}(?:\s{{2,}}|\t|\s*[|–-]\s*|\s+(?=[\[(]))(?P<stamp>{_STAMP})\s*$", re.IGNORECASE
)
_NOT_SPEAKERS = words(
    "note notes todo to-do action actions action-items agenda decision decisions date time title subject topic topics"
    " attendees participants present location place summary next-steps follow-up follow-ups ps p.s re fwd http https"
    " warning error info debug example question answer goal goals risk risks update updates status owner deadline due"
    " meeting important reminder meeting-id transcript duration recorded source chapter part item items options pros"
    " cons total datum teilnehmer thema aufgabe aufgaben beschluss ort fecha asistentes objet sujet"
)
_TITLE_FIELDS = ("title", "meeting", "subject", "topic", "thema", "titel", "objet", "sujet", "asunto")
_DATE_FIELDS = ("date", "datum", "fecha", "recorded", "started", "start")
_PEOPLE_FIELDS = ("attendees", "participants", "present", "speakers", "teilnehmer", "participantes", "asistentes")
_FIELD = re.compile(r"\s*[*_#-]{0,3}\s*([^\W\d_]{3,14})\*{0,2}\s*:\*{0,2}\s+(\S.*)$")
_PAUSE = 3.0
_PARAGRAPH = 600


@dataclass(frozen=True, slots=True)
class _Cue:
    """A stretch of speech with the seconds at which it begins and ends."""

    text: str
    speaker: str | None = None
    begins: float | None = None
    ends: float | None = None


@dataclass(frozen=True, slots=True)
class _Head:
    """What stands above a transcript."""

    title: str | None = None
    date: datetime | None = None
    people: tuple[str, ...] = ()


def is_captions(raw: str) -> bool:
    """Whether a text is WebVTT or SRT."""
    lines = [line for line in plain.tidy(raw[:20_000]).split("\n") if line.strip()][:60]
    if lines and lines[0].startswith("WEBVTT"):
        return True
    at = next((place for place, line in enumerate(lines) if _TIMING.match(line)), None)
    return at is not None and (at == 0 or (at == 1 and lines[0].strip().isdigit()))


def is_silent(raw: str) -> bool:
    """Whether a text is captions in which nobody says a word."""
    return is_captions(raw) and clean(raw) is None


def is_spoken(raw: str) -> bool:
    """Whether a text is plainly a talk: many lines with a time and a speaker, who speaks again."""
    lines = [line for line in plain.tidy(raw[:50_000]).split("\n") if line.strip()]
    found = [match for line in lines if (match := _match(line))]
    stamped = [match for match in found if match["stamp"] or match.groupdict().get("late")]
    again = len({match["who"] for match in stamped}) < len(stamped)
    bracketed = all("[" in match[0] for match in stamped)  # and not as a timetable has it
    return len(stamped) >= 2 and len(stamped) * 3 >= len(lines) and (again or bracketed)


def clean(raw: str, *, speech: bool = True) -> Cleaned | None:
    """A transcript without times, cue numbers and fillers; None where the text is none."""
    text = plain.tidy(raw)
    head, cues = (_Head(_caption_title(text)), _captions(text)) if is_captions(text) else _labelled(text)
    if not cues:
        return None
    merged = _merged(cues, cleaner(text) if speech else str.strip)
    lines = tuple(
        Said(cue.text, cue.speaker, _after(head.date, cue.begins)) for cue in merged if any(map(str.isalnum, cue.text))
    )
    if not lines:
        return None
    ends = max((cue.ends or cue.begins or 0.0 for cue in cues), default=0.0)
    return Cleaned(
        text=spoken(lines),
        title=head.title,
        participants=tuple(dict.fromkeys([*speakers(lines), *head.people])),
        started_at=head.date,
        ended_at=_after(head.date, ends) if ends else None,
        lines=lines,
    )


def _after(start: datetime | None, seconds: float | None) -> datetime | None:
    return None if start is None or seconds is None or seconds > 1e6 else start + timedelta(seconds=seconds)


def _seconds(time: str | None) -> float | None:
    found = re.search(_TIME, time or "")
    if found is None:
        return None
    parts = [float(part) for part in found[0].replace(",", ".").split(":")]
    return sum(part * 60.0**place for place, part in enumerate(reversed(parts)))


# Captions


def _caption_title(text: str) -> str | None:
    """What WebVTT says beside its own name."""
    found = re.match(r"WEBVTT[ \t]+[-–—:]?[ \t]*(\S.{0,200})", text)
    return found[1].strip() if found else None


def _captions(text: str) -> list[_Cue]:
    """The cues of WebVTT or SRT."""
    found: list[_Cue] = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        at = next((place for place, line in enumerate(lines) if _TIMING.match(line)), None)
        if at is None:
            continue
        timing = _TIMING.match(lines[at])
        assert timing is not None
        found += _cue(lines[at + 1 :], _seconds(timing[1]), _seconds(timing[2]))
    return [_labelled_cue(cue) for cue in _rolled(found)]


def _cue(lines: Sequence[str], begins: float | None, ends: float | None) -> Iterator[_Cue]:
    """What is said in a cue, voice by voice."""
    text = "\n".join(_CHEVRON.sub("", line) for line in lines if not re.fullmatch(r"\s*\d+\s*", line) or len(lines) > 1)
    pieces = _VOICE.split(text)
    voices = [None, *pieces[1::2]]
    for speaker, said in zip(voices, pieces[0::2], strict=True):
        bare = unescape(_TAG.sub("", _POSITION.sub("", said))).strip()
        if bare:
            yield _Cue(bare, " ".join(unescape(speaker).split()) or None if speaker else None, begins, ends)


def _rolled(cues: Sequence[_Cue]) -> Iterator[_Cue]:
    """Without lines that a cue shows again from the one before, as captions that roll up do."""
    before: list[str] = []
    for cue in cues:
        lines = [line.strip() for line in cue.text.split("\n") if line.strip()]
        fresh = lines[1:] if before and len(lines) > 1 and lines[0] == before[-1] else lines
        if fresh and not (fresh == before[-1:] and cue.speaker is None and len(before) > 1):
            yield replace(cue, text=" ".join(fresh))
        before = lines


def _labelled_cue(cue: _Cue) -> _Cue:
    """A cue that names its speaker in the text: "Sarah Chen: Good morning." """
    match = _LABELLED.match(cue.text) if cue.speaker is None else None
    if match is None or not match["said"] or not _may_speak(match["who"]) or not match["who"][0].isupper():
        return cue
    return replace(cue, text=match["said"], speaker=_tidy_name(match["who"]))


# Labelled lines


def _labelled(text: str) -> tuple[_Head, list[_Cue]]:
    """Lines with their speakers; none where hardly a line names one."""
    lines = [line for line in text.split("\n") if line.strip()]
    matches = [_match(line) for line in lines]
    names = Counter(_tidy_name(match["who"]) for match in matches if match)
    trusted = {name for name, count in names.items() if _is_speaker(name, count, names)}
    labelled = [match if match and _tidy_name(match["who"]) in trusted else None for match in matches]
    first = next((place for place, match in enumerate(labelled) if match), None)
    if first is None or sum(map(bool, labelled)) < 2:
        return _Head(), []
    head = _head(lines[:first])
    return head, list(_turns(lines[first:], labelled[first:]))


def _match(line: str) -> re.Match[str] | None:
    match = _HEADED.match(line) or _LABELLED.match(line)
    return match if match and _may_speak(match["who"]) else None


def _may_speak(name: str) -> bool:
    parts = _tidy_name(name).split()
    return 0 < len(parts) <= 5 and "-".join(parts).lower() not in _NOT_SPEAKERS and parts[0].lower() not in _FUNCTION


_FUNCTION = words("the a an this that these those if when and but or so because here there it we i you they")


def _is_speaker(name: str, count: int, names: Counter[str]) -> bool:
    """Whoever speaks again; whoever speaks once, if written as a name, where others do."""
    return count > 1 or (len(names) > 1 and name[:1].isupper() and len(name.split()) <= 4) or not name.isascii()


def _tidy_name(name: str) -> str:
    """A name without what programs add to it: "Sarah Chen (Guest)"."""
    bare = re.sub(r"\s*\([^()]{0,40}\)", "", name.strip(" *_-–—.,\t"))
    return " ".join(bare.split())


def _turns(lines: Sequence[str], labelled: Sequence[re.Match[str] | None]) -> Iterator[_Cue]:
    """Each label with what is said under it."""
    cue: _Cue | None = None
    for line, match in zip(lines, labelled, strict=True):
        if match is not None:
            if cue is not None:
                yield cue
            groups = match.groupdict()
            time = _seconds(groups.get("stamp") or groups.get("late"))
            cue = _Cue((groups.get("said") or "").strip(), _tidy_name(match["who"]), time, time)
        elif cue is not None:
            said = re.sub(rf"^\s*{_STAMP}\s*", "", line) if _seconds(line[:14]) is not None else line
            cue = replace(cue, text=f"{cue.text}\n{said.strip()}".strip())
    if cue is not None:
        yield cue


def _head(lines: Sequence[str]) -> _Head:
    """The title, date and people that lines above the talk give."""
    fields = {match[1].lower(): match[2].strip() for line in lines if (match := _FIELD.match(line))}
    title = next((fields[name] for name in _TITLE_FIELDS if name in fields), None)
    if title is None and lines and not _FIELD.match(lines[0]) and len(lines[0]) <= 100:
        title = lines[0].strip(" #*_=") or None
    date = next((moment(fields[name]) for name in _DATE_FIELDS if name in fields), None)
    listed = next((fields[name] for name in _PEOPLE_FIELDS if name in fields), "")
    people = (_tidy_name(each) for each in re.split(r"[,;]| and | und ", listed))
    return _Head(title, date, tuple(each for each in people if each)[:100])


# Turns


def _merged(cues: Sequence[_Cue], said: Callable[[str], str]) -> list[_Cue]:
    """Consecutive cues of one speaker as one; where nobody is named, a new paragraph after a pause or a long one."""
    return [replace(group[0], text=said(_together(group)), ends=group[-1].ends) for group in _groups(cues)]


def _together(cues: Iterable[_Cue]) -> str:
    return " ".join(cue.text for cue in cues if cue.text)


def _groups(cues: Sequence[_Cue]) -> list[list[_Cue]]:
    found: list[list[_Cue]] = []
    length = 0
    for cue in cues:
        if found and found[-1][-1].speaker == cue.speaker and not _parts(found[-1][-1], cue, length):
            found[-1].append(cue)
            length += len(cue.text)
        else:
            found.append([cue])
            length = len(cue.text)
    return found


def _parts(before: _Cue, cue: _Cue, length: int) -> bool:
    """Whether a paragraph ends between two cues of which nobody is said to be the speaker."""
    if cue.speaker is not None or not before.text.rstrip().endswith((".", "?", "!", "…", "。")):
        return False
    paused = before.ends is not None and cue.begins is not None and cue.begins - before.ends >= _PAUSE
    return paused or length > _PARAGRAPH
