#!/usr/bin/env python3
"""A small late-interaction network over the frozen table, distilled from two teachers; not shipped (MODEL.md).

    late.py prepare --corpus DIR --tokenizer FILE --teachers DIR --candidates DIR … --cache DIR
    late.py teach   --teachers DIR --cache DIR --out DIR                                the teachers' scores of the candidates
    late.py train   --model model.safetensors --teachers DIR --cache DIR --out DIR --name NAME --seconds S [--layers 3 --inner 1024 …]

A passage is one to four sentences with their title in front, as the engine's second reading sees a hit. Questions are headings of
documentation (real) and made by rule (queries.py). A list is a question's own passage, others of its document and its neighbours by
the table. Losses: the order of a list (the teachers' MaxSim and pooled cosine) and every question piece's best similarity.

The network scores a passage by  Σ_i (w_i · max_t cos(q_i, p_t) + v_i · max_t cos₀(q_i, p_t)) / Σ_i (w_i + v_i):  cos of the network's piece
vectors, cos₀ of the table's rows; w and v are read from the question's pieces.
"""
import argparse
import glob
import json
import math
import multiprocessing
import os
import time

import numpy as np

import queries
from readings import ENDS, PREFIX, TEACHER, chunks, headed, language_of, rarity_of, read_corpus, simple_letters, tokenizer_of

Q_LEN, P_LEN, TQ_LEN = 32, 112, 48                       # pieces of a question, of a passage; teacher's tokens of a question
T_LEN = {"en": 128, "zh": 160}                           # teacher's tokens of a passage
READ = 30                                                # hits of a question that are scored
SHARED, START = {}, time.time()


def log(*what):
    print(f"[{time.time() - START:6.1f}]", *what, flush=True)


# ---------------------------------------------------------------- prepare
def tokenizers_of(lang):
    """Ours and the teacher's; loaded before the processes part, so that each has them."""
    return tokenizer_of(SHARED["tokenizer"]), tokenizer_of(f"{SHARED['teachers']}/{TEACHER[lang]}/tokenizer.json"), simple_letters(SHARED["tokenizer"]) if lang == "zh" else {}


def padded(rows, length):
    out = np.zeros((len(rows), length), np.uint16)
    for row, ids in zip(out, rows):
        row[: min(len(ids), length)] = ids[:length]
    return out


def pieces(job):
    """Our pieces and the teacher's tokens of texts; of questions also which tokens [low, high) stand where each piece does."""
    lang, texts, asked = job
    ours, theirs, simple = tokenizers_of(lang)
    prefix, longest = PREFIX[lang] if asked else "", TQ_LEN if asked else T_LEN[lang]
    theirs.enable_truncation(longest)
    a, b = ours.encode_batch(texts, add_special_tokens=False), theirs.encode_batch([prefix + t.translate(simple) for t in texts])
    out = [padded([[i for i in e.ids if i > 2] for e in a], Q_LEN if asked else P_LEN), padded([e.ids for e in b], longest)]
    if asked:
        low, high = np.zeros((len(texts), Q_LEN), np.uint8), np.zeros((len(texts), Q_LEN), np.uint8)
        for n, (x, y) in enumerate(zip(a, b)):
            at = {k - len(prefix): j for j, (c, d) in enumerate(y.offsets) for k in range(max(c, len(prefix)), d)}
            for i, (c, d) in enumerate([o for o, t in zip(x.offsets, x.ids) if t > 2][:Q_LEN]):
                found = [at[k] for k in range(c, d) if k in at]
                if found:
                    low[n, i], high[n, i] = min(found), max(found) + 1
        out += [low, high]
    return out


def in_parallel(pool, lang, texts, asked, size=2000):
    parts = pool.map(pieces, [(lang, texts[i:i + size], asked) for i in range(0, len(texts), size)], chunksize=1)
    return [np.concatenate(column) for column in zip(*parts)]


