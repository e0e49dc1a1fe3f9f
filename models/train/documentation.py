#!/usr/bin/env python3
"""Real questions: sections of freely licensed documentation under the headings that their authors wrote.

    documentation.py --out FILE ARCHIVE…        (.deb, .zip, .tar.gz, .tgz: packages as their registries carry them)

One line a section: source, language, kind, heading, headings above it, text; separated by tabs. `kind` is `question` (the heading asks),
`howto` (it begins with an action), `name` (the one-line description of a manual page), `heading` (any other telling heading) or
`text` (a heading that many sections have, such as "Examples": text only, no query). Reads HTML, Markdown, reStructuredText, AsciiDoc, POD,
Mallard and DocBook XML and manual pages.
"""
import argparse
import collections
import gzip
import os
import re
import subprocess
import sys
import tarfile
import zipfile

from lxml import etree, html

HAN = re.compile("[\u3400-\u9fff]")
ENGLISH = re.compile(r"\b(the|of|to|and|is|you|for|in|a)\b", re.I)
ASKS = {"en": re.compile(r"\?\s*$|^(how|what|why|when|where|which|who|can|could|do|does|did|is|are|should|will|may|must|am)\b[^:]*$", re.I),
        "zh": re.compile("[？?]|如何|怎么|怎样|什么|为什么|为何|是否|哪|吗|多少|怎麼|什麼|為什麼|為何|嗎")}
ACTS = {"en": re.compile(r"^(?:to )?(using|use|add|adding|creat(?:e|ing)|configur(?:e|ing)|install(?:ing)?|set(?:ting)?|chang(?:e|ing)|remov(?:e|ing)|writ(?:e|ing)|run(?:ning)?|"
                         r"enabl(?:e|ing)|disabl(?:e|ing)|build(?:ing)?|mak(?:e|ing)|get(?:ting)?|work(?:ing)?|manag(?:e|ing)|connect(?:ing)?|open(?:ing)?|sav(?:e|ing)|print(?:ing)?|"
                         r"find(?:ing)?|check(?:ing)?|test(?:ing)?|debug(?:ging)?|upgrad(?:e|ing)|updat(?:e|ing)|import(?:ing)?|export(?:ing)?|customiz(?:e|ing)|defin(?:e|ing)|"
                         r"handl(?:e|ing)|select(?:ing)?|insert(?:ing)?|delet(?:e|ing)|start(?:ing)?|stop(?:ping)?|avoid(?:ing)?|fix(?:ing)?)\b", re.I),
        "zh": re.compile("^(使用|添加|创建|配置|安装|设置|更改|删除|编写|运行|启用|禁用|构建|管理|连接|打开|保存|打印|查找|检查|测试|调试|升级|更新|导入|导出|自定义|定义|处理|选择|插入|启动|停止|避免|修复)")}
LONGEST = {"en": 4000, "zh": 1600}
SHORTEST = {"en": 120, "zh": 50}
COMMON = 5                   # a heading of more sections than this asks nothing
PER_ARCHIVE = 4000           # sections kept of one archive
ONLY = re.compile("")
FILES = 1500                 # files read of one archive
SKIPPED = re.compile(r"(^|/)(_modules|_static|_downloads|_images|genindex|search|py-modindex|node_modules|licenses?|copying|copyright|changelog|changes|release[-_]?notes?|whatsnew|news|"
                     r"authors|credits|javadoc|apidocs?|generated|src/test|test/|tests/|testdata|fixtures|std/|core/|alloc/)[^/]*", re.I)
OTHER_LANGUAGE = re.compile(r"(?:^|[/.])(?:ar|bg|bn|bs|ca|cs|da|de|el|eo|es|et|eu|fa|fi|fr|gl|gu|he|hi|hr|hu|id|it|ja|ka|kn|ko|lt|lv|mk|ml|mr|nb|nl|nn|no|oc|pa|pl|pt|ro|ru|sk|sl|sq|sr|"
                            r"sv|ta|te|th|tr|ug|uk|vi)(?:[_-][A-Za-z]{2,5})?(?:@\w+)?(?:/|\.html?)")
SPACE = re.compile(r"\s+")


def squeeze(text):
    return SPACE.sub(" ", text).strip()


