#!/usr/bin/env python3
"""LangChain, LlamaIndex and Haystack: their usual pipelines, and the same with Okno's retriever, in one run.

    .ci/fetch-models.sh MODELS
    frameworks.py SETS_DIR --models MODELS [--sets squad,dragon_zh] [--frameworks langchain,llamaindex,haystack] [--json]

Needs the packages okno (.ci/wheel.sh), langchain-core langchain-text-splitters langchain-community langchain-classic
rank_bm25, llama-index-core llama-index-retrievers-bm25, haystack-ai, onnxruntime, tokenizers, numpy and jieba.
Four pipelines per framework, all over the same documents:

    vectors   the framework's splitter and its in-memory vector store, with BGE-small v1.5 of the language
    words     the same chunks with the framework's BM25 retriever; Chinese is cut by jieba or into characters
    hybrid    both, joined by reciprocal rank fusion with the framework's own means
    okno      the retriever of `integrations/`

Chunks have 1,000 characters (200 words in Haystack, 512 tokens in LlamaIndex), in Chinese 500 (450 tokens in
LlamaIndex), where the separators are Chinese ones too: the model reads 512 tokens, and longer ones would be cut off.
Of LlamaIndex's English chunks 18 of 296 are longer with their title, by 35 tokens at most. Every pipeline returns enough for the budget, and
what is returned is cut at the budget, in WordPieces (one Chinese character is one token), the same way for all:

    coverage@500   share of questions whose gold span lies wholly in the first 500 tokens
    all@2000       share with every excerpt of the answer in the first 2,000; one excerpt where a set has no `spans`
    repeated       share of the characters of the first 2,000 tokens that were there before
    index, question   CPU seconds for all documents, CPU milliseconds for a question; the model is loaded already,
                      and runs on one thread

A process of its own does each set in each framework.
"""
import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import parts
import quality

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("langchain-okno", "llama-index-retrievers-okno", "haystack-okno/src")
BUDGETS = (500, 2000)
TOP_K = 20  # chunks: more than 2,000 tokens of them in every pipeline
FUSED = 60  # what reciprocal rank fusion adds to a rank, in all three frameworks
CHINESE_MARKS = ["\n\n", "\n", "。", "！", "？", "；", "，", " ", ""]
MODELS = {"en": ("bge-small-en-v15", "Represent this sentence for searching relevant passages: "),
          "zh": ("bge-small-zh-v15", "为这个句子生成表示以用于检索相关文章：")}


# ---- the embedding model

def unpacked(models, name, scratch):
    """The weights and the tokenizer out of the package of a model, full precision before quantised."""
    jars = sorted(models.glob(f"*{name}-[0-9]*.jar")) or sorted(models.glob(f"*{name}-q-*.jar"))
    if not jars:
        sys.exit(f"there is no {name} in {models}: run .ci/fetch-models.sh {models}")
    with zipfile.ZipFile(jars[-1]) as jar:
        files = {Path(file).suffix: jar.extract(file, scratch) for file in jar.namelist()
                 if file.endswith(".onnx") or file.endswith("tokenizer.json")}
    return files[".onnx"], files[".json"], jars[-1].name


class Bge:
    """Texts become vectors of length 1: the first token's, as the model was trained. One thread."""

    def __init__(self, models, language, scratch):
        import onnxruntime
        from tokenizers import Tokenizer
        name, self.instruction = MODELS[language]
        weights, tokenizer, self.package = unpacked(models, name, scratch)
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.enable_truncation(512)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        self.inputs = {wanted.name for wanted in self.session.get_inputs()}

    def passages(self, texts):
        """Vectors in the order of the texts; alike lengths go together, so that little is padded."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        rows = [None] * len(texts)
        for first in range(0, len(order), 16):
            some = order[first:first + 16]
            for at, row in zip(some, self._run([texts[at] for at in some])):
                rows[at] = row
        return rows

    def question(self, text):
        return self._run([self.instruction + text])[0]

    def _run(self, texts):
        import numpy
        read = self.tokenizer.encode_batch(texts)
        feed = {"input_ids": [one.ids for one in read], "attention_mask": [one.attention_mask for one in read],
                "token_type_ids": [one.type_ids for one in read]}
        feed = {name: numpy.array(rows, numpy.int64) for name, rows in feed.items() if name in self.inputs}
        output = self.session.run(None, feed)[0]
        vectors = output[:, 0] if output.ndim == 3 else output
        return (vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)).tolist()


def words(text):
    """Words for BM25: jieba's in Chinese, lower-cased ones in English."""
    import jieba
    jieba.setLogLevel("WARNING")
    if re.search(r"[\u4e00-\u9fff]", text):
        return [word for word in jieba.lcut(text.lower()) if re.search(r"\w", word)]
    return re.findall(r"\w+", text.lower())


