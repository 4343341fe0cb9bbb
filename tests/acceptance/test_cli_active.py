"""The commands of active memory, on a real database with the fake embedder."""

JWT = "The auth service uses JWT access tokens. Access tokens expire after 15 minutes."
OTHER = "The auth service uses JWT access tokens. Access tokens expire after 60 minutes."
WHO = ("--agent", "coder", "--user", "alice")


def test_from_a_section_to_long_term_memory(run, answer, tmp_path):
    template = tmp_path / "t.yaml"
    template.write_text("template: {id: t, name: T}\nsections:\n  - {id: notes, name: Notes}\n")
    made = answer("active", "create", "Auth", "--template", str(template), *WHO)
    assert made["sections"]["notes"]["update_count"] == 0
    answer("active", "update", made["id"], "notes", "-", *WHO, input=JWT)
    assert answer("active", "show", made["id"], *WHO)["sections"]["notes"]["update_count"] == 1
    [landed] = answer("migrate", *WHO)
    assert landed["outcome"] == "new"
    answer("active", "update", made["id"], "notes", OTHER, *WHO)
    assert "review" in run("migrate", *WHO).stdout
    [review] = answer("reviews", *WHO)
    shown = run("reviews", *WHO).stdout
    assert "15 minutes" in shown
    assert "60 minutes" in shown
    assert answer("resolve", review["id"], "keep_new", *WHO)["status"] == "keep_new"
    assert answer("reviews", *WHO) == []
    assert [each["status"] for each in answer("reviews", "--status", "all", *WHO)] == ["keep_new"]
    assert answer("promote", landed["source_id"], *WHO)["kind"] == "source"
    [version] = answer("chunks", landed["source_id"], *WHO)
    assert version["content"] == OTHER
    assert OTHER in run("chunks", landed["source_id"], *WHO).stdout
    assert [each["id"] for each in answer("active", "list", *WHO)] == [made["id"]]
    assert [each["content"] for each in answer("active", "history", made["id"], *WHO)][-2:] == [JWT, OTHER]
    assert JWT in run("active", "history", made["id"], *WHO).stdout
    assert answer("active", "end", made["id"], *WHO)["status"] == "ended"
    assert answer("active", "list", *WHO) == []
    assert "ended" in run("active", "list", "--ended", *WHO).stdout


def test_sections_on_the_command_line_and_built_in_templates(run, answer):
    made = answer("active", "create", "Free", "--section", "a=one", "--section", "b=two=2", *WHO)
    assert {name: section["content"] for name, section in made["sections"].items()} == {"a": "one", "b": "two=2"}
    assert "two=2" in run("active", "show", made["id"], *WHO).stdout
    empty = answer("active", "create", "Free", "--section", "a=", "--section", "b=first words", *WHO)
    shown = run("active", "show", empty["id"], *WHO).stdout
    assert "a  empty" in shown
    assert "b  migrates when the task ends" in shown
    assert "b  migrated" in run("active", "end", empty["id"], *WHO).stdout
    planned = answer("active", "create", "Plan", "--template", "planning", *WHO)
    assert "risks" in planned["sections"]
    assert "coding_agent" in run("active", "templates").stdout
    assert set(answer("active", "templates")) == {"coding_agent", "planning", "research", "support"}


def test_mistakes_are_told(run, tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text("template: {id: t, name: T}\nsections:\n  - {id: a, name: A}\n  - {id: a, name: B}\n")
    told = run("active", "create", "x", "--template", str(broken), *WHO, ok=2).stderr
    assert "line 4" in told
    missing = run("active", "create", "x", "--template", str(tmp_path / "none.yaml"), *WHO, ok=2).stderr
    assert "there is no file" in missing
    assert "coding_agent" in missing
    assert "cannot be read" in run("active", "create", "x", "--template", str(tmp_path), *WHO, ok=2).stderr
    assert "NAME=TEXT" in run("active", "create", "x", "--section", "a", *WHO, ok=2).stderr
    assert "Nothing is being worked on." in run("active", "list", *WHO).stdout
    assert "Nothing to migrate." in run("migrate", *WHO).stdout
    assert "Nothing to decide." in run("reviews", *WHO).stdout