def language(text):
    """`zh`, `en` or None for other languages and for code."""
    letters = sum(map(str.isalpha, text)) or 1
    if len(HAN.findall(text)) > 0.2 * letters:
        return None if re.search("[\u3040-\u30ff\uac00-\ud7af]", text) else "zh"
    ascii_letters = sum(c.isascii() and c.isalpha() for c in text)
    words = len(text.split()) or 1
    return "en" if ascii_letters > 0.97 * letters and len(ENGLISH.findall(text)) > 0.08 * words else None


# ---------------------------------------------------------------- readers: (level, heading, text) of every section
def read_html(data):
    try:
        tree = html.fromstring(data, parser=None if b"charset" in data[:2000] else html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return
    for dead in tree.xpath("//script|//style|//nav|//header|//footer|//table[contains(@class,'nav')]|//div[contains(@class,'sphinxsidebar') or contains(@class,'related') or contains(@class,'nav') or contains(@class,'toc')]|//a[contains(@class,'headerlink')]"):
        if dead.getparent() is not None:
            dead.drop_tree()
    for pre in tree.xpath("//pre"):
        if len(pre.text_content()) > 400:
            pre.drop_tree()
    level, heading, parts = 0, squeeze(" ".join(tree.xpath("//title/text()")[:1])), []
    skip = None
    for event, element in etree.iterwalk(tree.find("body") if tree.find("body") is not None else tree, events=("start", "end")):
        tag = element.tag if isinstance(element.tag, str) else ""
        if event == "start" and skip is None and (re.fullmatch("h[1-6]", tag) or tag == "dt" and squeeze(element.text_content()).endswith(("?", "？"))):
            yield level, heading, squeeze(" ".join(parts))
            level, heading, parts, skip = (int(tag[1]) if tag != "dt" else 7), squeeze(element.text_content()), [], element
        elif event == "start" and skip is None and element.text and tag:
            parts.append(element.text)
        elif event == "end":
            if skip is element:
                skip = None
            if skip is None and element.tail:
                parts.append(element.tail)
    yield level, heading, squeeze(" ".join(parts))


def plain_markup(text):
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<!--.*?-->|\{\{[<%].*?[>%]\}\}", " ", text, flags=re.S)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r":[a-z:]+:`~?([^`<]*?)(?: <[^`]*>)?`", r"\1", text)
    text = re.sub(r"(?:link|xref):[^\[\s]*\[([^\]]*)\]", r"\1", text)
    text = re.sub(r"</?[a-zA-Z][^>]*>", " ", text)
    return squeeze(re.sub(r"[*`]{1,3}|^\s*\|?[-:| ]{4,}$|^ *\.\. .*$|^\s*:[\w-]+:.*$|^[|]===.*$", " ", text, flags=re.M))


def by_lines(text, headings):
    """Cuts at the lines that `headings` (line number → level, heading, lines to skip) names."""
    lines, level, heading, start = text.split("\n"), 0, "", 0
    for number in sorted(headings):
        yield level, plain_markup(heading), plain_markup("\n".join(lines[start:number]))
        level, heading, taken = headings[number]
        start = number + taken
    yield level, plain_markup(heading), plain_markup("\n".join(lines[start:]))


def without_blocks(text, fence):
    """Long code blocks become empty lines."""
    return re.sub(fence, lambda m: m.group() if len(m.group()) < 400 else "\n" * m.group().count("\n"), text, flags=re.S | re.M)


def read_markdown(text):
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = without_blocks(text, r"^\s*```.*?^\s*```")
    headings, code = {}, False
    for number, line in enumerate(text.split("\n")):
        code ^= line.lstrip().startswith("```")
        if not code and (found := re.match(r"(#{1,6})\s+(.*?)\s*#*\s*(\{#.*\})?$", line)):
            headings[number] = (len(found[1]), found[2], 1)
        elif not code and (found := re.match(r"\s*(?:[-*]\s+|\d+\.\s+)?\*\*\s*(.{6,120}?[?？])\s*\*\*\s*$", line)):
            headings[number] = (7, found[1], 1)
    return by_lines(text, headings)


def read_rst(text):
    lines, marks, headings = text.split("\n"), [], {}
    for number in range(len(lines) - 1):
        line, under = lines[number].rstrip(), lines[number + 1].rstrip()
        if line and not line.startswith(("..", " ")) and len(under) >= max(3, len(line) - 1) and re.fullmatch(r"([=\-~^\"'`#*+.:_])\1+", under) and not re.fullmatch(r"([=\-~^\"'`#*+.:_])\1+", line):
            if under[0] not in marks:
                marks.append(under[0])
            headings[number] = (marks.index(under[0]) + 1, line, 2)
    return by_lines(text, headings)


def read_adoc(text):
    text = without_blocks(text, r"^(----|\.\.\.\.).*?^\1")
    return by_lines(text, {n: (len(m[1]), m[2], 1) for n, line in enumerate(text.split("\n")) if (m := re.match(r"(={1,6})\s+(.*)", line))})


def read_pod(text):
    text = re.sub(r"[A-Z]<+\s*([^<>]*?)\s*>+", r"\1", text)
    text = re.sub(r"^=(over|back|cut|encoding|pod|for|begin|end|item)\b.*$", "", text, flags=re.M)
    return by_lines(text, {n: (int(m[1]), m[2], 1) for n, line in enumerate(text.split("\n")) if (m := re.match(r"=head(\d)\s+(.*)", line))})


def read_xml(data):
    try:
        tree = etree.fromstring(data, etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False))
    except etree.XMLSyntaxError:
        return
    if tree is None:
        return
    name = lambda e: etree.QName(e).localname if isinstance(e.tag, str) else ""

    def walk(element, level):
        title = next((c for c in element if name(c) == "title" and c.get("type") is None), None)
        parts, inner = [], []

        def collect(node):
            for child in node:
                if child is title or name(child) in ("info", "screen", "indexterm", "programlisting", ""):
                    pass
                elif any(name(c) == "title" for c in child):
                    inner.append(child)
                else:
                    parts.append(child.text or "")
                    collect(child)
                parts.append(child.tail or "")
        collect(element)
        if title is not None:
            yield level, squeeze("".join(title.itertext())), squeeze(" ".join(parts))
        for child in inner:
            yield from walk(child, level + 1)
    yield from walk(tree, 1)


def read_man(text):
    """The one-line description of a manual page over its description."""
    text = re.sub(r"\\f[A-Z]|\\f\([A-Z]{2}|\\&|\\[|^/,]", "", text).replace("\\-", "-").replace("\\e", "\\")
    text = re.sub(r"\\\((?:lq|rq|aq|oq|cq|dq)", '"', text)
    parts = dict((squeeze(m[1].strip('"')).upper(), m[2]) for m in re.finditer(r"^\.S[hH]\s+(.*?)\n(.*?)(?=^\.S[hH]|\Z)", text, re.S | re.M))
    clean = lambda t: squeeze(re.sub(r"^[.'](\\\"|[a-zA-Z]{2,3}\b)\s*", " ", t, flags=re.M).replace('"', ""))
    named = clean(next((v for k, v in parts.items() if k in ("NAME", "名称", "名字", "NAME 名称", "名")), ""))
    about = clean(next((v for k, v in parts.items() if k.startswith("DESCRIPTION") or k in ("描述", "说明")), ""))
    found = re.match(r"(.{1,60}?)\s+(?:-{1,2}|—)\s+(.{8,150})$", named)
    if found and about:
        yield 0, found[1].split(",")[0], ""
        yield 8, found[2], about


READERS = ((re.compile(r"\.x?html?(\.gz)?$"), read_html, bytes), (re.compile(r"\.mdx?$"), read_markdown, str), (re.compile(r"\.(rst|rst\.txt|txt)(\.gz)?$"), read_rst, str),
           (re.compile(r"\.adoc$"), read_adoc, str), (re.compile(r"\.pod$"), read_pod, str), (re.compile(r"\.(page|docbook|xml)$"), read_xml, bytes),
           (re.compile(r"/man/(zh_CN/|zh_TW/|)man[158]/[^/]*\.[1-8][a-z]*(\.gz)?$"), read_man, str))


# ---------------------------------------------------------------- archives
def members(path):
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as file:
            for info in file.infolist():
                if info.file_size < 3_000_000:
                    yield info.filename, lambda: file.read(info)
        return
    if path.endswith(".deb"):
        running = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE)
        opened = tarfile.open(fileobj=running.stdout, mode="r|")
    else:
        opened = tarfile.open(path, "r|*")
    with opened as file:
        for info in file:
            if info.isfile() and info.size < 3_000_000:
                yield info.name, lambda: file.extractfile(info).read()