def context(document, start, text):
    return {"doc_id": document, "start": start, "end": start + len(text), "text": text}


# ---- the frameworks: each yields (pipeline, how to index, how to answer a question at a budget)

def langchain(corpus, bge, language, folder):
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_okno import OknoRetriever
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    import okno

    class Embedding(Embeddings):
        def embed_documents(self, texts):
            return bge.passages(texts)

        def embed_query(self, text):
            return bge.question(text)

    documents = [Document(doc["text"], metadata={"doc_id": doc["doc_id"], "title": doc["title"]}) for doc in corpus]
    chinese = {"chunk_size": 500, "chunk_overlap": 100, "separators": CHINESE_MARKS, "keep_separator": "end"}
    shape = chinese if language == "zh" else {"chunk_size": 1000, "chunk_overlap": 200}
    made = {}

    def split():
        splitter = RecursiveCharacterTextSplitter(add_start_index=True, **shape)
        return splitter.split_documents(documents)

    def vectors():
        store = InMemoryVectorStore(Embedding())
        store.add_documents(split())
        made["vectors"] = store.as_retriever(search_kwargs={"k": TOP_K})

    def by_words():
        made["words"] = BM25Retriever.from_documents(split(), preprocess_func=words, k=TOP_K)

    def hybrid():
        both = [made["vectors"], made["words"]]
        made["hybrid"] = EnsembleRetriever(retrievers=both, weights=[0.5, 0.5], c=FUSED, id_key=None)

    def with_okno():
        index = okno.Index.create(folder / "langchain.okno")
        index.add({"id": doc["doc_id"], "title": doc["title"], "text": doc["text"]} for doc in corpus)
        for budget in BUDGETS:
            made["okno", budget] = OknoRetriever(index=index, budget=budget)

    def ask(pipeline):
        def answer(question, budget):
            found = made[pipeline].invoke(question)
            return [context(d.metadata["doc_id"], d.metadata["start_index"], d.page_content) for d in found]
        return answer

    def ask_okno(question, budget):
        found = [(d.metadata["okno"], d.page_content) for d in made["okno", budget].invoke(question)]
        return [context(place["document"], place["start"], text) for place, text in found]

    yield "vectors", vectors, ask("vectors")
    yield "words", by_words, ask("words")
    yield "hybrid", hybrid, ask("hybrid")
    yield "okno", with_okno, ask_okno


