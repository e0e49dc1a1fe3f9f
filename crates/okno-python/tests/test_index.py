"""An index from Python: what goes in, what comes out, what is refused."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import okno


def test_a_context_is_an_exact_span_in_code_points(index: okno.Index) -> None:
    for question in ["酱油炖多久？", "How hot should water for black tea be?"]:
        answer = index.search(question, budget=100)
        best = answer[0]
        text = index.get(best.document).text
        assert text is not None and text[best.start : best.end] == best.text
        assert list(answer)[0] is best and len(answer) == len(answer.contexts)
        assert 0.0 <= best.relevance <= 1.0 and best.tokens <= 100
    tea = index.search("How hot should water for black tea be?")[0]
    assert (tea.document, tea.title, tea.headings) == ("tea", "Tea", ("Tea", "Brewing"))
    assert tea.metadata["year"] == 2024 and tea.page is None


def test_results_are_dicts_and_json(index: okno.Index) -> None:
    answer = index.search("butter", explain=True)
    assert json.loads(answer.to_json()) == answer.to_dict()
    assert answer.to_dict()["contexts"][0]["doc_id"] == answer[0].document == "soup"
    assert answer.to_dict()["contexts"][0]["hits"][0]["trace"], "explained"
    assert answer[0].to_dict()["text"] == answer[0].text


def test_filters_and_options(index: okno.Index) -> None:
    names = {c.document for c in index.search("hot", filter="kind = food", budget=500)}
    assert names and "tea" not in names
    assert {c.document for c in index.search("hot", filter={"year": {">=": 2024}})} == {"tea"}
    assert index.search("black tea", window=0, k=1)[0].text == "Black tea needs boiling water."


def test_upsert_and_delete(index: okno.Index) -> None:
    assert len(index) == 3
    report = index.add([{"id": "soup", "text": "Leek soup wants cream."}, {"id": "tea2", "text": "White tea."}])
    assert (report.added, report.changed) == (1, 1)
    assert index.search("soup cream")[0].text == "Leek soup wants cream."
    skipped = index.add([{"id": "empty", "text": ""}, {"text": "no id"}]).skipped
    assert [entry["code"] for entry in skipped] == ["no_text", "no_id_field"]
    assert index.delete(["soup", "tea2", "nothing"]) == 2
    assert {document.id for document in index.documents()} == {"tea", "红烧"}


def test_a_failing_iterator_keeps_what_came_before(index: okno.Index) -> None:
    def documents() -> Iterator[dict[str, Any]]:
        yield {"id": "kept", "text": "It is kept."}
        raise RuntimeError("the source is gone")

    with pytest.raises(RuntimeError, match="the source is gone"):
        index.add(documents())
    assert index.get("kept").text == "It is kept."


def test_files(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Coffee\n\nCoffee is ground fresh.", encoding="utf-8")
    (folder / "b.bin").write_bytes(b"\x00\x01\x02")
    with okno.Index.create(tmp_path / "x.okno") as index:
        report = index.index([folder])
        assert report.added == 1 and report.skipped[0]["place"] == "b.bin"
        assert index.index().unchanged >= 1
        assert index.search("fresh coffee")[0].document == "a.md"
        assert index.stats().documents == 1 and index.stats().to_dict()["roots"] == [str(folder)]
    with okno.Index.open(tmp_path / "x.okno") as index:
        assert len(index) == 1


def test_errors_have_classes_and_codes(index: okno.Index, tmp_path: Path) -> None:
    with pytest.raises(okno.NotFound) as none:
        okno.Index.open(tmp_path / "none")
    assert none.value.code == "no_index" and "没有索引" in none.value.chinese
    with pytest.raises(okno.InvalidRequest) as field:
        index.search("tea", filter="yaer = 2024")
    assert field.value.code == "unknown_field" and "did you mean `year`" in str(field.value)
    for wrong in [{"recipe": "none"}, {"filter": "year ="}, {"window": 1, "expand": "auto"}, {"unknown": 1}]:
        with pytest.raises(ValueError):
            index.search("tea", **wrong)
    with pytest.raises(LookupError):
        index.get("none")
    with pytest.raises(okno.LoadError):
        okno.load(tmp_path / "none.md")
    index.close()
    with pytest.raises(okno.InvalidRequest) as closed:
        index.search("tea")
    assert closed.value.code == "closed"


def test_one_writer_at_a_time(index: okno.Index) -> None:
    waiting, go_on = threading.Event(), threading.Event()

    def documents() -> Iterator[dict[str, str]]:
        waiting.set()
        assert go_on.wait(30)
        yield {"id": "late", "text": "It came late."}

    with ThreadPoolExecutor(1) as pool:
        adding = pool.submit(index.add, documents())
        assert waiting.wait(30)
        assert index.search("butter")[0].document == "soup", "searching works meanwhile"
        with pytest.raises(okno.OknoError):
            index.delete(["soup"])
        go_on.set()
        assert adding.result().added == 1


def vowels(texts: list[str], role: str) -> list[list[float]]:
    assert role in ("query", "passage")
    return [[float(text.lower().count(vowel)) for vowel in "aeiou"] for text in texts]


def test_an_embedder_of_ones_own(tmp_path: Path) -> None:
    embedder = okno.Embedder(vowels, dimensions=5, name="vowels")
    path = tmp_path / "own.okno"
    with okno.Index.create(path, embedder=embedder) as index:
        index.add([{"id": "a", "text": "Banana! Papaya! Lama!"}, {"id": "u", "text": "Guru! Zulu! Fugu!"}])
        assert index.search("uuuu", legs=["dense"])[0].document == "u"
        assert index.stats().embedder == "vowels"
    with pytest.raises(okno.InvalidRequest) as other:
        okno.Index.open(path)
    assert other.value.code == "other_embedder"

    def failing(texts: list[str], role: str) -> list[list[float]]:
        raise ConnectionError("no network")

    with okno.Index.create(tmp_path / "f.okno", embedder=okno.Embedder(failing, 5, "failing")) as index:
        with pytest.raises(okno.ModelError) as failed:
            index.add([{"id": "a", "text": "Banana!"}])
        assert isinstance(failed.value.__cause__, ConnectionError)


def test_a_language_model_of_ones_own(tmp_path: Path) -> None:
    asked: list[list[dict[str, str]]] = []

    def model(messages: list[dict[str, str]]) -> Iterator[str]:
        asked.append(messages)
        yield "It needs boiling "
        yield "water [1]."

    with okno.Index.create(tmp_path / "m.okno", model=model) as index:
        index.add([{"id": "tea", "text": "Black tea needs boiling water."}])
        parts: list[str] = []
        reply = index.ask("What does black tea need?", on_text=parts.append)
        assert str(reply) == "".join(parts) == "It needs boiling water [1]."
        assert reply.found and reply.citations[0].text == "Black tea needs boiling water."
        assert "Black tea needs boiling water." in asked[0][-1]["content"]

        def stop(text: str) -> None:
            raise StopAsyncIteration("enough")

        with pytest.raises(StopAsyncIteration):
            index.ask("What does black tea need?", on_text=stop)


def test_without_a_model_sentences_answer(index: okno.Index) -> None:
    reply = index.ask("What does black tea need?")
    assert "boiling water" in reply.text and reply.model is None


def test_a_reranker_of_ones_own(tmp_path: Path) -> None:
    def last_letter(question: str, passages: list[str]) -> list[float]:
        return [1.0 if "zebra" in passage else 0.0 for passage in passages]

    with okno.Index.create(tmp_path / "r.okno", reranker=last_letter) as index:
        index.add([{"id": f"{n}", "text": f"The animal number {n} is a {name}."} for n, name in
                   enumerate(["horse", "zebra", "donkey"])])
        answer = index.search("animal number", explain=True, recipe="window", k=1)
        assert answer.to_dict()["explain"]["rerank"]["by"] == "last_letter"


def test_evaluate(index: okno.Index, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        json.dumps({"question": "What does black tea need?", "doc_id": "tea", "answers": ["boiling water"]}),
        encoding="utf-8",
    )
    run = index.evaluate(questions, recipes=["auto", "chunks"], budgets=[100])
    assert len(run.cells) == 2 and run.scores("auto", 100)["coverage"] == 1.0
    questions.write_text('{"question": "x"}', encoding="utf-8")
    with pytest.raises(okno.InvalidRequest):
        index.evaluate(questions)


def test_split_load_embed(tmp_path: Path) -> None:
    text = "# 茶\n\n茶很热。好喝。\n\n## Milk\n\nIt is white."
    for splitter in ["sentence", "paragraph", "recursive:20c/5c", "markdown", "hierarchy:30c/10c"]:
        pieces = okno.split(text, splitter)
        assert pieces and all(text[piece.start : piece.end] == piece.text for piece in pieces)
    assert okno.split(text, "markdown")[-1].headings == ("茶", "Milk")
    file = tmp_path / "a.md"
    file.write_text(text, encoding="utf-8")
    (document,) = okno.load(file)
    assert (document.text, document.title, document.id) == (text, "茶", "a.md")
    rows = okno.embed(["green tea", "绿茶", ""])
    assert len(rows) == 3 and len(rows[0]) == len(rows[1]) and not any(rows[2])


def test_threads_search_together(index: okno.Index) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: index.search("black tea")[0].document, range(64)))
    assert set(found) == {"tea"}


SLOW = """
import signal, sys, okno
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
def documents():
    print("begun", flush=True)
    for number in range(10**9):
        yield {"id": str(number), "text": f"Document number {number} says something."}