def wanted(path, archive):
    if not ONLY.search(path) or SKIPPED.search(path) or OTHER_LANGUAGE.search(path):
        return None
    if not archive.endswith(".deb") and not re.search(r"(^|/)(docs?|documentation|site|website|manual|guide|command|content|curriculum|handbook|asciidoc|faq|readme)[^/]*(/|\.)", path, re.I):
        return None
    return next(((reader, form) for pattern, reader, form in READERS if pattern.search(path)), None)


def sections(archive):
    """(headings above, heading, level, text) of every section of an archive."""
    files = 0
    for path, read in members(archive):
        chosen = wanted(path, archive)
        if chosen is None:
            continue
        files += 1
        if files > FILES:
            break
        try:
            data = read()
            data = gzip.decompress(data) if path.endswith(".gz") else data
            data = data.decode("utf8", "replace") if chosen[1] is str else data
            above = []
            for level, heading, text in chosen[0](data):
                heading = heading_of(heading)
                above = [a for a in above if a[0] < level]
                yield " / ".join(dict.fromkeys(a[1] for a in above[-2:])), heading, level, text
                if heading:
                    above.append((level, heading))
        except (OSError, ValueError, UnicodeDecodeError, etree.LxmlError, RecursionError, AssertionError) as error:
            print("skipped", path, error, file=sys.stderr)


