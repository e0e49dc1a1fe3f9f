#!/usr/bin/env python3
"""Step 2: train the table of piece vectors on what prepare.py left in the cache.

    train.py --cache DIR --tokenizer tokenizer.json --out DIR [settings]

The student: v = sum over distinct pieces t of sqrt(count) * E[t], scaled to unit length. Nothing else is learned.
Each step takes one task:
  passage   queries against passages: their own, neighbours of every query by BM25 and by the teacher, and all others in the batch;
            the loss is the divergence from the teachers' score distribution mixed with the known answer
  sentence  the same against single sentences with half of their title's vector, as search scores them
  across    queries translated word for word by the dictionary against passages of the other language
  parallel  translated texts, both directions, with both teachers' distributions
  word      dictionary words against their glosses
Passages are half the time the sum of their sentences' vectors, because search uses such sums.
"""
import argparse
import json
import math
import os
import time

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from tokenizers import Tokenizer

WIDTH = 256
DIMENSIONS = ((256, 1.0), (128, 0.5))       # Matryoshka: the leading 128 dimensions work alone
SIF = 1e-3                                  # smoothing of the initial row weights SIF / (SIF + probability)
TASKS = (("passage", "en", 0.27), ("passage", "zh", 0.27), ("sentence", "en", 0.08), ("sentence", "zh", 0.08),
         ("across", "en", 0.06), ("across", "zh", 0.06), ("parallel", "", 0.14), ("word", "", 0.04))
START = time.time()


def log(*what):
    print(f"[{time.time() - START:6.1f}]", *what, flush=True)


# ---------------------------------------------------------------- data on the device
def on_device(value, device):
    if isinstance(value, dict):
        return {k: on_device(v, device) for k, v in value.items()}
    if isinstance(value, list):
        return [on_device(v, device) for v in value]
    return value.to(device)


def load(args, device):
    return {name: on_device(torch.load(os.path.join(args.cache, name + ".pt")), device) for name in ("en", "zh", "cross")}


def gather(bags, rows):
    """Concatenated ids and weights of the chosen rows, with the row number of each entry."""
    start, length = bags["offsets"][rows], bags["offsets"][rows + 1] - bags["offsets"][rows]
    row = torch.repeat_interleave(torch.arange(len(rows), device=rows.device), length)
    inside = torch.arange(len(row), device=rows.device) - torch.repeat_interleave(torch.cumsum(length, 0) - length, length)
    at = start[row] + inside
    return bags["ids"][at].long(), bags["weight"][at].float(), row


def pooled(table, ids, weight, row, count):
    offsets = torch.searchsorted(row, torch.arange(count, device=row.device))
    return F.embedding_bag(ids, table, offsets, mode="sum", per_sample_weights=weight)


def vectors(table, bags, rows, drop=0.0):
    ids, weight, row = gather(bags, rows)
    if drop:
        weight = weight * (torch.rand_like(weight) >= drop)
    return pooled(table, ids, weight, row, len(rows))


def translated(table, bags, rows, dictionary):
    """Query vectors with each piece replaced by one of its translations; most pieces without one are left out."""
    ids, weight, row = gather(bags, rows)
    pick = torch.randint(dictionary.shape[1], ids.shape, device=ids.device)
    other = dictionary[ids, pick].long()
    keep = (other > 0) | (torch.rand_like(weight) < 0.4)
    return pooled(table, torch.where(other > 0, other, ids), weight * keep, row, len(rows))


# ---------------------------------------------------------------- losses
def divergence(query, unit, target, temperature):
    """KL from the target distribution over units, averaged over the Matryoshka widths."""
    total = 0
    for width, share in DIMENSIONS:
        logits = F.normalize(query[:, :width], dim=-1).bfloat16() @ F.normalize(unit[:, :width], dim=-1).bfloat16().T
        total = total + share * F.kl_div(F.log_softmax(logits.float() / temperature, -1), target, reduction="batchmean")
    return total / sum(share for _, share in DIMENSIONS)


def distribution(pairs, temperatures, positive, mix):
    """The teachers' mean distribution over the units, mixed with the known answer."""
    taught = sum(F.softmax((q @ u.T).float() / t, -1) for (q, u), t in zip(pairs, temperatures)) / len(pairs)
    taught *= 1 - mix
    taught[torch.arange(len(positive), device=positive.device), positive] += mix
    return taught


def temperatures(args, lang):
    return (args.teacher_temp, 2 * args.teacher_temp) if lang == "en" else (args.teacher_temp,)     # MiniLM was trained softer than BGE


def pool_of(data, seeds, args):
    """Passages of the batch: the seeds' own and some neighbours of each; and where each seed's own stands."""
    own = data["positive"][seeds]
    pick = torch.randint(data["hard"].shape[1], (len(seeds), args.hard), device=seeds.device)
    others = data["hard"][seeds].gather(1, pick).long().flatten()
    others = others[~data["held"][others]]
    pool = torch.unique(torch.cat([own, others]))
    return pool, torch.searchsorted(pool, own)


