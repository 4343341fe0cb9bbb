"""Pages from templates: moments in the space's time zone, numbers that can be read, and nothing that is not escaped."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from recollect import __version__
from recollect.console import csrf, drawing
from recollect.console.headers import HEADERS
from recollect.graph.model import name_of


@dataclass(frozen=True, slots=True)
class Telling:
    """How moments are told on a page."""

    zone: str
    now: datetime

    def when(self, moment: datetime | None, form: str = "%d %b %Y, %H:%M") -> Markup | str:
        """A moment with its day and time."""
        if moment is None:
            return "—"
        here = moment.astimezone(ZoneInfo(self.zone))
        shown = here.strftime(form).lstrip("0")
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            here.isoformat(timespec="seconds"), f"{here:%Y-%m-%d %H:%M:%S} {self.zone}", shown
        )

    def day(self, moment: datetime | date | None) -> Markup | str:
        """A moment's day."""
        if moment is None or isinstance(moment, datetime):
            return self.when(moment, "%d %b %Y")
        return moment.strftime("%d %b %Y").lstrip("0")


def short(text: str, most: int = 160) -> str:
    """A text in one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def number(value: float) -> str:
    """A count with its thousands apart, or a small number with two digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def counted(value: int, one: str, many: str | None = None) -> str:
    """How many of what there are."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def words(name: str) -> str:
    """A name of the library as words."""
    return name.replace("_", " ")


def brief(id: UUID | str) -> str:
    """The end of an id, which differs."""
    return str(id)[-8:]


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("recollect.console", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"short": short, "number": number, "counted": counted, "words": words, "brief": brief}
    made.filters |= {"called": name_of}
    made.globals |= {"drawing": drawing, "version": __version__}
    return made


_ENVIRONMENT = _environment()


def render(template: str, request: Request, telling: Telling, code: int = 200, /, **values: Any) -> Response:
    """A page as an answer."""
    root = request.scope.get("root_path", "")
    path = request.url.path.removeprefix(root) or "/"
    known = {
        "at": lambda path: f"{root}{path}",
        "path": path,
        "section": path.split("/")[1],
        "csrf": csrf.token_of(request),
        "when": telling.when,
        "day": telling.day,
        "zone": telling.zone,
        "now": telling.now,
    }
    return HTMLResponse(_ENVIRONMENT.get_template(template).render(known | values), code, HEADERS)
