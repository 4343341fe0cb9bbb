"""Where settings come from, and which of two wins."""

from pathlib import Path
from typing import Any

import pytest

from recollect.core.errors import InvalidInput
from recollect.core.settings import Settings, load_settings

_SECRETS = ("database_url", "app_url", "embedder_key", "reranker_key", "model_key", "tombstone_key")


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings of the machine."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"RECOLLECT_{name.upper()}", raising=False)
    monkeypatch.delenv("RECOLLECT_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)


def in_file(text: str) -> None:
    Path("recollect.toml").write_text(text, "utf-8")


class TestOrder:
    def test_a_default(self) -> None:
        assert load_settings().pool_size == 10

    def test_the_file_wins_over_the_default(self) -> None:
        in_file("pool_size = 3")
        assert load_settings().pool_size == 3

    def test_the_environment_wins_over_the_file(self, monkeypatch: pytest.MonkeyPatch) -> None:
        in_file("pool_size = 3")
        monkeypatch.setenv("RECOLLECT_POOL_SIZE", "4")
        assert load_settings().pool_size == 4

    def test_code_wins_over_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        in_file("pool_size = 3")
        monkeypatch.setenv("RECOLLECT_POOL_SIZE", "4")
        assert load_settings(pool_size=5).pool_size == 5

    def test_none_in_code_is_not_given(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("RECOLLECT_POOL_SIZE", "4")
        assert load_settings(pool_size=None).pool_size == 4

    def test_each_source_gives_its_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        in_file("pool_size = 3\nrerank_top = 7")
        monkeypatch.setenv("RECOLLECT_TIMEZONE", "Europe/Lisbon")
        settings = load_settings(decay_rate=0.1)
        assert (settings.pool_size, settings.rerank_top) == (3, 7)
        assert (settings.timezone, settings.decay_rate) == ("Europe/Lisbon", 0.1)

    def test_another_file_can_be_named(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        in_file("pool_size = 3")
        other = tmp_path / "other.toml"
        other.write_text("pool_size = 6", "utf-8")
        monkeypatch.setenv("RECOLLECT_CONFIG", str(other))
        assert load_settings().pool_size == 6

    @pytest.mark.parametrize("name", sorted(Settings.model_fields))
    def test_every_setting_can_come_from_the_environment(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        default = getattr(Settings(), name)
        told = '["turn"]' if isinstance(default, tuple) else "1" if default is not None else "7"
        told = '{"model": [1, 2]}' if isinstance(default, dict) else told
        told = {"timezone": "Asia/Tokyo", "neo4j_url": "bolt://localhost"}.get(name, told)
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", told)
        assert name in load_settings().model_fields_set

    def test_the_data_directory_follows_the_desktop(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
        assert load_settings().data_dir == Path("/somewhere/recollect")


class TestMistakes:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("timezone", "Nonsense/Zone"),
            ("pool_sise", 3),
            ("pool_size", 0),
            ("pool_size", "many"),
            ("decay_rate", -1),
            ("decay_rate", float("nan")),
            ("archive_below", 1.5),
            ("recency_half_life_days", 0),
            ("embedding_timeout", -1),
            ("consolidation_all", "perhaps"),
        ],
    )
    def test_in_code(self, name: str, value: Any) -> None:
        with pytest.raises(InvalidInput) as caught:
            load_settings(**{name: value})
        assert caught.value.field == name

    def test_unknown_in_the_file(self) -> None:
        in_file("no_such_setting = 1")
        with pytest.raises(InvalidInput) as caught:
            load_settings()
        assert caught.value.field == "no_such_setting"

    def test_bad_in_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("RECOLLECT_POOL_SIZE", "many")
        with pytest.raises(InvalidInput) as caught:
            load_settings()
        assert caught.value.field == "pool_size"

    def test_settings_do_not_change(self) -> None:
        with pytest.raises(ValueError, match="frozen"):
            load_settings().pool_size = 3


class TestSecrets:
    @pytest.mark.parametrize("name", _SECRETS)
    def test_are_not_shown(self, name: str) -> None:
        settings = load_settings(**{name: "postgresql://u:hunter2@h/d"})
        assert "hunter2" not in repr(settings)
        assert "hunter2" not in str(settings)
        assert "hunter2" not in str(settings.model_dump())
        assert getattr(settings, name).get_secret_value() == "postgresql://u:hunter2@h/d"

    @pytest.mark.parametrize("name", _SECRETS)
    def test_a_bad_one_is_not_shown_either(self, name: str) -> None:
        with pytest.raises(InvalidInput) as caught:
            load_settings(**{name: ["hunter2"]})
        assert "hunter2" not in str(caught.value)

    def test_all_of_them_are_known(self) -> None:
        keys = {name for name in Settings.model_fields if name.endswith(("_key", "database_url", "app_url"))}
        assert keys == set(_SECRETS)


def test_every_setting_says_what_it_is() -> None:
    silent = [name for name, field in Settings.model_fields.items() if not (field.description or "").endswith(".")]
    assert silent == []
