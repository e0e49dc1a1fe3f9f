#!/usr/bin/env python3
"""Sentences embedded per CPU second: okno's built-in model beside MiniLM, in one run, one thread each.

    embed.py SET_DIR [--okno PATH] [--minilm PATH]        SET_DIR holds corpus.jsonl; options as in peers.py

okno is measured as a user runs it (`okno embed`: start, embed, print every vector as JSON), so its figure is a floor;
`cargo bench --bench speed` measures the embedding alone. MiniLM's starts after its model is loaded.
"""
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import peers

FEW, TIMES = 300, 100      # MiniLM gets this many sentences, okno this many times as many


def sentences(set_dir):
    texts = (document["text"] for document in peers.read_jsonl(set_dir / "corpus.jsonl"))
    found = (piece.strip() for text in texts for piece in re.split(r"(?<=[.。！？])\s*|\n+", text))
    return [piece for piece in found if len(piece) > 20][:FEW]


def okno_rate(binary, lines):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = "\n".join(lines * TIMES).encode()
    subprocess.run([binary, "embed"], input=text, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return len(lines) * TIMES / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def minilm_rate(model, tokenizer, lines):
    encoder = peers.MiniLM(model, tokenizer)
    encoder.encode(lines[:8])
    before = resource.getrusage(resource.RUSAGE_SELF)
    encoder.encode(lines)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return len(lines) / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    args = peers.arguments()
    lines = sentences(args.set_dir)
    ours = okno_rate(args.okno, lines)
    print(f"okno embed   {ours:12,.0f} sentences per CPU second")
    with tempfile.TemporaryDirectory() as scratch:
        peer = peers.make_peer(args, Path(scratch))
        if peer is None:
            return 1
        theirs = minilm_rate(str(peer.model), str(peer.tokenizer), lines)
    print(f"MiniLM       {theirs:12,.0f} sentences per CPU second     {ours / theirs:,.0f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