def heading_of(text):
    text = re.sub(r"^[\s#]*(?:(?:chapter|appendix|section|part)\s+[\dA-Z.]+[.:]?\s*|第\s*\S{1,4}\s*[章节]\s*|[\dA-Z]?(?:\.?\d+)*[.):]\s+|\d+(?:\.\d+)*\s+|Q\s*\d*\s*[:.：]\s*)", "", squeeze(text).strip("¶§ "), flags=re.I)
    return text.strip(" ¶\":：")[:200]


def kind_of(heading, lang, level):
    han, words = len(HAN.findall(heading)), heading.split()
    if level == 8:
        return "name"
    if re.search(r"[_{}<>=\\$]|\(\)|::|\w\.\w+\(|--\w", heading):
        return "text"
    if lang == "zh" and not 4 <= han <= 45 or lang == "en" and not 3 <= len(words) <= 22:
        return "text"
    if ASKS[lang].search(heading):
        return "question"
    return "howto" if ACTS[lang].search(heading) else "heading"


def source_of(archive):
    return re.sub(r"(_[^_]*_(all|amd64)\.deb|-(\d[\w.+]*)(-source-release)?\.(tar\.gz|zip|tgz)|\.(tgz|zip|tar\.gz))$", "", os.path.basename(archive))


def rows_of(archive, seen):
    out = []
    for above, heading, level, text in sections(archive):
        text = text.replace("\x1f", " ")[: LONGEST["en"]]
        lang = language(text[:1500])
        if lang is None or len(text) < SHORTEST[lang] or not heading:
            continue
        asked = "zh" if len(HAN.findall(heading)) >= 2 else "en"
        text = text[: LONGEST[lang]]
        mark = (lang, text[:80].lower())
        if mark in seen:
            continue
        seen.add(mark)
        out.append([source_of(archive), lang, kind_of(heading, lang, level) if asked == lang else "text", heading, above, text])
    order = {"question": 0, "howto": 1, "name": 2, "heading": 3, "text": 4}
    return sorted(out, key=lambda r: order[r[2]])[:PER_ARCHIVE]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", help="read only the paths that match this expression")
    parser.add_argument("archives", nargs="+")
    args = parser.parse_args()
    global ONLY
    ONLY = re.compile(args.only or "")
    seen = set()
    with open(args.out + ".raw", "w", encoding="utf8") as raw:
        for archive in args.archives:
            try:
                found = rows_of(archive, seen)
            except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
                print("unreadable", archive, error, file=sys.stderr)
                continue
            raw.writelines("\t".join(squeeze(c) for c in row) + "\n" for row in found)
            raw.flush()
            print(source_of(archive), dict(collections.Counter(r[1] + " " + r[2] for r in found)), flush=True)
    finish(args.out)


def finish(out):
    """Headings that many sections have become `text`."""
    with open(out + ".raw", encoding="utf8") as raw:
        rows = [line.rstrip("\n").split("\t") for line in raw]
    often = collections.Counter(r[3].lower() for r in rows)
    with open(out, "w", encoding="utf8") as file:
        for row in rows:
            row[2] = "text" if often[row[3].lower()] > COMMON else row[2]
            file.write("\t".join(row) + "\n")
    print("all", dict(collections.Counter(r[1] + " " + r[2] for r in rows)))


if __name__ == "__main__":
    main()
