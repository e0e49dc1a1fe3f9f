"""What every test needs: an index over a few documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import okno

DOCUMENTS = [
    {
        "id": "tea",
        "title": "Tea",
        "text": "# Tea\n\n## Brewing\n\nGreen tea is brewed at 80 °C. Black tea needs boiling water.",
        "metadata": {"kind": "drink", "year": 2024, "tags": ["hot", "leaf"]},
    },
    {"id": "soup", "text": "Leek soup wants patience and butter.", "metadata": {"kind": "food", "year": 2022}},
    {"id": "红烧", "text": "红烧肉要先炒糖色。再加酱油炖一小时。", "metadata": {"kind": "food"}},
]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[okno.Index]:
    with okno.Index.create(tmp_path / "test.okno") as index:
        index.add(DOCUMENTS)
        yield index