def invent(job):
    """Questions made by rule for a part of the passages."""
    lang, start, end, seed = job
    ours, (titles, bodies) = tokenizer_of(SHARED["tokenizer"]), SHARED[lang]

    def cut(s):
        e = ours.encode(s, add_special_tokens=False)
        return [s[a:b] for (a, b), i in zip(e.offsets, e.ids) if b > a and i != 2]
    maker, out = queries.Maker(lang, SHARED["rarity"], cut, start + seed), []
    for title, body in zip(titles[start:end], bodies[start:end]):
        sentences = [s for s in ENDS[lang].split(body) if s and len(s) > 8] or [body]
        out.append(maker.one(title.split(" / ")[-1], maker.random.choice(sentences)).strip() or body[:60])
    return out


def prepare_candidates(pool, folder, cache):
    for path in sorted(glob.glob(os.path.join(folder, "*.cand.jsonl*"))):
        name = os.path.basename(path).split(".")[0]
        lang, asked, texts, owner, index, hits = language_of(name), [], {}, [], [], []
        for n, line in enumerate(open(path, encoding="utf8")):
            row = json.loads(line)
            asked.append(row["q"])
            hits.append(min(len(row["c"]), READ))
            for i, c in enumerate(row["c"][:READ]):
                for body in chunks(c["around"], lang):
                    index.append(texts.setdefault(headed(c["head"], body, lang), len(texts)))
                    owner.append((n, i))
        q, tq, low, high = in_parallel(pool, lang, asked, True)
        p, tp = in_parallel(pool, lang, list(texts), False)
        np.savez(os.path.join(cache, f"cand_{os.path.basename(folder.rstrip('/'))}_{name}.npz"), q=q, tq=tq, low=low, high=high, p=p, tp=tp,
                 owner=np.array(owner, np.int32), index=np.array(index, np.int32), hits=np.array(hits, np.int32))
        log(folder, name, "parts", len(texts), "pieces a question %.0f" % ((p > 0).sum(1)[index].sum() / len(asked)))


def prepare(args):
    os.makedirs(args.cache, exist_ok=True)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    SHARED.update(tokenizer=args.tokenizer, teachers=args.teachers)
    for lang in TEACHER:
        tokenizers_of(lang)
    context = multiprocessing.get_context("fork")
    with context.Pool(args.processes) as pool:
        for folder in args.candidates:
            prepare_candidates(pool, folder, args.cache)
    for lang in ("en", "zh") if args.corpus else ():
        titles, bodies, document, real = read_corpus(args.corpus, lang, args.passages)
        SHARED[lang], SHARED["rarity"] = (titles, bodies), rarity_of(bodies) if lang == "en" else {}
        log(lang, "passages", len(bodies), "documents", document[-1] + 1, "real questions", len(real))
        with context.Pool(args.processes) as pool:
            jobs = [(lang, i, min(i + 2000, len(bodies)), seed) for seed in range(args.questions) for i in range(0, len(bodies), 2000)]
            made = [q for part in pool.map(invent, jobs, chunksize=1) for q in part]
            own = np.concatenate([[r[1] for r in real], np.tile(np.arange(len(bodies)), args.questions)]).astype(np.int32)
            q, tq, low, high = in_parallel(pool, lang, [r[0] for r in real] + made, True)
            p, tp = in_parallel(pool, lang, [headed(t, b, lang) for t, b in zip(titles, bodies)], False)
        first = np.searchsorted(document, np.arange(document[-1] + 2)).astype(np.int32)
        np.savez(os.path.join(args.cache, lang + ".npz"), q=q, tq=tq, low=low, high=high, p=p, tp=tp, own=own, document=document, first=first, real=len(real))
        log(lang, "questions", len(q), [r[0] for r in real[:3]], made[:3], "aligned %.2f" % ((high > low).sum() / (q > 0).sum()))


