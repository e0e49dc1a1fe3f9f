"""Questions that count rows: by rule, and by a query that the model writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import okno

CUPS = "kind,size\nmug,3\nmug,4\nglass,2\n"
WRITTEN = "SELECT kind, count(*) AS cups FROM cups GROUP BY kind"


def test_rows_are_counted_by_rule_and_by_the_model(tmp_path: Path) -> None:
    asked: list[list[dict[str, str]]] = []

    def model(messages: list[dict[str, str]]) -> Iterator[str]:
        asked.append(messages)
        yield json.dumps({"sql": WRITTEN})

    (tmp_path / "cups.csv").write_text(CUPS)
    with okno.Index.create(tmp_path / "m.okno", model=model) as index:
        index.index(tmp_path / "cups.csv")
        by_rule = index.search("What is the sum of size?").to_dict()["rows"]
        assert (by_rule["by"], by_rule["rows"]) == ("rule", [[9]])
        assert "rows" not in index.search("How many cups are there of each kind?").to_dict()
        assert not asked, "a search asks no model"
        reply = index.ask("How many cups are there of each kind?")
        rows = reply.to_dict()["rows"]
        assert (rows["by"], rows["sql"], rows["rows"]) == ("model", WRITTEN, [["glass", 1], ["mug", 2]])
        assert "mug" in reply.text and len(asked) == 1