with okno.Index.create(sys.argv[1]) as index:
    try:
        index.add(documents())
    except KeyboardInterrupt:
        print("interrupted", len(index) > 0, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_stops_and_keeps_what_was_committed(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path / "i.okno")], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None and program.stdout.readline() == "begun\n"
    time.sleep(1.5)
    program.send_signal(signal.SIGINT)
    output, _ = program.communicate(timeout=60)
    assert output == "interrupted True\n" and program.returncode == 0


def test_the_program_is_there(tmp_path: Path) -> None:
    def okno_program(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "okno", *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=120
        )

    assert okno_program("--version").stdout.strip() == f"okno {okno.__version__}"
    (tmp_path / "tea.md").write_text("Black tea needs boiling water.", encoding="utf-8")
    assert okno_program("index", "tea.md").returncode == 0
    found = okno_program("--json", "search", "What does black tea need?")
    assert json.loads(found.stdout)["contexts"][0]["doc_id"] == "tea.md"
    assert okno_program("search", "tea", "--filter", "x ===").returncode == 1
    assert okno_program("nothing").returncode == 2


def test_an_index_can_be_opened_again_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "again.okno"
    with okno.Index.create(path) as one, okno.Index.open(path) as other:
        one.add([{"id": "tea", "text": "Black tea needs boiling water."}])
        assert other.search("black tea")[0].document == "tea"
        one.close()
        assert other.search("black tea")[0].document == "tea"