def llamaindex(corpus, bge, language, folder):
    from llama_index.core import Document, Settings, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.retrievers.bm25 import BM25Retriever
    from llama_index.retrievers.okno import OknoRetriever
    import okno

    class Embedding(BaseEmbedding):
        def _get_text_embeddings(self, texts):
            return bge.passages(texts)

        def _get_text_embedding(self, text):
            return bge.passages([text])[0]

        def _get_query_embedding(self, query):
            return bge.question(query)

        async def _aget_query_embedding(self, query):
            return self._get_query_embedding(query)

    Settings.llm = MockLLM()  # QueryFusionRetriever wants one, and asks it nothing for one query
    documents = [Document(id_=doc["doc_id"], text=doc["text"], metadata={"title": doc["title"]}) for doc in corpus]
    made = {}

    def split():
        # With the title 443 tokens of the model at most in dragon_zh, 547 in squad.
        size = {"chunk_size": 450, "chunk_overlap": 100} if language == "zh" else {"chunk_size": 512}
        return SentenceSplitter(**size).get_nodes_from_documents(documents)

    def vectors():
        index = VectorStoreIndex(split(), embed_model=Embedding(model_name="bge-small", embed_batch_size=256))
        made["vectors"] = index.as_retriever(similarity_top_k=TOP_K)

    def by_words():
        pattern = {"token_pattern": r"(?u)[\u4e00-\u9fff]|[a-zA-Z0-9_]+", "skip_stemming": True}
        chinese = pattern if language == "zh" else {}
        made["words"] = BM25Retriever.from_defaults(nodes=split(), similarity_top_k=TOP_K, **chinese)

    def hybrid():
        made["hybrid"] = QueryFusionRetriever([made["vectors"], made["words"]], similarity_top_k=TOP_K, num_queries=1,
                                              mode="reciprocal_rerank", use_async=False)

    def with_okno():
        index = okno.Index.create(folder / "llamaindex.okno")
        index.add({"id": doc["doc_id"], "title": doc["title"], "text": doc["text"]} for doc in corpus)
        for budget in BUDGETS:
            made["okno", budget] = OknoRetriever(index, budget=budget)

    def ask(pipeline):
        def answer(question, budget):
            found = [hit.node for hit in made[pipeline].retrieve(question)]
            return [context(node.ref_doc_id, node.start_char_idx, node.text) for node in found]
        return answer

    def ask_okno(question, budget):
        found = [(hit.metadata["okno"]["document"], hit.node) for hit in made["okno", budget].retrieve(question)]
        return [context(document, node.start_char_idx, node.text) for document, node in found]

    yield "vectors", vectors, ask("vectors")
    yield "words", by_words, ask("words")
    yield "hybrid", hybrid, ask("hybrid")
    yield "okno", with_okno, ask_okno


def haystack(corpus, bge, language, folder):
    from haystack import Document, Pipeline, component
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.preprocessors import DocumentSplitter, RecursiveDocumentSplitter
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.components.writers import DocumentWriter
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack_integrations.components.retrievers.okno import OknoRetriever
    import okno

    @component
    class DocumentEmbedder:
        @component.output_types(documents=list[Document])
        def run(self, documents: list[Document]):
            vectors = bge.passages([document.content for document in documents])
            return {"documents": [replace(one, embedding=vector) for one, vector in zip(documents, vectors)]}

    @component
    class TextEmbedder:
        @component.output_types(embedding=list[float])
        def run(self, text: str):
            return {"embedding": bge.question(text)}

    given = [{"content": doc["text"], "meta": {"doc_id": doc["doc_id"], "title": doc["title"]}} for doc in corpus]
    made = {}

    def splitter():
        if language == "zh":
            marks = CHINESE_MARKS[:-2]
            return RecursiveDocumentSplitter(split_length=500, split_overlap=100, split_unit="char", separators=marks)
        return DocumentSplitter(split_by="word", split_length=200, split_overlap=40)

    def write(store, *steps):
        pipeline = Pipeline()
        names = ["split", *[f"step{number}" for number in range(len(steps))], "write"]
        for name, step in zip(names, [splitter(), *steps, DocumentWriter(store)]):
            pipeline.add_component(name, step)
        for before, after in zip(names, names[1:]):
            pipeline.connect(f"{before}.documents", f"{after}.documents")
        pipeline.run({"split": {"documents": [Document(**one) for one in given]}})

    def dense_part(pipeline):
        pipeline.add_component("embed", TextEmbedder())
        pipeline.add_component("vectors", InMemoryEmbeddingRetriever(made["dense store"], top_k=TOP_K))
        pipeline.connect("embed.embedding", "vectors.query_embedding")

    def vectors():
        made["dense store"] = InMemoryDocumentStore()
        write(made["dense store"], DocumentEmbedder())
        made["vectors"] = Pipeline()
        dense_part(made["vectors"])

    def by_words():
        made["word store"] = InMemoryDocumentStore()
        write(made["word store"])
        made["words"] = Pipeline()
        made["words"].add_component("words", InMemoryBM25Retriever(made["word store"], top_k=TOP_K))

    def hybrid():
        pipeline = made["hybrid"] = Pipeline()
        dense_part(pipeline)
        pipeline.add_component("words", InMemoryBM25Retriever(made["dense store"], top_k=TOP_K))
        pipeline.add_component("join", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP_K))
        pipeline.connect("vectors", "join")
        pipeline.connect("words", "join")

    def with_okno():
        path = folder / "haystack.okno"
        with okno.Index.create(path) as index:
            index.add({"id": doc["doc_id"], "title": doc["title"], "text": doc["text"]} for doc in corpus)
        for budget in BUDGETS:
            made["okno", budget] = Pipeline()
            made["okno", budget].add_component("okno", OknoRetriever(str(path), budget=budget))

    asked = {"vectors": lambda question: {"embed": {"text": question}},
             "words": lambda question: {"words": {"query": question}},
             "hybrid": lambda question: {"embed": {"text": question}, "words": {"query": question}}}

    def ask(pipeline, last):
        def answer(question, budget):
            found = made[pipeline].run(asked[pipeline](question))[last]["documents"]
            return [context(d.meta["doc_id"], d.meta["split_idx_start"], d.content) for d in found]
        return answer

    def ask_okno(question, budget):
        found = made["okno", budget].run({"okno": {"query": question}})["okno"]["documents"]
        return [context(d.meta["okno"]["document"], d.meta["okno"]["start"], d.content) for d in found]

    yield "vectors", vectors, ask("vectors", "vectors")
    yield "words", by_words, ask("words", "words")
    yield "hybrid", hybrid, ask("hybrid", "join")
    yield "okno", with_okno, ask_okno