# ---------------------------------------------------------------- teachers
def taught(teacher, ids, torch, batch=2048):
    """int8 unit vectors of the tokens (zero for special ones), unit vectors of the whole."""
    size = teacher.width
    tokens = torch.zeros(len(ids), ids.shape[1], size, dtype=torch.int8, device="cuda")
    whole = torch.zeros(len(ids), size, dtype=torch.float16, device="cuda")
    place = torch.arange(ids.shape[1], device="cuda")
    for start in range(0, len(ids), batch):
        part = torch.as_tensor(ids[start:start + batch].astype(np.int64), device="cuda")
        mask = part > 0
        with torch.no_grad():
            hidden = teacher.model(input_ids=part, attention_mask=mask.long()).last_hidden_state.float()
        pooled = hidden[:, 0] if teacher.pool == "cls" else (hidden * mask[..., None]).sum(1)
        inner = (place > 0) & (place < mask.sum(1, keepdim=True) - 1)
        unit = torch.nn.functional.normalize(hidden, dim=-1) * inner[..., None]
        tokens[start:start + batch] = (unit * 127).round().to(torch.int8)
        whole[start:start + batch] = torch.nn.functional.normalize(pooled, dim=-1).half()
    return tokens, whole


def covering(low, high, torch):
    place = torch.arange(TQ_LEN, device="cuda")
    return (place >= low[..., None]) & (place < high[..., None])


def by_hit(values, owner, hits, torch):
    """The greatest value of a hit's parts: [parts, …] to [hits, …]."""
    out = torch.full((hits, *values.shape[1:]), -9.0, device="cuda")
    return out.scatter_reduce(0, owner.view(-1, *[1] * (values.dim() - 1)).expand_as(values), values, "amax")


def each_question(data, torch):
    """(number, parts' indices, the hit of each part, number of hits)"""
    bounds = np.searchsorted(data["owner"][:, 0], np.arange(len(data["hits"]) + 1))
    for n, (a, b) in enumerate(zip(bounds, bounds[1:])):
        if b > a:
            yield n, torch.as_tensor(data["index"][a:b].astype(np.int64), device="cuda"), torch.as_tensor(data["owner"][a:b, 1].astype(np.int64), device="cuda"), int(data["hits"][n])


def teach(args):
    """The teachers' own scores of the candidates: MaxSim, pooled cosine."""
    import torch
    from teachers import Teacher
    teachers, result = {lang: Teacher(args.teachers, name, "cuda") for lang, name in TEACHER.items()}, {}
    for path in sorted(glob.glob(os.path.join(args.cache, "cand_*.npz"))):
        key, data = os.path.basename(path)[5:-4], dict(np.load(path))
        recipe, name = key.replace("cand_", "").split("_", 1)
        teacher = teachers[language_of(name)]
        (tq, wq), (tp, wp) = taught(teacher, data["tq"], torch), taught(teacher, data["tp"], torch)
        used = covering(*(torch.as_tensor(data[k].astype(np.int64), device="cuda") for k in ("low", "high")), torch).any(1).float()
        rows = [[] for _ in data["hits"]]
        for n, index, owner, hits in each_question(data, torch):
            best = torch.einsum("qd,ptd->pqt", tq[n].half() / 127, tp[index].half() / 127).float().amax(-1)
            score = (by_hit(best, owner, hits, torch) * used[n]).sum(-1) / used[n].sum().clamp(min=1)
            rows[n] = torch.stack([score, by_hit((wp[index] @ wq[n]).float(), owner, hits, torch)], 1).cpu().numpy().round(5).tolist()
        result.setdefault(recipe, {})[name] = rows
        log("taught", key)
    for recipe, found in result.items():
        json.dump(found, open(os.path.join(args.out, f"teacher_{recipe}.json"), "w"))


