"""The console in a real browser: a job on each page, and nothing that keeps anybody out."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from browsing import PHONE, Looking, check_phone, findings, focused, press, tab_to, without_pointer
from console_world import Served
from recollect.core.errors import NotFound

pytest_plugins = ["browsing"]
pytestmark = [pytest.mark.embedded, pytest.mark.xdist_group("console")]


def said(page: Page) -> str:
    """What the last act was answered with."""
    return page.get_by_role("status").first.inner_text()


# Jobs --------------------------------------------------------------------------------------------------------


def test_the_overview_says_what_there_is_and_what_waits(look: Looking) -> None:
    page = look.at("/")
    needs = page.get_by_role("region", name="Needs a person")
    expect(needs).to_contain_text("1 review")
    expect(needs).to_contain_text("1 consent")
    expect(needs).to_contain_text("1 failed job")
    expect(page.get_by_role("img", name=re.compile("memories are from the last 30 days"))).to_be_visible()
    page.get_by_role("rowheader", name="statement").get_by_role("link").click()
    expect(page).to_have_url(re.compile("kind=statement"))


def test_the_overview_goes_on_by_itself(look: Looking, site: Served) -> None:
    look.page.clock.install()
    page = look.at("/")
    tile = page.locator(".tiles > div").first
    before = tile.inner_text()
    site.do(site.world.me.add("A wren nests in the greenhouse."))
    page.clock.fast_forward(5_000)
    expect(tile).not_to_have_text(before, use_inner_text=True)


def test_a_search_explains_its_scores(look: Looking) -> None:
    page = look.at("/memories")
    page.get_by_label("Question").fill("spare key under the blue pot")
    page.get_by_role("button", name="Search").click()
    first = page.locator(".hit").first
    expect(first).to_contain_text("The spare key of the greenhouse")
    values = [float(text) for text in first.locator(".why > div:not(.evidence, .score) .v").all_inner_texts()]
    assert sum(values) == pytest.approx(float(first.locator(".score dd").inner_text()), abs=0.05)
    lengths = [float(bar.get_attribute("width") or 0) for bar in first.locator(".why .fill").all()]
    assert max(lengths) == 100


def test_filters_narrow_the_list(look: Looking, site: Served) -> None:
    page = look.at("/memories")
    page.locator(".filters [name=kind]").select_option("statement")
    page.locator(".filters [name=type]").fill("goal")
    page.get_by_role("button", name="Search").click()
    kinds = page.locator(".list .kind").all_inner_texts()
    assert kinds
    assert {" ".join(text.split()) for text in kinds} == {"statement · goal"}
    page.get_by_role("link", name="Clear").click()
    page.locator(".filters [name=state]").select_option("deleted")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".list > li")).to_have_count(1)
    page.get_by_role("button", name="Restore").click()
    assert said(page) == "Restored."
    assert site.do(site.world.me.get(site.world.ids["gone"])).state != "soft_deleted"


def test_a_memory_is_added_edited_pinned_deleted_and_restored(look: Looking, site: Served) -> None:
    page = look.at("/memories#add")
    page.get_by_label("What is to be remembered").fill("The boat is <b>blue</b>.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The boat is <b>blue</b>.")
    id = page.url.split("/")[-1].split("?")[0]
    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("Content").fill("The boat is red.")
    page.get_by_label("Importance").fill("0.9")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The boat is red.")
    history = page.get_by_role("region", name="History")
    expect(history).to_contain_text("changed content, importance")
    page.get_by_role("button", name="Pin").click()
    assert said(page) == "Pinned."
    page.get_by_text("Delete", exact=True).click()
    page.get_by_label("Reason").fill("sold")
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_role("region", name="History")).to_contain_text("sold")
    assert site.do(site.world.me.get(id)).state == "soft_deleted"
    page.get_by_role("button", name="Undo").click()
    memory = site.do(site.world.me.get(id))
    assert (memory.content, memory.pinned, memory.importance) == ("The boat is red.", True, 0.9)
    assert memory.state != "soft_deleted"


def test_a_change_that_lost_shows_both_texts(look: Looking, site: Served) -> None:
    me, id = site.world.me, site.world.ids["Retry failed payments at most three times."]
    page = look.at(f"/memories/{id}#edit")
    site.do(me.update(id, content="Retry failed payments at most five times."))
    page.get_by_label("Content").fill("Retry failed payments twice.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("version")
    expect(page.get_by_text("at most five times")).to_be_visible()
    page.get_by_role("button", name="Save mine over it").click()
    assert site.do(me.get(id)).content == "Retry failed payments twice."
    look.problems.clear()  # a browser reports the 409 itself


def test_notes_and_feedback(look: Looking, site: Served) -> None:
    id = site.world.ids["The roof of the house bears 300 kg per square metre."]
    page = look.at(f"/memories/{id}")
    page.get_by_role("textbox", name="Note").fill("Asked the architect.")
    page.get_by_role("button", name="Note", exact=True).click()
    expect(page.get_by_role("region", name="Notes")).to_contain_text("Asked the architect.")
    page.get_by_role("button", name="Remove").click()
    assert site.do(site.world.me.notes(id)) == []
    page.get_by_role("button", name="Useful").click()
    assert said(page).startswith("Thank you")


def test_a_memory_leads_back_to_the_turn_it_came_from(look: Looking, site: Served) -> None:
    [fact] = [fact for fact in site.do(site.world.me.profile()) if fact.key == "allergy"]
    page = look.at(f"/memories/{fact.memory_ids[0]}")
    raw = page.get_by_role("region", name="Where it was said")
    expect(raw.locator("[aria-current]")).to_contain_text("I am allergic to hazelnuts")
    page.get_by_role("link", name="Open the conversation").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What to cook")
    expect(page.locator(".turn.marked")).to_contain_text("hazelnuts")


def test_forgetting_shows_what_would_go_asks_and_gives_a_receipt(look: Looking, site: Served) -> None:
    id = site.world.ids["secret"]
    without_pointer(look.page)
    page = look.at(f"/memories/{id}")
    press(page, "Forget…")
    press(page, "Show what would go")
    expect(page.get_by_role("region", name="In words")).to_contain_text("under the blue pot")
    assert site.do(site.world.me.get(id)).content
    press(page, "Forget it for good")
    receipt = page.get_by_role("region", name="Receipt")
    expect(receipt).to_contain_text("nothing of it is left")
    with pytest.raises(NotFound):
        site.do(site.world.me.get(id))
    press(page, "All that was forgotten")
    tab_to(page, "Lift…")
    page.keyboard.press("Enter")
    press(page, "Lift it")
    assert said(page).startswith("Lifted")
    assert site.do(site.world.me.tombstones()) == []


def test_a_whole_space_goes_only_by_its_name(look: Looking, site: Served) -> None:
    page = look.at("/forget?form=everything")
    page.get_by_role("button", name="Show what would go").click()
    page.get_by_label("Type user:maya to confirm").fill("user:alice")
    page.get_by_role("button", name="Forget it for good").click()
    expect(page.locator(".problem")).to_contain_text("type user:maya")
    assert site.do(site.world.me.overview()).standing > 20
    look.problems.clear()


def test_the_graph_is_drawn_expanded_and_walked(look: Looking, site: Served) -> None:
    page = look.at("/graph")
    expect(page.get_by_role("button", name="Jonas Berg, person: expand")).to_be_visible()
    page = look.at("/graph?kind=person")
    page.get_by_role("link", name="Jonas Berg").first.click()
    start = page.get_by_role("button", name="Elin Sjöberg, person: expand")
    expect(start).to_be_visible()
    ties = page.locator(".around div").all_inner_texts()
    assert len(ties) == len(set(ties)) > 1
    before = page.locator(".canvas .node").count()
    start.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Haga Market, entity: expand")).to_be_visible()
    assert page.locator(".canvas .node").count() > before
    place = start.get_attribute("transform")
    page.keyboard.press("ArrowRight")
    assert start.get_attribute("transform") != place
    box = start.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.up()
    expect(page.locator(".chosen a")).to_have_text("Open Elin Sjöberg")
    page.get_by_label("The way to").fill("Haga Market")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".route li")).to_have_count(3)


def test_conversations_stories_and_sources_are_read(look: Looking, site: Served) -> None:
    page = look.at("/conversations")
    page.get_by_role("link", name="Launch of Atlas").click()
    expect(page.locator(".turn")).to_have_count(5)
    expect(page.get_by_role("region", name="Narrative arc")).to_contain_text("Beginning")
    chat = site.do(site.world.me.find_conversation(site.world.ids["atlas"]))
    site.do(chat.retract(5))
    page.reload()
    expect(page.locator("#turn-5")).to_contain_text("retracted")
    page.get_by_role("link", name="What came of it").click()
    expect(page.locator(".list")).to_contain_text("launch Atlas on 20 April")
    page = look.at("/stories")
    page.get_by_role("link", name=re.compile("A house that grows")).click()
    page.get_by_role("link", name=re.compile("The greenhouse on the roof")).click()
    told_from = page.get_by_role("region", name="Told from")
    expect(told_from).to_contain_text("Roof survey")
    assert {text.split()[0] for text in told_from.locator(".kind").all_inner_texts()} == {"source"}
    named = page.get_by_role("region", name="Who and what is in it").get_by_role("link").all_inner_texts()
    assert "Jonas Berg" in named
    page = look.at("/sources#add")
    page.get_by_label("Title").fill("Seed list")
    page.get_by_label("Text").fill("Ask Elin Sjöberg for basil seeds.")
    page.get_by_role("button", name="Store").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Seed list")


def test_what_waits_is_decided(look: Looking, site: Served) -> None:
    me = site.world.me
    without_pointer(look.page)
    page = look.at("/reviews")
    press(page, "Keep the new")
    assert said(page) == "Decided."
    assert [review.status for review in site.do(me.reviews(None))] == ["keep_new"]
    page = look.at("/consents")
    press(page, "Accept")
    assert said(page).startswith("Accepted")
    assert ("occupation", "engineer") in {(fact.key, fact.value) for fact in site.do(me.profile())}
    page = look.at("/merges")
    press(page, "They are one")
    assert said(page).startswith("They are one")
    press(page, "Undo")
    assert said(page) == "They are two again."
    page = look.at("/profile")
    page.get_by_label("Key").fill("city")
    page.get_by_label("Value").fill("Malmö")
    press(page, "Keep")
    assert ("city", "Malmö") in {(fact.key, fact.value) for fact in site.do(me.profile())}


def test_jobs_run_and_are_retried(look: Looking, site: Served) -> None:
    page = look.at("/jobs")
    page.get_by_role("button", name="Run decay now").click()
    assert said(page) == "The job ran."
    ran = page.get_by_role("listitem").filter(has_text=re.compile("^decay"))
    expect(ran).to_contain_text("ran 30 Mar 2026")
    page.get_by_role("button", name="Retry").click()
    assert said(page) == "It is tried again."
    assert [job for job in site.do(site.world.rc.jobs()).queue if job.state == "failed"] == []
    look.at("/spend")


def test_another_space_is_chosen(look: Looking, site: Served) -> None:
    site.do(site.world.rc.scope(project_id="orchard").add("The orchard has forty trees."))
    page = look.at("/")
    page.locator(".space summary").click()
    page.get_by_label("Look at").select_option("project:orchard")
    page.get_by_role("button", name="Go").click()
    expect(page.locator(".space summary")).to_contain_text("project:orchard")
    page = look.at("/memories")
    expect(page.locator(".list > li")).to_have_count(1)
    page = look.at(f"/memories/{site.world.ids['Roof survey']}")
    expect(page.get_by_role("heading", level=1)).to_have_text("This is not here")
    look.problems.clear()


def test_an_empty_space_says_what_to_do_first(look: Looking) -> None:
    look.context.set_extra_http_headers({"X-Recollect-User": "nobody"})
    page = look.at("/")
    page.get_by_role("link", name="Add a memory").click()
    expect(page.get_by_label("What is to be remembered")).to_be_visible()


# For everybody -----------------------------------------------------------------------------------------------


def paths(site: Served) -> list[str]:
    ids = site.world.ids
    return [
        *("/", "/memories", "/memories?q=greenhouse", "/graph", "/conversations", "/stories", "/sources", "/reviews"),
        *("/consents", "/merges", "/profile", "/forget", "/forgotten", "/jobs", "/spend"),
        f"/memories/{ids['Maya prefers meetings before noon.']}",
        f"/graph/{ids['Jonas Berg']}",
        f"/conversations/{ids['greenhouse']}",
        f"/stories/{ids['storyline']}",
    ]


def test_nothing_keeps_anybody_out_and_a_phone_shows_all(browser: Browser, site: Served, axe: str) -> None:
    looking = Looking(browser, site, viewport=PHONE, bypass_csp=True)
    for path in paths(site):
        check_phone(looking.at(path), axe)
    looking.end()


def test_a_phone_shows_hits_before_filters_and_names_as_large_as_elsewhere(browser: Browser, site: Served) -> None:
    looking = Looking(browser, site, viewport=PHONE)
    page = looking.at("/memories?q=greenhouse")
    expect(page.locator(".filters")).to_be_hidden()
    page.get_by_text("Filters", exact=True).click()
    page.locator(".filters [name=kind]").select_option("statement")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".filters [name=kind]")).to_have_value("statement")
    page = looking.at(f"/graph/{site.world.ids['Jonas Berg']}")
    expect(page.locator(".canvas .node").first).to_be_visible()
    assert page.locator(".canvas svg").evaluate("(svg) => svg.getScreenCTM().a") == pytest.approx(1)
    looking.end()


def test_a_large_screen_keeps_nobody_out(browser: Browser, site: Served, axe: str) -> None:
    looking = Looking(browser, site, bypass_csp=True)
    for path in ("/", "/memories?q=greenhouse", f"/graph/{site.world.ids['Jonas Berg']}"):
        assert findings(looking.at(path), axe) == []
    looking.end()


def test_everything_is_done_by_keyboard(look: Looking) -> None:
    without_pointer(look.page)
    page = look.at("/")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("/")
    page.keyboard.type("tomatoes for a whole winter")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memories?q=*")
    tab_to(page, "Grow enough tomatoes for a whole winter of sauce.")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memories/*-*")
    tab_to(page, "Edit")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("Grow enough tomatoes for two winters of sauce.")
    press(page, "Save")
    expect(page.get_by_role("heading", level=1)).to_have_text("Grow enough tomatoes for two winters of sauce.")
    tab_to(page, "Delete")
    page.keyboard.press("Enter")
    tab_to(page, "Delete it")
    page.keyboard.press("Enter")
    page.wait_for_url("**done=deleted")
    tab_to(page, "Undo")
    page.keyboard.press("Enter")
    page.wait_for_url("**done=restored")
    page.keyboard.press("g")
    page.keyboard.press("j")
    page.wait_for_url("**/jobs")


def test_it_works_without_scripts(browser: Browser, site: Served) -> None:
    looking = Looking(browser, site, java_script_enabled=False, viewport=PHONE)
    page = looking.at("/")
    page.get_by_role("link", name="Menu", exact=True).click()
    page.get_by_role("navigation").get_by_role("link", name="People and graph").click()
    page.get_by_role("link", name="Jonas Berg").first.click()
    expect(page.get_by_role("region", name="As a list")).to_contain_text("Berg Carpentry")
    page.goto(f"/memories/{site.world.ids['Cedar boards from Haga Market cost 84 kronor a metre.']}")
    page.get_by_role("button", name="Pin").click()
    expect(page.get_by_role("status").first).to_have_text("Pinned.")
    looking.end()