FRAMEWORKS = {"langchain": langchain, "llamaindex": llamaindex, "haystack": haystack}


# ---- one framework on one set, in a process of its own

def step(framework, folder, models, questions):
    """Prints {pipeline: {index_s, question_ms, answers: {budget: {qid: contexts}}}}."""
    sys.path[:0] = [str(ROOT / "integrations" / source) for source in SOURCES]
    folder = Path(folder)
    corpus = quality.read_file(folder / "corpus.jsonl")
    queries = quality.read_file(folder / "queries.jsonl")[:int(questions) or None]
    language = corpus[0]["lang"]
    words("先读词典")
    out = {}
    with tempfile.TemporaryDirectory(prefix="okno-frameworks-") as scratch:
        bge = Bge(Path(models), language, scratch)
        bge.question("warm")
        for pipeline, index, answer in FRAMEWORKS[framework](corpus, bge, language, Path(scratch)):
            begun = time.process_time()
            index()
            indexed = time.process_time() - begun
            if pipeline == "hybrid":  # it searches what the other two have indexed
                indexed += out["vectors"]["index_s"] + out["words"]["index_s"]
            answer(queries[0]["question"], BUDGETS[0])  # the first one opens and warms
            answers = {budget: {} for budget in BUDGETS}
            begun = time.process_time()
            for query in queries:
                answers[BUDGETS[0]][query["qid"]] = answer(query["question"], BUDGETS[0])
            asked = time.process_time() - begun
            # A pipeline without a budget returns the same for all of them.
            for budget in BUDGETS[1:]:
                answers[budget] = answers[BUDGETS[0]] if pipeline != "okno" else {
                    query["qid"]: answer(query["question"], budget) for query in queries}
            out[pipeline] = {"index_s": indexed, "question_ms": 1000 * asked / len(queries), "answers": answers}
            print(f"{folder.name} {framework} {pipeline}: done", file=sys.stderr)
    print(json.dumps({"model": bge.package, "pipelines": out}))


# ---- scoring