# ---------------------------------------------------------------- network
def network(args, table, torch):
    nn, F = torch.nn, torch.nn.functional

    class Layer(nn.Module):
        def __init__(self, width, inner, heads=4):
            super().__init__()
            self.heads, self.before, self.between = heads, nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
            self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width, bias=False)

        def forward(self, x, mask):
            b, t, w = x.shape
            q, k, v = self.qkv(self.before(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None])
            x = x + self.out(a.transpose(1, 2).reshape(b, t, w))
            return x + self.down(F.gelu(self.up(self.between(x)), approximate="tanh"))

    class Encoder(nn.Module):
        def __init__(self, layers, inner, length, width):
            super().__init__()
            self.enter, self.length = nn.Linear(256, width), nn.Parameter(torch.zeros(width))
            self.place = nn.Parameter(0.02 * torch.randn(length, width)) if layers else None
            self.layers, self.leave = nn.ModuleList(Layer(width, inner) for _ in range(layers)), nn.LayerNorm(width)
            if width == 256:
                with torch.no_grad():
                    self.enter.weight.copy_(torch.eye(256) + 0.1 * torch.randn(256, 256) / 16)

        def forward(self, ids):
            rows, mask = table["rows"][ids], ids > 0
            x = self.enter(F.layer_norm(rows.float(), (256,))) + table["log"][ids][..., None] * self.length
            if self.place is not None:
                x = x + self.place[: ids.shape[1]]
            for layer in self.layers:
                x = layer(x, mask)
            return self.leave(x), mask

    class Late(nn.Module):
        def __init__(self):
            super().__init__()
            self.passage = Encoder(args.layers, args.inner, P_LEN, args.width)
            self.question = Encoder(args.question_layers, args.question_inner, Q_LEN, args.width)
            self.project = nn.Linear(args.width, args.project, bias=False)
            self.project_question = nn.Linear(args.width, args.project, bias=False)
            self.weigh = nn.Linear(args.width, 2)
            self.temperature, self.reach = nn.Parameter(torch.tensor(3.0)), nn.Parameter(torch.tensor([-2.0, -1.5]))

        def read_question(self, ids):
            x, mask = self.question(ids)
            return F.normalize(self.project_question(x).float(), dim=-1), F.softplus(self.weigh(x).float() + table["long"][ids][..., None]) * mask[..., None]

        def read_passage(self, ids):
            x, mask = self.passage(ids)
            return F.normalize(self.project(x).float(), dim=-1), mask

        def compare(self, q, asked, p, found, mask):
            """Best similarities of the network and of the table, [B, L, Q] each; q [B, Q], p [B, L, T]."""
            hidden = ~mask[:, :, None]
            net = torch.einsum("bqd,bltd->blqt", asked.bfloat16(), found.bfloat16()).masked_fill(hidden, -1).amax(-1).float()
            with torch.no_grad():
                own = torch.einsum("bqd,bltd->blqt", table["unit"][q], table["unit"][p]).masked_fill(hidden, 0).amax(-1).float().clamp(min=0)
            return net, own

    return Late().cuda()


def score(weights, net, own):
    w, v = weights[..., 0].unsqueeze(-2), weights[..., 1].unsqueeze(-2)
    return ((w * net).sum(-1) + (v * own).sum(-1)) / ((w + v).sum(-1) + 1e-6)


def load_table(path, torch):
    from safetensors.torch import load_file
    stored = load_file(path)
    rows = stored["embeddings"].float() * stored["scales"].float()[:, None]
    length = rows.norm(dim=1)
    log_length = torch.log(length + 1e-3)
    log_length = (log_length - log_length[3:].mean()) / log_length[3:].std()
    log_length[:3] = 0
    unit = rows / length.clamp(min=1e-9)[:, None]
    return {"rows": unit.bfloat16().cuda(), "unit": unit.bfloat16().cuda(), "log": log_length.cuda(), "long": (length / length[3:].mean()).cuda()}


def load_lists(args, lang, table, torch):
    """A language's questions and passages with the teachers' vectors, on the GPU, and every question's neighbours by the table."""
    from teachers import Teacher
    data = dict(np.load(os.path.join(args.cache, lang + ".npz")))
    teacher = Teacher(args.teachers, TEACHER[lang], "cuda")
    d = {k: torch.as_tensor(data[k].astype(np.int64 if k in ("own", "document", "first") else np.int32), device="cuda") for k in ("q", "p", "low", "high", "own", "document", "first")}
    (d["tq"], d["wq"]), (d["tp"], d["wp"]) = taught(teacher, data["tq"], torch), taught(teacher, data["tp"], torch)
    d["real"] = int(data["real"])
    log(lang, "taught", len(d["q"]), len(d["p"]))

    def vectors(ids):
        v = (table["unit"][ids].float() * table["long"][ids][..., None] * (ids > 0)[..., None]).sum(1)
        return torch.nn.functional.normalize(v, dim=-1).bfloat16()
    units = torch.cat([vectors(d["p"][i:i + 8192].long()) for i in range(0, len(d["p"]), 8192)])
    d["near"] = torch.cat([(vectors(d["q"][i:i + 2048].long()) @ units.T).topk(args.near, 1).indices.int() for i in range(0, len(d["q"]), 2048)])
    log(lang, "neighbours")
    return d


