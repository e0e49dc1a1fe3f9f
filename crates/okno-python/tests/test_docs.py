"""The examples in docstrings and in the README run."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import okno
from okno import _errors, _index, _results


@pytest.mark.parametrize("module", [okno, _index, _results, _errors])
def test_docstrings(module: object, tmp_path: Path) -> None:
    names = {"okno": okno, "folder": tmp_path}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testmod(module, extraglobs=names, optionflags=flags)  # type: ignore[arg-type]
    assert result.failed == 0


def test_the_quick_start_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.startswith("tea 0 ")
