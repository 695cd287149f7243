"""raw.setting: every setting that decides figures, what differs from its default, and versions of texts."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assets.settings import PROJECT, Settings
from assets.sources.setting_record import new_settings
from assets.versions import PLACES


def test_each_setting_has_its_value_and_default(tmp_path: Path) -> None:
    frame = new_settings(Settings(home=tmp_path, min_cell=3, depth_chats=(1, 7))).set_index("name")
    settings = frame[frame["kind"] == "setting"]
    assert len(settings) == len(Settings.model_fields) - len(PLACES) and settings["meaning"].notna().all()
    assert settings[~settings["is_default"].astype(bool)][["value", "default_value"]].to_dict("index") == {
        "SUITABILITY_MIN_CELL": {"value": "3", "default_value": "1"},
        "SUITABILITY_DEPTH_CHATS": {"value": "1,7", "default_value": "1,2,5,10,25,50"},
    }
    assert settings.loc["SUITABILITY_MIN_CHATS", "value"] == "unset"
    assert not any(str(tmp_path) in value for value in frame["value"])


def test_texts_have_the_hash_of_their_bytes() -> None:
    versions = new_settings(Settings()).query("kind == 'version'").set_index("name")["value"]
    policies = (PROJECT / "dbt/seeds/policies.csv").read_bytes()
    assert versions["policies"] == hashlib.sha256(policies).hexdigest()[:12]
    assert set(versions.index) == {"rubrics", "policies", "sql"}
