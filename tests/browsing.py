"""A seeded console on loopback for the tests of a process, and a Chromium that looks at it."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import servers
from console_world import Clock, Served, served
from recollect import Recollect


@pytest.fixture(scope="session")
def opened(server: servers.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Clock], Recollect]]:
    """What opens Recollect on a database of the console's own."""
    with server.fresh_database() as url:

        def open(clock: Clock) -> Recollect:
            folder = tmp_path_factory.mktemp("console")
            return Recollect.open(database_url=url, data_dir=folder, clock=clock, worker=False, embedder="fake")

        yield open


@pytest.fixture(scope="session")
def site(opened: Callable[[Clock], Recollect]) -> Iterator[Served]:
    """A console without keys, and others beside it."""
    with served(opened) as started:
        yield started


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a module, as no loop may run beside it; without it tests are skipped, but not in CI."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        said = "needs Chromium: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(said, pytrace=False)
        pytest.skip(said)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


class Looking:
    """Somebody at a browser: pages, and what went wrong in them."""

    def __init__(self, browser: Browser, site: Served, **context: Any) -> None:
        self.site = site
        self.context = browser.new_context(base_url=site.url, reduced_motion="reduce", **context)
        self.page: Page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def at(self, path: str) -> Page:
        """The page of a path, loaded."""
        self.page.goto(path)
        return self.page

    def end(self) -> None:
        """Close it; nothing may have gone wrong."""
        self.context.close()
        assert self.problems == []


@pytest.fixture
def look(browser: Browser, site: Served) -> Iterator[Looking]:
    """Somebody with a large screen."""
    looking = Looking(browser, site)
    yield looking
    looking.end()


@pytest.fixture(scope="session")
def axe() -> str:
    """The program that looks for what keeps people out."""
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")


def findings(page: Page, axe: str, *rules: str) -> list[str]:
    """What axe finds that is serious or critical, by some of its rules or by all."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    chosen = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    given = {"resultTypes": ["violations"], **chosen}
    found = page.evaluate("async (given) => JSON.stringify((await axe.run(given)).violations)", given)
    return [
        f"{page.url}: {each['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for each in json.loads(found)
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def check_phone(page: Page, axe: str) -> None:
    """Nothing of a page keeps anybody out, in light or in dark, and it is no wider than a phone."""
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], page.url
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert findings(page, axe) == []
    page.emulate_media(color_scheme="dark")
    assert findings(page, axe, "color-contrast") == []
    page.emulate_media(color_scheme="light")


PHONE = {"width": 390, "height": 844}


def without_pointer(page: Page) -> Page:
    """A page that nobody points at: clicks are refused."""
    page.add_init_script(
        "for (const kind of ['pointerdown', 'mousedown'])"
        " addEventListener(kind, () => { throw new Error('pointed'); }, true);"
    )
    return page


def focused(page: Page) -> str:
    """What has the focus, by its words or its name."""
    return str(page.evaluate("document.activeElement.innerText || document.activeElement.name || ''")).strip()


def press(page: Page, wanted: str) -> None:
    """What a click would do, without a pointer; afterwards the next page is there."""
    tab_to(page, wanted)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def tab_to(page: Page, wanted: str) -> None:
    """Go on with Tab until something has the focus; it has to be seen that it has."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if focused(page) == wanted:
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", f"one cannot see that {wanted} has the focus"
            return
    raise AssertionError(f"Tab never came to {wanted}")
