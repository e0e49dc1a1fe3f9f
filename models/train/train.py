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
  reading   piece by piece, as the engine compares its best hits with the question once more: for each piece of the question the best
            cosine among the passage's and title's pieces, weighted by the square of the row's length
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
         ("across", "en", 0.06), ("across", "zh", 0.06), ("parallel", "", 0.14), ("word", "", 0.04),
         ("reading", "en", 0.0), ("reading", "zh", 0.0))          # shares; --reading sets that of each language
WIDEST = {"query": 32, "passage": 192, "title": 16}              # distinct pieces compared one by one
START = time.time()


def log(*what):
    print(f"[{time.time() - START:6.1f}]", *what, flush=True)


# ---------------------------------------------------------------- data on the device
def on_device(value, device):
    if isinstance(value, dict):
        return {k: on_device(v, device) for k, v in value.items()}
    if isinstance(value, list):
        return [on_device(v, device) for v in value]
    return value if isinstance(value, int) else value.to(device)


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


def pieces(bags, rows, width):
    """The distinct pieces of each row, at most `width`, 0 where there are fewer."""
    start, length = bags["offsets"][rows], bags["offsets"][rows + 1] - bags["offsets"][rows]
    column = torch.arange(width, device=rows.device)
    at = (start[:, None] + column).clamp(max=len(bags["ids"]) - 1)
    return torch.where(column < length[:, None], bags["ids"][at].long(), 0)


def likeness(table, query, unit):
    """Queries [B, Q] against lists [B, L, P] of pieces: the mean best cosine, weighted by the square of the row's length, [B, L]."""
    rows = F.normalize(table, dim=-1).bfloat16()
    weight = F.embedding(query, table).pow(2).sum(-1) * (query > 0)
    batch, lists, width = unit.shape
    cosine = F.embedding(query, rows) @ F.embedding(unit.flatten(1), rows).transpose(1, 2)
    cosine = cosine.view(batch, -1, lists, width).masked_fill((unit == 0)[:, None], -1).amax(-1).float()
    return (cosine * weight[..., None]).sum(1) / (weight.sum(1, keepdim=True) + 1e-9)


def reading_loss(table, data, seeds, args, lang):
    """Lists of one known passage and its neighbours, ordered as the teacher orders them."""
    own = data["positive"][seeds]
    pick = torch.rand(len(seeds), data["hard"].shape[1], device=seeds.device).argsort(-1)[:, : args.list - 1]
    lists = torch.cat([own[:, None], data["hard"][seeds].gather(1, pick).long()], 1)
    valid = ~data["held"][lists]
    flat = lists.flatten()
    text = pieces(data["passage"], flat, WIDEST["passage"])
    if torch.rand(1).item() < 0.7:
        text = torch.cat([text, pieces(data["title"], data["document"][flat], WIDEST["title"])], 1)
    score = likeness(table, pieces(data["query"], seeds, WIDEST["query"]), text.view(*lists.shape, -1))
    teacher = data["teachers"][0]
    taught = torch.einsum("bd,bld->bl", teacher["query"][seeds], teacher["passage"][lists]).float() / args.teacher_temp
    target = (1 - args.mix) * F.softmax(taught.masked_fill(~valid, -1e4), -1)
    target[:, 0] += args.mix
    return F.kl_div(F.log_softmax((score * args.sharp).masked_fill(~valid, -1e4), -1), target, reduction="batchmean")


class Sampler:
    """Rows to train on, never held-out ones; a share of them real questions."""

    def __init__(self, data, device, real):
        self.device, self.share = device, real
        self.rows = {lang: torch.nonzero(~data[lang]["held"][data[lang]["positive"]])[:, 0] for lang in ("en", "zh")}
        for lang in ("en", "zh"):
            if real and "made" in data[lang]:
                self.rows[lang] = self.rows[lang][self.rows[lang] < data[lang]["made"]]
                self.rows["real" + lang] = data[lang]["real"]
        self.rows["parallel"] = torch.nonzero(~data["cross"]["held"])[:, 0]
        self.rows["word"] = torch.arange(len(data["cross"]["word"]["offsets"]) - 1, device=device)

    def take(self, kind, count):
        rows = self.rows[kind]
        drawn = rows[torch.randint(len(rows), (count,), device=self.device)]
        if self.share and "real" + kind in self.rows:
            real = self.rows["real" + kind]
            other = real[torch.randint(len(real), (count,), device=self.device)]
            drawn = torch.where(torch.rand(count, device=self.device) < self.share, other, drawn)
        return drawn


def step_loss(table, data, sampler, task, lang, args):
    cross = data["cross"]
    if task == "parallel":
        return parallel_loss(table, cross, torch.unique(sampler.take("parallel", args.batch)), args)
    if task == "word":
        return word_loss(table, cross, torch.unique(sampler.take("word", args.batch)), args)
    if task == "reading":
        return reading_loss(table, data[lang], sampler.take(lang, args.lists), args, lang)
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


