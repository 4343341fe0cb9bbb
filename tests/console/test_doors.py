"""The pages at the edges: coming in, keys, receipts, what went wrong, and what is empty yet."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, expect

from browsing import PHONE, Looking, check_phone, findings, tab_to, without_pointer
from console_world import KEY, Served

pytest_plugins = ["browsing"]
pytestmark = [pytest.mark.embedded, pytest.mark.xdist_group("console")]

EMPTY = (
    *("/", "/memories", "/memories?q=boats", "/graph", "/conversations", "/stories", "/sources", "/reviews"),
    *("/consents", "/merges", "/profile", "/forgotten"),
)
WRONG = {
    "/nowhere": (404, "There is no such page"),
    f"/memories/{uuid4()}": (404, "This is not here"),
    "/memories?kind=ghost": (400, "That cannot be taken"),
    "/mistaken/": (500, "Something broke"),
    "/away/": (503, "A part is not answering"),
}


@pytest.fixture
def phone(browser: Browser, site: Served) -> Iterator[Looking]:
    """Somebody with a phone and a keyboard alone."""
    looking = Looking(browser, site, viewport=PHONE, bypass_csp=True)
    without_pointer(looking.page)
    yield looking
    looking.end()


def confirm(page: Page, asked: str, sure: str) -> None:
    """Press a button that asks back, and say yes."""
    for button in (asked, sure):
        tab_to(page, button)
        page.keyboard.press("Enter")


def test_what_went_wrong_is_told_to_everybody(phone: Looking, axe: str) -> None:
    for path, (status, title) in WRONG.items():
        answer = phone.page.goto(path)
        assert answer is not None
        assert answer.status == status
        expect(phone.page.get_by_role("heading", level=1)).to_have_text(title)
        check_phone(phone.page, axe)
    phone.page.set_viewport_size({"width": 1280, "height": 800})
    assert findings(phone.page, axe) == []
    phone.problems.clear()  # a browser reports answers that are none itself


def test_what_is_empty_says_so_to_everybody(phone: Looking, axe: str) -> None:
    phone.context.set_extra_http_headers({"X-Recollect-User": "nobody"})
    for path in EMPTY:
        page = phone.at(path)
        expect(page.locator(".empty")).to_be_visible()
        check_phone(page, axe)


def test_somebody_comes_in_and_goes_by_keyboard(phone: Looking, axe: str) -> None:
    page = phone.at("/locked/memories")
    check_phone(page, axe)
    page.keyboard.type("rk_bad")  # the field has the focus
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("was not accepted")
    check_phone(page, axe)
    tab_to(page, "key")
    page.keyboard.type(KEY)
    tab_to(page, "Sign in")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    page = phone.at("/locked/keys")
    expect(page.get_by_role("heading", level=1)).to_have_text("This is not for you")
    check_phone(page, axe)
    tab_to(page, "Menu")
    page.keyboard.press("Enter")
    tab_to(page, "Sign out")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Key")).to_be_focused()
    phone.problems.clear()


def test_keys_are_made_and_revoked_by_keyboard(phone: Looking, site: Served, axe: str) -> None:
    check_phone(phone.at("/keys"), axe)
    page = phone.at("/keys")
    tab_to(page, "name")
    page.keyboard.type("laptop")
    tab_to(page, "user_id")
    page.keyboard.type("maya")
    page.keyboard.press("Enter")
    secret = page.locator(".secret").inner_text()
    assert site.do(site.world.rc.admission.check(secret)).name == "laptop"
    check_phone(page, axe)
    phone.at("/keys")
    confirm(page, "Rotate…", "Rotate it")
    expect(page.locator(".secret")).not_to_have_text(secret)
    confirm(page, "Revoke…", "Revoke it")
    expect(page.get_by_role("status")).to_have_text("The key is revoked.")
    check_phone(page, axe)
    [key] = site.do(site.world.rc.keys())
    assert key.revoked_at is not None


def test_something_is_forgotten_with_a_receipt_by_keyboard(phone: Looking, site: Served, axe: str) -> None:
    id = site.do(site.world.me.add("The rowing boat leaks at the stern.")).id
    page = phone.at(f"/forget?form=memory&target={id}")
    tab_to(page, "Show what would go")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("This would go")
    check_phone(page, axe)
    tab_to(page, "Forget it for good")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Receipt")).to_contain_text("nothing of it is left")
    check_phone(page, axe)
    phone.at("/forgotten")
    check_phone(page, axe)
    confirm(phone.at("/forgotten"), "Lift…", "Lift it")
    expect(page.get_by_role("status")).to_contain_text("Lifted")