def test_a_search_converts_what_is_looked_at_and_looks_the_same(index: okno.Index) -> None:
    answer = index.search("How hot should water for black tea be?", explain=True)
    assert not {"contexts", "_json", "question"} & vars(answer).keys(), "nothing was asked for yet"
    best = answer[0]
    assert "_json" not in vars(best) and "_json" not in vars(answer)
    whole = answer.to_dict()
    assert best.to_dict() == whole["contexts"][0]
    assert (answer.question, answer.tokens, answer.nothing_relevant) == (whole["question"], whole["tokens"], False)
    # Numbers are those of the JSON, not the nearest ones in another width.
    assert (best.score, best.relevance, answer.relevance) == (
        whole["contexts"][0]["score"], whole["contexts"][0]["relevance"], whole["relevance"],
    )
    assert best.metadata == whole["contexts"][0]["metadata"] == {"kind": "drink", "year": 2024, "tags": ["hot", "leaf"]}
    for twin in [pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer), okno.Answer._of(whole)]:
        assert twin == answer and repr(twin) == repr(answer) and twin.to_json() == answer.to_json()
    assert pickle.loads(pickle.dumps(best)) == best
    assert pickle.loads(pickle.dumps(dataclasses.replace(best, text="other"))).text == "other"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        answer.nothing  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError):
        best.text = "other"  # type: ignore[misc]
    unread = index.search("How hot should water for black tea be?")
    index.close()
    assert unread[0].text == best.text and unread.to_dict()["question"] == answer.question, "it outlives the index"


def test_an_answer_is_read_by_several_threads(index: okno.Index) -> None:
    for _ in range(20):
        answer = index.search("black tea")
        with ThreadPoolExecutor(4) as pool:
            texts = list(pool.map(lambda _: answer[0].text + answer.to_json(), range(8)))
        assert len(set(texts)) == 1
