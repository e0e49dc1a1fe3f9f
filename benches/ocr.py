"""Our character recognition beside RapidOCR's own pipeline, on the same networks and the same rendered images.

    pip install rapidocr onnxruntime pillow           # the networks are inside the package
    cargo build --release -p okno-models --example read_image
    python benches/ocr.py [--fonts FOLDER] [--keep FOLDER] [IMAGE …]

Renders passages of the sample documents – plain, slanted, pale, small, in two columns, as a screenshot, noisy, upside down, as a photographed page – with fonts
of Debian (`fonts-noto-cjk`, `fonts-dejavu`), lets both read them, and prints for each kind the share of characters that are right, white space aside: in reading
order (edit distance) and in any order (shared characters). Images given by name are read by both and compared with each other.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from PIL import Image, ImageDraw, ImageFilter, ImageFont

ROOT = pathlib.Path(__file__).resolve().parent.parent
READ = os.environ.get("READ_IMAGE", str(ROOT / "target/release/examples/read_image"))
SAMPLE = ROOT / "crates/okno-cli/sample/documents"
NOTO = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"
SERIF = "/usr/share/fonts/opentype/noto/NotoSerifCJK-Bold.ttc"


def passages(language):
    """Running text of the sample, one passage a paragraph."""
    found = []
    for path in sorted((SAMPLE / language).rglob("*")):
        if path.suffix in {".md", ".txt"}:
            for paragraph in path.read_text("utf-8").split("\n\n"):
                plain = " ".join(paragraph.split())
                if 80 < len(plain) < 700 and not any(mark in plain for mark in "|#*`<>[]"):
                    found.append(plain if language == "en" else plain.replace(" ", ""))
    return found


def wrapped(text, font, width):
    """Lines of at most this many pixels."""
    words = text.split(" ") if " " in text else list(text)
    joint, lines, line = (" " if " " in text else ""), [], ""
    for word in words:
        longer = line + joint + word if line else word
        if font.getlength(longer) > width and line:
            lines.append(line)
            line = word
        else:
            line = longer
    return lines + [line]


def page(texts, size=22, width=900, font=NOTO, ink=(20, 20, 20), ground=(255, 255, 255), columns=1, gap=50):
    """Texts set below each other, in columns; the picture and the truth in reading order."""
    face = ImageFont.truetype(font, size)
    inner = (width - 80 - gap * (columns - 1)) // columns
    stacks = [[] for _ in range(columns)]
    share = -(-len(texts) // columns)
    for at, text in enumerate(texts):
        stacks[min(at // share, columns - 1)] += wrapped(text, face, inner) + [""]
    step = int(size * 1.55)
    image = Image.new("RGB", (width, 80 + step * max(map(len, stacks))), ground)
    draw = ImageDraw.Draw(image)
    for number, stack in enumerate(stacks):
        for row, line in enumerate(stack):
            draw.text((40 + number * (inner + gap), 40 + row * step), line, font=face, fill=ink)
    return image, "".join("".join(stack) for stack in stacks)


def screenshot(texts):
    """A window: title bar, menu, dark ground, short lines."""
    image = Image.new("RGB", (1000, 560), (32, 34, 40))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 1000, 40), fill=(54, 58, 66))
    bold, plain = ImageFont.truetype(SERIF, 20), ImageFont.truetype(NOTO, 18)
    draw.text((20, 6), "Settings 设置", font=bold, fill=(240, 240, 240))
    truth, y = "Settings 设置", 70
    for text in texts:
        for line in wrapped(text, plain, 900)[:3]:
            draw.text((40, y), line, font=plain, fill=(200, 205, 210))
            truth += line
            y += 34
        y += 16
    return image, truth


def photographed(image):
    """Slanted on a table, soft and noisy, as JPEG."""
    image = image.rotate(-3, expand=True, fillcolor=(120, 100, 80), resample=Image.BICUBIC).filter(ImageFilter.GaussianBlur(0.7))
    noise = Image.effect_noise(image.size, 28).convert("RGB")
    return Image.blend(image, noise, 0.12)


def kinds():
    rng = random.Random(7)
    english, chinese = passages("en"), passages("zh")
    some = lambda texts, count: rng.sample(texts, count)
    for at in range(4):
        yield "plain en", *page(some(english, 3), font=NOTO if at % 2 else SERIF)
        yield "plain zh", *page(some(chinese, 3), font=NOTO if at % 2 else SERIF)
        yield "mixed", *page([*some(english, 1), *some(chinese, 1), *some(english, 1)])
        image, truth = page(some(english if at % 2 else chinese, 3))
        yield "slanted", image.rotate((-6, -2, 3, 8)[at], expand=True, fillcolor="white", resample=Image.BICUBIC), truth
        yield "pale", *page(some(chinese if at % 2 else english, 3), ink=(190, 190, 190), ground=(235, 235, 235))
        yield "small", *page(some(chinese if at % 2 else english, 4), size=13, width=640)
        yield "two columns", *page(some(english if at % 2 else chinese, 6), columns=2, width=1200, size=20)
        yield "screenshot", *screenshot(some(english, 1) + some(chinese, 2))
        image, truth = page(some(chinese if at % 2 else english, 3))
        yield "photographed", photographed(image), truth
        image, truth = page(some(english if at % 2 else chinese, 2))
        yield "upside down", image.rotate(180), truth


def bare(text):
    return "".join(text.split())


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def accuracy(truth, got):
    truth, got = bare(truth), bare(got)
    shared = sum((collections.Counter(truth) & collections.Counter(got)).values())
    return max(0.0, 1 - distance(truth, got) / len(truth)), shared / max(len(truth), len(got), 1)


def theirs(paths):
    from rapidocr import RapidOCR

    engine = RapidOCR(params={"Global.log_level": "error"})
    engine(str(paths[0]))  # The first run loads the networks.
    read = []
    for path in paths:
        begun = time.perf_counter()
        result = engine(str(path))
        read.append(("".join(result.txts or ()), time.perf_counter() - begun))
    return read


def ours(paths, models):
    out = subprocess.run([READ, models, *map(str, paths)], check=True, capture_output=True, text=True).stdout
    return [("".join(line["paragraphs"]), line["seconds"]) for line in map(json.loads, out.splitlines())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=pathlib.Path, help="keep the rendered images in this folder")
    parser.add_argument("images", nargs="*", type=pathlib.Path)
    given = parser.parse_args()
    import rapidocr

    models = str(pathlib.Path(rapidocr.__file__).parent / "models")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        names, truths, paths = [], [], []
        for at, (name, image, truth) in enumerate([] if given.images else kinds()):
            path = folder / (f"{at:02}-{name.replace(' ', '-')}" + (".jpg" if name == "photographed" else ".png"))
            image.save(path)
            names.append(name), truths.append(truth), paths.append(path)
        paths = given.images or paths
        mine, other = ours(paths, models), theirs(paths)
        if given.images:
            for path, (a, _), (b, _) in zip(paths, mine, other):
                print(f"{path}: {accuracy(b, a)[0]:.4f} of {len(bare(b))} characters as RapidOCR reads them")
            return
        rows = collections.defaultdict(list)
        for name, truth, a, b in zip(names, truths, mine, other):
            rows[name].append((*accuracy(truth, a[0]), *accuracy(truth, b[0]), a[1], b[1]))
        rows["all"] = [row for some in list(rows.values()) for row in some]
        print(f"{'':14}{'okno':>8}{'RapidOCR':>10}   {'okno':>8}{'RapidOCR':>10}   {'okno':>6}{'RapidOCR':>10}")
        print(f"{'':14}{'in order':>18}   {'in any order':>18}   {'seconds':>16}")
        for name, some in rows.items():
            mean = [sum(column) / len(some) for column in zip(*some)]
            print(f"{name:14}{mean[0]:8.4f}{mean[2]:10.4f}   {mean[1]:8.4f}{mean[3]:10.4f}   {mean[4]:6.2f}{mean[5]:10.2f}")


if __name__ == "__main__":
    sys.exit(main())
