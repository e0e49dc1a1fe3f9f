#!/usr/bin/env python3
"""Writes docs/python-reference.md from the signatures and docstrings of the Python package `okno`.

Usage: .ci/python-reference.py            writes the page
       .ci/python-reference.py --check    fails when the page is not what it would write, or something has no docstring

The sources are read, not imported: no wheel is needed. Needs Python 3.10 and nothing else.
"""

import ast
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "crates/okno-python/python/okno"
PAGE = ROOT / "docs/python-reference.md"
MODULES = ("__init__", "_index", "_results", "_errors")
WIDTH = 100
BASE_OF_RESULTS = "_Result"
HEAD = """# Python reference

Made from the docstrings by `.ci/python-reference.py`; change those and run it. [Python](python.md)
tells how things belong together. Offsets are code points, ends are exclusive. The examples are run
by the tests; `folder` is an empty one.
"""


class Reference:
    """The definitions of the package, and the page that they make."""

    def __init__(self):
        trees = {name: ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8")) for name in MODULES}
        kinds = (ast.ClassDef, ast.FunctionDef)
        self.defined = {node.name: node for tree in trees.values() for node in tree.body if isinstance(node, kinds)}
        self.exported = exported(trees["__init__"])
        self.undocumented = []

    def page(self):
        public = [self.defined[name] for name in self.exported if name in self.defined]
        classes = [node for node in public if isinstance(node, ast.ClassDef)]
        errors = [node for node in classes if self.is_a(node, "Exception")]
        results = [node for node in classes if self.is_a(node, BASE_OF_RESULTS) or node.name == "Piece"]
        others = [node for node in classes if node not in errors and node not in results]
        functions = [node for node in public if isinstance(node, ast.FunctionDef)]
        lines = [HEAD, "## An index\n"]
        # The index itself comes before what it is given.
        for node in sorted(others, key=lambda node: node.name != "Index"):
            lines += self.class_part(node)
        lines += ["### Types in signatures\n", *self.aliases()]
        lines.append("## Without an index\n")
        for node in functions:
            lines += [f"### okno.{node.name}\n", *self.callable_part(node, f"okno.{node.name}", method=False)]
        lines.append("## Results\n")
        lines += self.shared_methods()
        for node in results:
            lines += self.class_part(node)
        lines.append("## Errors\n")
        for node in sorted(errors, key=lambda node: node.name != "OknoError"):
            lines += self.class_part(node, bases=True)
        return "\n".join(lines).rstrip() + "\n"

    def is_a(self, node, base):
        names = [ast.unparse(parent) for parent in node.bases]
        return base in names or any(self.is_a(self.defined[name], base) for name in names if name in self.defined)

    def class_part(self, node, bases=False):
        also = [ast.unparse(base) for base in node.bases]
        title = f"### okno.{node.name}\n"
        lines = [title, *self.described(node, node.name)]
        if bases and [base for base in also if base != "Exception"]:
            lines.append(f"Also caught as {' and '.join(f'`{base}`' for base in also)}.\n")
        if fields := [part for part in node.body if isinstance(part, ast.AnnAssign) and is_public(part.target.id)]:
            lines += ["| field | type |", "|---|---|"]
            lines += [f"| `{part.target.id}` | {in_table(ast.unparse(part.annotation))} |" for part in fields] + [""]
        for part in node.body:
            if isinstance(part, ast.FunctionDef) and is_public(part.name):
                lines += self.callable_part(part, f"{node.name}.{part.name}", method=True)
        return lines

    def aliases(self):
        """Names of types: a `#:` comment stands above each."""
        source = (PACKAGE / "_index.py").read_text(encoding="utf-8")
        for comment, name in re.findall(r"((?:^#:.*\n)+)(\w+) = ", source, re.MULTILINE):
            words = f"`{name}`: " + " ".join(line[2:].strip() for line in comment.splitlines())
            yield markdown(words)

    def shared_methods(self):
        node = self.defined[BASE_OF_RESULTS]
        lines = ["Every result of an index has these:\n"]
        for part in node.body:
            if isinstance(part, ast.FunctionDef) and is_public(part.name):
                lines += self.callable_part(part, part.name, method=True)
        return lines

    def callable_part(self, node, name, method):
        return [f"```python\n{signature(node, name, method)}\n```\n", *self.described(node, name)]

    def described(self, node, name):
        text = ast.get_docstring(node)
        if not text:
            self.undocumented.append(name)
            return []
        return [markdown(text)]


def exported(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    sys.exit("there is no __all__")


def is_public(name):
    return not name.startswith("_")


def in_table(text):
    return "`" + text.replace("|", "\\|") + "`"


def signature(node, name, method):
    """A call as one writes it: without `self` and quotes around types, on several lines where one is too long."""
    own = node.args
    arguments = ast.arguments(own.posonlyargs, own.args[1:] if method else own.args, own.vararg, own.kwonlyargs,
                              own.kw_defaults, own.kwarg, own.defaults)
    given = ast.unparse(arguments).replace("'_os.PathLike[str]'", "os.PathLike[str]")
    given = re.sub(r"(?<=[\w\]])=", " = ", given)  # as one writes it where a type is named
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{name}({given}){returns}"
    if len(line) <= WIDTH:
        return line
    parts = re.split(r", (?=[*\w]+(?:[:,=]|$))", given)
    return "\n".join([f"{name}(", *[f"    {part}," for part in parts], f"){returns}"])


def markdown(text):
    """A docstring as Markdown: paragraphs wrapped, examples in fences."""
    out = []
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.lstrip().startswith(">>>"):
            out.append(f"```pycon\n{paragraph}\n```\n")
            continue
        words = re.sub(r":(?:meth|class|func):`(?:~?okno\.)?([^`]+)`", r"`\1`", paragraph)
        words = " ".join(words.replace("``", "`").split())
        out.append(textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n")
    return "\n".join(out)


def main():
    reference = Reference()
    page = reference.page()
    if reference.undocumented:
        sys.exit(f"no docstring: {', '.join(reference.undocumented)}")
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
            sys.exit(f"{PAGE.relative_to(ROOT)} is not what the docstrings say: run .ci/python-reference.py")
        print(f"{PAGE.relative_to(ROOT)} is what the docstrings say")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