def sample(d, args, torch):
    """Questions, their lists (own passage first) and which places of a list count."""
    size = args.batch
    rows = torch.randint(len(d["q"]), (size,), device="cuda")
    real = (torch.rand(size, device="cuda") < args.real) & (d["real"] > 0)
    rows = torch.where(real, torch.randint(max(1, d["real"]), (size,), device="cuda"), rows)
    own = d["own"][rows]
    a, b = d["first"][d["document"][own]], d["first"][d["document"][own] + 1]
    same = a[:, None] + (torch.rand(size, args.same, device="cuda") * (b - a)[:, None]).long()
    pick = torch.rand(size, args.near, device="cuda").argsort(1)[:, : args.list - 1 - args.same]
    lists = torch.cat([own[:, None], same, d["near"][rows].long().gather(1, pick)], 1)
    valid = lists != own[:, None]
    valid[:, 0] = True
    return rows, lists, valid, rows >= d["real"]


def target(d, rows, lists, torch):
    """The teacher's best similarity at every question piece, where it has one, and its two scores of the whole."""
    best = torch.einsum("bqd,bltd->blqt", d["tq"][rows].bfloat16() / 127, d["tp"][lists].bfloat16() / 127).amax(-1).float()
    cover = covering(d["low"][rows], d["high"][rows], torch)
    token = torch.einsum("blt,bqt->blq", best, cover / cover.sum(-1, keepdim=True).clamp(min=1))
    used = cover.any(1).float()
    whole = (best * used[:, None]).sum(-1) / used.sum(-1).clamp(min=1)[:, None]
    return token, cover.any(-1), whole, torch.einsum("bd,bld->bl", d["wq"][rows].float(), d["wp"][lists].float())


def losses(net, d, which, args, torch):
    F = torch.nn.functional
    rows, lists, valid, known = sample(d, args, torch)
    with torch.no_grad():
        token, some, whole, pooled = target(d, rows, lists, torch)
        count = valid.sum(1, keepdim=True)

        def standard(x):
            x = x - (x * valid).sum(1, keepdim=True) / count
            return x * torch.rsqrt((x ** 2 * valid).sum(1, keepdim=True) / count + 1e-8)
        wanted = standard((1 - args.pooled) * standard(whole) + args.pooled * standard(pooled))
        goal = (args.sharp * wanted).masked_fill(~valid, -1e9).softmax(1)
        share = args.known * known.float()[:, None]
        goal = goal * (1 - share)
        goal[:, :1] += share
    q, p = d["q"][rows].long(), d["p"][lists].long()
    with torch.autocast("cuda", torch.bfloat16):
        asked, weights = net.read_question(q)
        found, mask = net.read_passage(p.view(-1, P_LEN))
    best, own = net.compare(q, asked, p, found.view(*p.shape, -1), mask.view(p.shape))
    logits = score(weights, best, own) * net.temperature.exp()
    order = F.kl_div(logits.masked_fill(~valid, -1e9).log_softmax(1), goal, reduction="batchmean")
    use = (valid[..., None] & some[:, None]).float()
    middle = lambda x: x - (x * valid[..., None]).sum(1, keepdim=True) / count[..., None]
    miss = ((middle(best) * net.reach[which].exp() - middle(token)) ** 2 * use).sum() / (middle(token) ** 2 * use).sum()
    top = (logits.masked_fill(~valid, -1e9).argmax(1) == wanted.masked_fill(~valid, -1e9).argmax(1)).float().mean()
    return order + args.token * miss, torch.stack([order.detach(), miss.detach(), top])


def train(args):
    import torch
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    table = load_table(args.model, torch)
    store = [load_lists(args, lang, table, torch) for lang in ("en", "zh")]
    for run in args.run or ["{}"]:
        one_run(argparse.Namespace(**{**vars(args), **json.loads(run)}), table, store, torch)


