"""Names of people as mail programs write them."""

import re
from email.utils import getaddresses
from functools import lru_cache

_NOBODY = re.compile(
    r"(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|mailer-daemon|postmaster|bounces?|undisclosed|info|team|support|sales|office"
    r"|contact|hello|admin|all|everyone|billing|news|newsletter|notifications?|alerts?|service|help|jobs|press)\b",
    re.IGNORECASE,
)
_BACKWARDS = re.compile(r"([^\W\d_][\w'’-]*(?: [\w'’-]+)?), ([^\W\d_][\w'’.-]*(?: [\w'’.-]+)?)")
_VIA = re.compile(r"\s+(?:via|über|durch)\s+.+$", re.IGNORECASE)
_MAIL = re.compile(r"[^\s@<>,;:\"]+@[^\s@<>,;:\"]+")
_LISTS = ("lists.", "list.", "groups.", "googlegroups.")
_LONGEST = 100
_MOST = 200
_LONGEST_LIST = 20_000


def people(*values: str) -> tuple[str, ...]:
    """Everybody whom lines of addresses name, each once."""
    found = (name(display, address) for display, address in getaddresses([each[:_LONGEST_LIST] for each in values]))
    return tuple(dict.fromkeys(each for each in found if each))[:_MOST]


@lru_cache(maxsize=10_000)
def name(display: str, address: str) -> str:
    """A person's name by display name or else by address; empty for a machine without one."""
    shown = _VIA.sub("", " ".join(display.split())).strip(" '\"“”‘’<>")
    if shown and not _MAIL.fullmatch(shown):
        return _forwards(re.sub(r"\s*[(\[][^()\[\]]{0,60}[)\]]$", "", shown) or shown)[:_LONGEST]
    return _of_address(shown or address)


def _forwards(shown: str) -> str:
    """ "Chen, Sarah" as Sarah Chen writes it herself."""
    found = _BACKWARDS.fullmatch(shown)
    return f"{found[2]} {found[1]}" if found else shown


def _of_address(address: str) -> str:
    """ "sarah.chen@example.org" is Sarah Chen; other addresses name somebody by the part before the sign."""
    box, _, host = address.partition("@")
    local = box.partition("+")[0].strip(" '\"<>")
    if not local or _NOBODY.match(local) or host.startswith(_LISTS):
        return ""
    parts = [part for part in re.split(r"[._]", local) if part]
    if len(parts) > 1 and all(part.isalpha() for part in parts):
        return " ".join(part.capitalize() for part in parts)[:_LONGEST]
    return local[:_LONGEST]