def started(args, device):
    """The rows of a table that training goes on from."""
    from safetensors.torch import load_file
    weights = load_file(args.start)
    return weights["embeddings"].float().to(device) * weights["scales"].float().to(device)[:, None]


def learning_rate(args, step, share):
    return args.lr * min(1, step / 100) * (0.5 * (1 + math.cos(math.pi * share)) * 0.98 + 0.02)


def train(args, data, table, device):
    table = torch.nn.Parameter(table)
    optimiser = torch.optim.Adam([table], lr=args.lr, betas=(0.9, 0.99), eps=1e-10)
    sampler, seen, began = Sampler(data, device, args.real), {}, table.detach().clone()
    shares = torch.tensor([args.reading if task == "reading" else share for task, _, share in TASKS])
    order = torch.multinomial(shares, args.steps, replacement=True, generator=torch.Generator().manual_seed(0)).tolist()
    for step, choice in enumerate(order):
        task, lang, _ = TASKS[choice]
        optimiser.param_groups[0]["lr"] = learning_rate(args, step, step / args.steps)
        loss = step_loss(table, data, sampler, task, lang, args)
        if args.keep:
            loss = loss + args.keep * (table - began).pow(2).sum(1).mean()
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


def dev_real(table, data, width, distractors=30000):
    """Held-out real questions: recall@1, @10, @100 of the pooled vectors, and MRR@10 of reading the 50 best again (blend .3)."""
    held = torch.nonzero(data["held"])[:, 0]
    others = torch.nonzero(~data["held"])[:, 0][:: max(1, len(data["held"]) // distractors)]
    pool, seeds = torch.unique(torch.cat([held, others])), data["asks"]
    own = torch.searchsorted(pool, data["positive"][seeds])
    query, unit = (vectors(table, data[k], rows)[:, :width] for k, rows in (("query", seeds), ("passage", pool)))
    rank, scores = ranks(query, unit, own)
    top, at = scores.topk(50, -1)
    text = torch.cat([pieces(data["passage"], pool[at.flatten()], WIDEST["passage"]), pieces(data["title"], data["document"][pool[at.flatten()]], WIDEST["title"])], 1)
    read = torch.cat([likeness(table[:, :width], q, u) for q, u in zip(pieces(data["query"], seeds, WIDEST["query"]).split(200), text.view(*at.shape, -1).split(200))])
    scaled = lambda x: (x - x.amin(1, keepdim=True)) / (x.amax(1, keepdim=True) - x.amin(1, keepdim=True) + 1e-9)
    both = 0.7 * scaled(top) + 0.3 * scaled(read)
    found = at.gather(1, both.argsort(1, descending=True)) == own[:, None]
    place = torch.where(found.any(1), found.float().argmax(1), 99)
    mrr = torch.where(place < 10, 1 / (place + 1.0), 0.0).mean()
    return [round(x.item(), 4) for x in (*((rank < k).float().mean() for k in (1, 10, 100)), mrr)]


def dev(table, data, width=WIDTH):
    with torch.no_grad():
        found = {lang: dev_language(table, data[lang], width) for lang in ("en", "zh")}
        found["cross"] = dev_cross(table, data["cross"], width)
        found |= {"real " + lang: dev_real(table, data[lang], width) for lang in ("en", "zh") if "asks" in data[lang]}
    found["mean"] = round(sum(sum(v) for v in found.values()) / sum(len(v) for v in found.values()), 4)
    return found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cache", "tokenizer", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--start", help="a model.safetensors to go on from")
    for name, default in (("steps", 8108), ("batch", 3072), ("hard", 4), ("seed", 0), ("lists", 384), ("list", 16)):
        parser.add_argument("--" + name, type=int, default=default)
    for name, default in (("lr", 4e-3), ("temp", 0.05), ("teacher-temp", 0.03), ("mix", 0.3), ("drop", 0.1), ("reverse", 0.2),
                          ("real", 0.0), ("reading", 0.0), ("sharp", 20.0), ("keep", 0.0)):
        parser.add_argument("--" + name, type=float, default=default)
    return parser.parse_args()


def main():
    args = arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(args.seed)
    vocabulary = Tokenizer.from_file(args.tokenizer).get_vocab_size()
    data = load(args, device)
    table = started(args, device) if args.start else initial_table(args, data, vocabulary, device)
    log("start", dev(table, data))
    table = train(args, data, table, device)
    stored = save(args, table)
    result = {"settings": vars(args), "dev": dev(stored, data), "dev128": dev(stored, data, 128)}
    log("RESULT", json.dumps(result))
    with open(os.path.join(args.out, "result.json"), "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