def one_run(args, table, store, torch):
    net = network(args, table, torch)
    log(args.name, vars(args), "parameters", sum(x.numel() for x in net.parameters()))
    decay = [p for p in net.parameters() if p.dim() == 2]
    rest = [p for p in net.parameters() if p.dim() != 2]
    optimiser = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0}], lr=args.lr, betas=(0.9, 0.98), fused=True)
    begun, said, step, seen = time.time(), time.time(), 0, torch.zeros(2, 3, device="cuda")
    while (part := (time.time() - begun) / args.seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = args.lr * min(1, (step + 1) / 300) * (0.495 * (1 + math.cos(math.pi * part)) + 0.01)
        for which, d in enumerate(store):
            loss, facts = losses(net, d, which, args, torch)
            loss.backward()
            seen[which] += facts
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        step += 1
        if step % 50 == 0:
            torch.cuda.synchronize()
            if time.time() - said > 20:
                (e, z), said = (seen / max(1, step - args.__dict__.get("mark", 0))).tolist(), time.time()
                log(args.name, "step", step, "per second %.1f" % (step / (said - begun)), "en order %.3f token %.3f top %.3f" % tuple(e), "zh order %.3f token %.3f top %.3f" % tuple(z))
                args.mark = step
                seen.zero_()
    log(args.name, "end step", step)
    torch.save({k: v.half().cpu() for k, v in net.state_dict().items()}, os.path.join(args.out, args.name + ".pt"))
    read_candidates(args, net, table, torch)


def read_candidates(args, net, table, torch):
    net.eval()
    result = {}
    for path in sorted(glob.glob(os.path.join(args.cache, "cand_*.npz"))):
        recipe, name = os.path.basename(path)[5:-4].replace("cand_", "").split("_", 1)
        data = dict(np.load(path))
        p, q = (torch.as_tensor(data[k].astype(np.int64), device="cuda") for k in ("p", "q"))
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
            found = torch.cat([net.read_passage(p[i:i + 2048])[0].bfloat16() for i in range(0, len(p), 2048)])
            asked, weights = net.read_question(q)
        rows = [[] for _ in data["hits"]]
        with torch.no_grad():
            for n, index, owner, hits in each_question(data, torch):
                best, own = net.compare(q[n:n + 1], asked[n:n + 1], p[index][None], found[index][None], (p[index] > 0)[None])
                best, own = by_hit(best[0], owner, hits, torch), by_hit(own[0], owner, hits, torch)
                w = weights[n]
                static = (own * table["long"][q[n]] * (q[n] > 0)).sum(-1) / (table["long"][q[n]] * (q[n] > 0)).sum().clamp(min=1e-6)
                alone = (best * w[:, 0]).sum(-1) / w[:, 0].sum().clamp(min=1e-6)
                rows[n] = torch.stack([score(w, best, own), alone, static], 1).cpu().numpy().astype(float).round(5).tolist()
        result.setdefault(recipe, {})[name] = rows
    for recipe, found in result.items():
        json.dump(found, open(os.path.join(args.out, f"{args.name}_{recipe}.json"), "w"))
    log(args.name, "read the candidates")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prepare", "teach", "train"))
    for name in ("corpus", "tokenizer", "teachers", "model", "cache", "out"):
        parser.add_argument("--" + name)
    parser.add_argument("--candidates", nargs="*", default=[])
    parser.add_argument("--run", nargs="*", help="settings of several runs over one preparation, each a JSON object")
    parser.add_argument("--name", default="late")
    for name, default in (("passages", 250000), ("questions", 2), ("processes", os.cpu_count()), ("seconds", 250), ("layers", 3), ("inner", 1024), ("width", 256), ("question-layers", 3),
                          ("question-inner", 1024), ("project", 128), ("batch", 128), ("list", 16), ("same", 5), ("near", 32), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=default)
    for name, default in (("lr", 1e-3), ("known", 0.15), ("sharp", 2.0), ("token", 1.0), ("real", 0.2), ("pooled", 0.4)):
        parser.add_argument("--" + name, type=float, default=default)
    args = parser.parse_args()
    if args.out:
        os.makedirs(args.out, exist_ok=True)
    {"prepare": prepare, "teach": teach, "train": train}[args.step](args)


if __name__ == "__main__":
    main()
