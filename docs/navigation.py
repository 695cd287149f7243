"""MkDocs' hook that adds the pages of marts to the navigation, in the order of the data dictionary.

Belongs here: pages that are generated. Does not belong here: pages that people write (mkdocs.yml lists those).
"""

import re
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parent / "reference"


def on_config(config: Any) -> Any:
    """The configuration with them, at the end of Reference."""
    for section in config["nav"]:
        section.get("Reference", []).extend(mart_pages())
    return config


def mart_pages() -> list[dict[str, str]]:
    """Title -> page of each."""
    dictionary = (REFERENCE / "data-dictionary.md").read_text(encoding="utf-8")
    names = dict.fromkeys(re.findall(r"\]\((marts-[\w-]+\.md)#", dictionary))
    return [{_title(name): f"reference/{name}"} for name in names]


def _title(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
