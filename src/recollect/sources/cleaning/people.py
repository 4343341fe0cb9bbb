"""Names of people as mail programs write them."""

import re
from email.utils import getaddresses
from functools import lru_cache

_BOXES = (
    "no[-_.]?reply|do[-_.]?not[-_.]?reply|mailer-daemon|postmaster|hostmaster|webmaster|root|bounces?|undisclosed|info"
    "|team|support|sales|office|contact|hello|admin|all|everyone|staff|billing|news|newsletter|notifications?|alerts?"
    "|service|help|helpdesk|jobs|careers|press|media|legal|hr|finance|accounts?|accounting|payroll|privacy|compliance"
    "|marketing|recruiting|recruitment|talent|it|ops|devops|engineering|dev|security|abuse|system|orders?|invoices?"
    "|payments?|bookings?|reservations|reception|feedback|enquiries|inquiries|customer-?(?:care|service)|care"
    "|community|events|partners|updates|procurement|purchasing|facilities|returns|complaints|board|donations"
    "|admissions|registrar|investors|kontakt|vertrieb|buchhaltung|rechnung|bewerbung|redaktion"
)
_NOBODY = re.compile(rf"(?:{_BOXES})\b", re.IGNORECASE)
"""The part of an address before the sign where many read what comes, or nobody."""
_OF_NOBODY = re.compile(rf"\b(?:{_BOXES})\b", re.IGNORECASE)
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
    if shown and _NOBODY.match(address) and (" " not in shown or _OF_NOBODY.search(shown)):
        return ""
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
