"""A seeded console on loopback for a module of tests, and a Chromium that looks at it."""

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


@pytest.fixture(scope="module")
def opened(server: servers.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Clock], Recollect]]:
    """What opens Recollect on a database of the module's own."""
    with server.fresh_database() as url:

        def open(clock: Clock) -> Recollect:
            folder = tmp_path_factory.mktemp("console")
            return Recollect.open(database_url=url, data_dir=folder, clock=clock, worker=False, embedder="fake")

        yield open


@pytest.fixture(scope="module")
def site(opened: Callable[[Clock], Recollect]) -> Iterator[Served]:
    """A console without keys."""
    with served(opened) as started:
        yield started


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a module; without it tests are skipped, but not in CI."""
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
        self.page.goto(path, wait_until="networkidle")
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