def cut(contexts, budget, tokenizer):
    """The contexts that the first `budget` tokens hold, the last one cut."""
    kept = []
    for one in contexts:
        offsets = tokenizer.encode(one["text"], add_special_tokens=False).offsets
        if len(offsets) > budget:
            if budget:
                kept.append(context(one["doc_id"], one["start"], one["text"][:offsets[budget - 1][1]]))
            break
        kept.append(one)
        budget -= len(offsets)
    return kept


def figures(queries, answers, corpus, tokenizer):
    """coverage@500, all@2000, repeated, and the share of contexts that are not the slice they claim to be."""
    rows = []
    for query in queries:
        short, long = (cut(answers[str(budget)][query["qid"]], budget, tokenizer) for budget in BUDGETS)
        seen = quality.spans_by_document(short).get(query["doc_id"], [])
        answer = quality.trim(corpus[query["doc_id"]], query["start"], query["end"])
        spans = query.get("spans") or [{"doc_id": query["doc_id"], "start": query["start"], "end": query["end"]}]
        found = quality.spans_by_document(long)
        returned = sum(map(quality.length, found.values()))
        distinct = sum(quality.length(quality.union(own)) for own in found.values())
        rows.append({
            "coverage": float(quality.overlap(quality.union(seen), *answer) == answer[1] - answer[0]),
            "all": float(all(parts.span_found(span, long, corpus) for span in spans)),
            "repeated": 1 - distinct / returned if returned else 0.0,
            "exact": quality.mean(float(quality.is_exact(one, corpus)) for one in long) if long else 1.0,
        })
    return {name: quality.mean(row[name] for row in rows) for name in rows[0]}


def measure(framework, folder, args, tokenizer):
    command = [sys.executable, __file__, "--step", framework, folder, args.models, args.questions]
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        sys.exit(f"{framework} on {folder.name} failed")
    found = json.loads(done.stdout)
    queries = quality.read_file(folder / "queries.jsonl")[:args.questions or None]
    corpus = {doc["doc_id"]: doc["text"] for doc in quality.read_file(folder / "corpus.jsonl")}
    lines = {}
    for pipeline, result in found["pipelines"].items():
        answers = result.pop("answers")
        lines[pipeline] = {**figures(queries, answers, corpus, tokenizer), **result}
    return {"model": found["model"], "questions": len(queries), "pipelines": lines}


def print_set(name, results):
    first = next(iter(results.values()))
    print(f"\n{name}: {first['questions']} questions, {first['model']}")
    print(f"{'':<24}{'coverage@500':>13}{'all@2000':>10}{'repeated':>10}{'exact':>8}{'index s':>9}{'question ms':>13}")
    for framework, result in results.items():
        for pipeline, line in result["pipelines"].items():
            shares = f"{line['coverage']:>13.3f}{line['all']:>10.3f}{line['repeated']:>10.3f}{line['exact']:>8.3f}"
            digits = max(0, 2 - math.floor(math.log10(max(line["index_s"], .01))) - 1)
            print(f"{framework + ' ' + pipeline:<24}{shares}{line['index_s']:>9.{digits}f}{line['question_ms']:>13.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets_dir", type=Path, help="folder whose subfolders are question sets")
    parser.add_argument("--models", type=Path, required=True, help="folder that .ci/fetch-models.sh has filled")
    parser.add_argument("--sets", default="squad,dragon_zh", help="names separated by commas")
    parser.add_argument("--frameworks", default=",".join(FRAMEWORKS), help="names separated by commas")
    parser.add_argument("--questions", type=int, default=0, help="only the first so many of each set")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    args = parser.parse_args()
    from tokenizers import Tokenizer
    with tempfile.TemporaryDirectory() as scratch:
        tokenizer = Tokenizer.from_file(unpacked(args.models, MODELS["en"][0], scratch)[1])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    results = {}
    for folder in quality.chosen_sets(args.sets_dir, args.sets):
        results[folder.name] = {framework: measure(framework, folder, args, tokenizer)
                                for framework in args.frameworks.split(",")}
        if not args.json:
            print_set(folder.name, results[folder.name])
    if args.json:
        print(json.dumps(results))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        step(*sys.argv[2:])
    else:
        main()