def passage_loss(table, data, seeds, args, lang, dictionary=None):
    pool, own = pool_of(data, seeds, args)
    bags = data["passage" if torch.rand(1).item() < 0.5 else "passage_sums"]
    unit = vectors(table, bags, pool, args.drop)
    query = vectors(table, data["query"], seeds, args.drop) if dictionary is None else translated(table, data["query"], seeds, dictionary)
    pairs = [(t["query"][seeds], t["passage"][pool]) for t in data["teachers"]]
    target = distribution(pairs, temperatures(args, lang), own, args.mix)
    loss = divergence(query, unit, target, args.temp)
    return loss + args.reverse * contrast(unit[own], query, args) if args.reverse and dictionary is None else loss


def contrast(left, right, args):
    return divergence(left, right, torch.eye(len(left), device=left.device), args.temp)


def sentence_loss(table, data, seeds, args, lang):
    pool, _ = pool_of(data, seeds, args)
    first, last = data["first"][pool], data["first"][pool + 1]
    near = first + (torch.rand(len(pool), device=pool.device) * (last - first)).long()
    units = torch.unique(torch.cat([data["asked"][seeds], near]))
    own = torch.searchsorted(units, data["asked"][seeds])
    document = data["document"][torch.searchsorted(data["first"], units, right=True) - 1]
    unit = vectors(table, data["sentence"], units) + 0.5 * vectors(table, data["title"], document)
    query = vectors(table, data["query"], seeds, args.drop)
    pairs = [(t["query"][seeds], t["sentence"][units]) for t in data["teachers"]]
    return divergence(query, unit, distribution(pairs, temperatures(args, lang), own, args.mix), args.temp)


def parallel_loss(table, cross, rows, args):
    english, chinese = (vectors(table, cross[lang], rows, args.drop) for lang in ("en", "zh"))
    loss = 0
    for left, right in ((english, chinese), (chinese, english)):
        pairs = [(cross["teachers"][lang][rows],) * 2 for lang in ("en", "zh")]
        target = distribution(pairs, (args.teacher_temp,) * 2, torch.arange(len(rows), device=rows.device), args.mix)
        loss = loss + 0.5 * divergence(left, right, target, args.temp)
    return loss


def word_loss(table, cross, rows, args):
    word, gloss = vectors(table, cross["word"], rows), vectors(table, cross["gloss"], rows, args.drop)
    return 0.15 * (contrast(word, gloss, args) + contrast(gloss, word, args))


class Sampler:
    """Rows to train on, never held-out ones."""

    def __init__(self, data, device):
        self.device = device
        self.rows = {lang: torch.nonzero(~data[lang]["held"][data[lang]["positive"]])[:, 0] for lang in ("en", "zh")}
        self.rows["parallel"] = torch.nonzero(~data["cross"]["held"])[:, 0]
        self.rows["word"] = torch.arange(len(data["cross"]["word"]["offsets"]) - 1, device=device)

    def take(self, kind, count):
        rows = self.rows[kind]
        return rows[torch.randint(len(rows), (count,), device=self.device)]


def step_loss(table, data, sampler, task, lang, args):
    cross = data["cross"]
    if task == "parallel":
        return parallel_loss(table, cross, torch.unique(sampler.take("parallel", args.batch)), args)
    if task == "word":
        return word_loss(table, cross, torch.unique(sampler.take("word", args.batch)), args)
    seeds = sampler.take(lang, args.batch)
    if task == "sentence":
        return sentence_loss(table, data[lang], seeds, args, lang)
    return passage_loss(table, data[lang], seeds, args, lang, cross["translate"] if task == "across" else None)


# ---------------------------------------------------------------- start and end
def piece_probability(data, vocabulary, device):
    """Frequency of each piece among the pieces of its language."""
    out = torch.zeros(vocabulary, device=device)
    for lang in ("en", "zh"):
        bags = data[lang]["passage"]
        count = torch.zeros(vocabulary, device=device).index_add_(0, bags["ids"].long(), bags["weight"].float() ** 2)
        out = torch.maximum(out, count / count.sum())
    return out


def initial_table(args, data, vocabulary, device):
    rows = torch.load(os.path.join(args.cache, "initial.pt")).to(device)
    _, _, basis = torch.linalg.svd(rows, full_matrices=False)
    table = F.normalize(rows @ basis[:WIDTH].T, dim=-1)
    empty = rows.norm(dim=-1) < 0.5
    table[empty] = 0.3 * F.normalize(torch.randn(int(empty.sum()), WIDTH, device=device), dim=-1)
    table = table * (SIF / (SIF + piece_probability(data, vocabulary, device)))[:, None]
    table[:3] = 0
    return table


def learning_rate(args, step, share):
    return args.lr * min(1, step / 100) * (0.5 * (1 + math.cos(math.pi * share)) * 0.98 + 0.02)


def train(args, data, table, device):
    table = torch.nn.Parameter(table)
    optimiser = torch.optim.Adam([table], lr=args.lr, betas=(0.9, 0.99), eps=1e-10)
    sampler, seen = Sampler(data, device), {}
    shares = torch.tensor([share for *_, share in TASKS])
    order = torch.multinomial(shares, args.steps, replacement=True, generator=torch.Generator().manual_seed(0)).tolist()
    for step, choice in enumerate(order):
        task, lang, _ = TASKS[choice]
        optimiser.param_groups[0]["lr"] = learning_rate(args, step, step / args.steps)
        loss = step_loss(table, data, sampler, task, lang, args)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        table.grad[:3] = 0
        optimiser.step()
        seen.setdefault(task + lang, []).append(loss.detach())
        if step % 500 == 499:
            log("step", step + 1, {k: round(torch.stack(v[-20:]).mean().item(), 3) for k, v in seen.items()})
    return table.detach()


def quantised(table):
    scales = table.abs().amax(1).clamp_min(1e-8) / 127
    return torch.clamp(torch.round(table / scales[:, None]), -127, 127).to(torch.int8), scales


def save(args, table):
    rows, scales = quantised(table)
    os.makedirs(args.out, exist_ok=True)
    save_file({"embeddings": rows.cpu().contiguous(), "scales": scales.cpu().contiguous()}, os.path.join(args.out, "model.safetensors"))
    return rows.float() * scales[:, None]


# ---------------------------------------------------------------- the held-out slice
def ranks(query, unit, own):
    scores = F.normalize(query, dim=-1) @ F.normalize(unit, dim=-1).T
    return (scores > scores.gather(1, own[:, None])).sum(1), scores


def dev_language(table, data, width, distractors=30000):
    """Held-out queries over held-out passages and many others: recall@1, recall@10, overlap of the ten best with the first teacher's."""
    held = torch.nonzero(data["held"])[:, 0]
    others = torch.nonzero(~data["held"])[:, 0][:: max(1, len(data["held"]) // distractors)]
    pool = torch.unique(torch.cat([held, others]))
    seeds = torch.nonzero(data["held"][data["positive"]])[:, 0][:12000]
    own = torch.searchsorted(pool, data["positive"][seeds])
    query, unit = (vectors(table, data[k], rows)[:, :width] for k, rows in (("query", seeds), ("passage", pool)))
    rank, scores = ranks(query, unit, own)
    teacher = data["teachers"][0]
    taught = (teacher["query"][seeds] @ teacher["passage"][pool].T).float().topk(10, -1).indices
    mine = scores.topk(10, -1).indices
    overlap = (mine[:, :, None] == taught[:, None, :]).any(-1).float().mean()
    return [round(x.item(), 4) for x in ((rank < 1).float().mean(), (rank < 10).float().mean(), overlap)]


def dev_cross(table, cross, width):
    held = torch.nonzero(cross["held"])[:, 0]
    english, chinese = (vectors(table, cross[lang], held)[:, :width] for lang in ("en", "zh"))
    own = torch.arange(len(held), device=held.device)
    return [round((ranks(a, b, own)[0] < 1).float().mean().item(), 4) for a, b in ((english, chinese), (chinese, english))]


def dev(table, data, width=WIDTH):
    with torch.no_grad():
        found = {lang: dev_language(table, data[lang], width) for lang in ("en", "zh")}
        found["cross"] = dev_cross(table, data["cross"], width)
    found["mean"] = round(sum(sum(v) for v in found.values()) / sum(len(v) for v in found.values()), 4)
    return found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cache", "tokenizer", "out"):
        parser.add_argument("--" + name, required=True)
    for name, default in (("steps", 8108), ("batch", 3072), ("hard", 4), ("seed", 0)):
        parser.add_argument("--" + name, type=int, default=default)
    for name, default in (("lr", 4e-3), ("temp", 0.05), ("teacher-temp", 0.03), ("mix", 0.3), ("drop", 0.1), ("reverse", 0.2)):
        parser.add_argument("--" + name, type=float, default=default)
    return parser.parse_args()


def main():
    args = arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(args.seed)
    vocabulary = Tokenizer.from_file(args.tokenizer).get_vocab_size()
    data = load(args, device)
    table = initial_table(args, data, vocabulary, device)
    log("start", dev(table, data))
    table = train(args, data, table, device)
    stored = save(args, table)
    result = {"settings": vars(args), "dev": dev(stored, data), "dev128": dev(stored, data, 128)}
    log("RESULT", json.dumps(result))
    with open(os.path.join(args.out, "result.json"), "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
