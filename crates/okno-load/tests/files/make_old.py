"""Makes the files of old formats and the archives of this folder, which the loader tests read. Needs nothing but Python.

    python3 make_old.py
"""

import gzip
import io
import struct
import tarfile
import zipfile

FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def chunks(data, size):
    return [data[at : at + size].ljust(size, b"\0") for at in range(0, len(data), size)]


def compound(streams):
    """A compound file; a name `folder/stream` is that of a stream in a folder, folders may be in folders."""
    entries = [["Root Entry", 5, FREE, END, 0]]
    children = {(): []}
    small, small_next, sectors, following = b"", [], [], []

    def folder(path):
        if path not in children:
            parent = folder(path[:-1])
            entries.append([path[-1], 1, FREE, 0, 0])
            children[path] = []
            children[parent].append(len(entries) - 1)
        return path

    def chain(data, size, where, links):
        parts = chunks(data, size)
        start = len(where)
        where.extend(parts)
        links.extend(list(range(start + 1, start + len(parts))) + [END] if parts else [])
        return start if parts else END

    small_sectors = []
    for name, data in streams:
        *path, own = name.split("/")
        parent = folder(tuple(path))
        if len(data) < 4096:
            start = chain(data, 64, small_sectors, small_next)
        else:
            start = chain(data, 512, sectors, following)
        entries.append([own, 2, FREE, start, len(data)])
        children[parent].append(len(entries) - 1)
    small = b"".join(small_sectors)
    entries[0][3:] = [chain(small, 512, sectors, following), len(small)]
    listing = b""
    right, child = {}, {}
    numbers = {(): 0}
    for path in sorted(children, key=len)[1:]:
        numbers[path] = next(n for n in children[path[:-1]] if entries[n][0] == path[-1] and entries[n][1] == 1)
    for path, inner in children.items():
        child[numbers[path]] = inner[0] if inner else FREE
        right.update(zip(inner, inner[1:]))
    for number, (name, kind, _, start, size) in enumerate(entries):
        wide = name.encode("utf-16-le")
        listing += wide.ljust(64, b"\0") + struct.pack("<HBB", len(wide) + 2, kind, 1)
        listing += struct.pack("<III", FREE, right.get(number, FREE), child.get(number, FREE))
        listing += bytes(36) + struct.pack("<IQ", start, size)
    listed = chain(listing, 512, sectors, following)
    links = chain(struct.pack(f"<{len(small_next)}I", *small_next).ljust(512, b"\xff"), 512, sectors, following)
    tables = 1
    while (len(following) + tables) > tables * 128:
        tables += 1
    table = [n for n in following] + [TABLE] * tables
    first = len(sectors)
    table += [FREE] * (tables * 128 - len(table))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(10)
    header += struct.pack("<IIIIIIII", tables, listed, 0, 4096, links, 1, END, 0)
    header += struct.pack("<109I", *[first + n for n in range(tables)] + [FREE] * (109 - tables))
    return header + b"".join(sectors) + struct.pack(f"<{len(table)}I", *table)


def summary(**properties):
    """The stream of what a file says about itself."""
    numbers = {"title": 2, "subject": 3, "author": 4, "keywords": 5}
    values = [(1, struct.pack("<HHHH", 2, 0, 65001, 0))]
    for key, text in properties.items():
        data = text.encode() + b"\0"
        data += b"\0" * (-len(data) % 4)
        values.append((numbers[key], struct.pack("<II", 0x1E, len(data)) + data))
    offset, listing, body = 8 + 8 * len(values), b"", b""
    for number, value in values:
        listing += struct.pack("<II", number, offset + len(body))
        body += value
    section = struct.pack("<II", 8 + len(listing) + len(body), len(values)) + listing + body
    return struct.pack("<HHI", 0xFFFE, 0, 2) + bytes(16) + struct.pack("<I", 1) + bytes(16) + struct.pack("<I", 48) + section


def sprm(code, *operand):
    return struct.pack("<H", code) + bytes(operand)


IN_TABLE, ROW_END = sprm(0x2416, 1), sprm(0x2416, 1) + sprm(0x2417, 1)
LISTED = sprm(0x260A, 0) + struct.pack("<HH", 0x460B, 1)
NUMBERED = sprm(0x260A, 0) + struct.pack("<HH", 0x460B, 2)


def doc():
    """Paragraphs: style, properties, text with its mark."""
    paragraphs = [
        (1, b"", "Staff handbook\r"),
        (0, b"", "Tea is served at four. \x13 HYPERLINK \"http://example.org\" \x14The list\x15 says which.\x02\r"),
        (2, b"", "工作时间\r"),
        (0, b"", "每天八小时。\r"),
        (0, LISTED, "green\r"),
        (0, LISTED, "black\r"),
        (0, NUMBERED, "boil\r"),
        (0, NUMBERED, "pour\r"),
        (0, IN_TABLE, "tea\x07"),
        (0, IN_TABLE, "heat\x07"),
        (0, ROW_END, "\x07"),
        (0, IN_TABLE, "green\x07"),
        (0, IN_TABLE, "75\x07"),
        (0, ROW_END, "\x07"),
        (0, b"", "The end.\r"),
    ]
    note = "\x02 A note.\r"
    main = "".join(text for *_, text in paragraphs)
    # One piece of two bytes for each letter, and one of one byte for the notes.
    start = 1536
    wide = main.encode("utf-16-le")
    narrow_at = start + len(wide)
    text = wide + note.encode("cp1252")
    # A page of properties: where paragraphs begin, and what holds in them.
    ends, offsets, grpprls, at, place = [start], [], b"", start, 511
    page = bytearray(512)
    for style, properties, words in paragraphs:
        at += len(words.encode("utf-16-le"))
        ends.append(at)
        own = struct.pack("<H", style) + properties
        own = own if len(own) % 2 else own + b"\0"
        own = bytes([(len(own) + 1) // 2]) + own
        place = (place - len(own)) // 2 * 2
        page[place : place + len(own)] = own
        offsets.append(place // 2)
    head = struct.pack(f"<{len(ends)}I", *ends) + b"".join(bytes([n]) + bytes(12) for n in offsets)
    page[: len(head)] = head
    page[511] = len(paragraphs)
    while (start + len(text)) % 512:
        text += b"\0"
    page_number = (start + len(text)) // 512

    def style(number, base):
        return struct.pack("<HHHHH", number, base << 4 | 1, 0, 0, 0) + struct.pack("<H", 1) + "x\0".encode("utf-16-le") + struct.pack("<HH", 2, 0)

    styles = [style(0, 0xFFF), style(1, 0), style(2, 0)]
    sheet = struct.pack("<H", 18) + struct.pack("<HH", len(styles), 10) + bytes(14)
    sheet += b"".join(struct.pack("<H", len(one)) + one for one in styles)

    def level(format):
        return struct.pack("<IB", 1, format) + bytes(23) + struct.pack("<H", 0)

    lists = struct.pack("<H", 2) + b"".join(struct.pack("<II", n, 0) + bytes(18) + b"\1\0" for n in (7, 8))
    overrides = struct.pack("<I", 2) + b"".join(struct.pack("<I", n) + bytes(12) for n in (7, 8))
    letters = len(main)
    pieces = struct.pack("<III", 0, letters, letters + len(note))
    pieces += struct.pack("<HIH", 0, start, 0) + struct.pack("<HIH", 0, narrow_at * 2 | 0x40000000, 0)
    clx = b"\2" + struct.pack("<I", len(pieces)) + pieces
    papx = struct.pack("<III", start, at, page_number)
    mark = main.index("\x02")
    parts = {1: sheet, 2: struct.pack("<IIH", mark, letters, 1), 3: struct.pack("<III", 0, len(note), len(note) + 1), 13: papx, 33: clx, 74: overrides}
    table, places = b"", {}
    for number, part in parts.items():
        places[number] = (len(table), len(part))
        table += part
    # The levels of lists stand behind the table of lists.
    places[73] = (len(table), len(lists))
    table += lists + level(23) + level(0)
    fib = bytearray(start)
    struct.pack_into("<HH", fib, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", fib, 0x0A, 0x0200)
    struct.pack_into("<HH", fib, 0x20, 14, 0)
    struct.pack_into("<II", fib, 0x4C, letters, len(note))
    for number, (offset, length) in places.items():
        struct.pack_into("<II", fib, 0x9A + number * 8, offset, length)
    stream = bytes(fib) + text + bytes(page)
    about = summary(title="Handbook", author="Ann Lee")
    open("handbook.doc", "wb").write(compound([("WordDocument", stream), ("1Table", table), ("\5SummaryInformation", about)]))


def record(kind, data, instance=0, container=False):
    return struct.pack("<HHI", instance << 4 | (15 if container else 0), kind, len(data)) + data


def ppt():
    def words(purpose, text):
        return record(0x0F9F, struct.pack("<I", purpose)) + record(0x0FA0, text.encode("utf-16-le"))

    def shape(inner):
        return record(0xF004, record(0xF00D, inner), container=True)

    def slide(kind, atom, *shapes):
        return record(kind, atom + record(0x040C, b"".join(shapes), container=True), container=True)

    bold = record(0x0FA1, struct.pack("<IHI", 6, 0, 0) + struct.pack("<IHI", 6, 1, 0))
    outline = words(0, "Roadmap 路线图") + words(1, "first\rinner") + bold
    listed = record(0x03F3, struct.pack("<IIIII", 2, 0, 2, 256, 0)) + outline
    notes = record(0x03F3, struct.pack("<IIIII", 3, 0, 0, 256, 0))
    document = record(0x0FF0, listed, container=True) + record(0x0FF0, notes, instance=2, container=True)
    document = record(0x03E8, document, container=True)
    reference = lambda n: record(0x0F9E, struct.pack("<I", n))
    box = record(0x0F9F, struct.pack("<I", 4)) + record(0x0FA8, b"A box of words")
    first = slide(0x03EE, record(0x03EF, bytes(24)), shape(reference(1)), shape(reference(0)), shape(box))
    spoken = slide(0x03F0, record(0x03F1, struct.pack("<II", 256, 0)), shape(words(2, "Say hello.")))
    stream, places = b"", []
    for part in (document, first, spoken):
        places.append(len(stream))
        stream += part
    directory = len(stream)
    stream += record(0x1772, struct.pack("<IIII", 3 << 20 | 1, *places))
    edit = len(stream)
    stream += record(0x0FF5, struct.pack("<IIIIIII", 256, 0, 0, directory, 1, 4, 0))
    user = record(0x0FF6, struct.pack("<III", 20, 0xE391C05F, edit) + bytes(8))
    streams = [("PowerPoint Document", stream), ("Current User", user), ("\5SummaryInformation", summary(author="Ann Lee"))]
    open("roadmap.ppt", "wb").write(compound(streams))


def msg():
    text = lambda number: f"__substg1.0_{number:04X}001F"
    wide = lambda words: words.encode("utf-16-le")
    sent = struct.pack("<HHIQ", 0x0040, 0x0039, 6, 133350180000000000)
    streams = [("__properties_version1.0", bytes(32) + sent)]
    for number, words in [(0x0037, "Plans 计划"), (0x1000, "See the plan.\r\n\r\n见附件。"), (0x0C1A, "Ann Lee"), (0x5D01, "ann@example.org"), (0x0E04, "Bob; Zoe")]:
        streams.append((text(number), wide(words)))
    attached = "__attach_version1.0_#00000000/"
    streams += [(attached + text(0x3707), wide("plan.md")), (attached + "__substg1.0_37010102", b"# The plan\n\nDrink tea.\n")]
    inner = "__attach_version1.0_#00000001/__substg1.0_3701000D/"
    streams += [("__attach_version1.0_#00000001/" + text(0x3001), wide("Before")), (inner + "__properties_version1.0", bytes(24))]
    streams += [(inner + text(0x0037), wide("Earlier")), (inner + text(0x1000), wide("Earlier words."))]
    open("plans.msg", "wb").write(compound(streams))


def archives():
    files = {"notes/tea.md": "# Tea\n\nGreen tea wants 75 degrees.\n", "茶.txt": "绿茶用七十五度的水。\n", ".hidden": "x", "b.csv": "tea,heat\ngreen,75\n"}
    moment = (2023, 7, 28, 16, 40, 0)
    with zipfile.ZipFile("notes.zip", "w") as zip:
        for name, text in files.items():
            zip.writestr(zipfile.ZipInfo(name, moment), text)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    open("notes.tar.gz", "wb").write(gzip.compress(out.getvalue(), mtime=0))


def odp():
    title = '<draw:frame presentation:class="title"><draw:text-box><text:p>Roadmap</text:p></draw:text-box></draw:frame>'
    body = '<draw:frame presentation:class="outline"><draw:text-box><text:list><text:list-item><text:p>first</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item></text:list></draw:text-box></draw:frame>'
    foot = '<draw:frame presentation:class="footer"><draw:text-box><text:p>every page</text:p></draw:text-box></draw:frame>'
    table = '<draw:frame><table:table><table:table-row><table:table-cell><text:p>tea</text:p></table:table-cell><table:table-cell><text:p>heat</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>green</text:p></table:table-cell><table:table-cell><text:p>75</text:p></table:table-cell></table:table-row></table:table></draw:frame>'
    notes = '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>Say hello.</text:p></draw:text-box></draw:frame></presentation:notes>'
    content = f'<office:document-content><office:body><office:presentation><draw:page>{body}{title}{foot}{notes}</draw:page><draw:page>{table}</draw:page></office:presentation></office:body></office:document-content>'
    with zipfile.ZipFile("roadmap.odp", "w") as zip:
        for name, text in [("mimetype", "application/vnd.oasis.opendocument.presentation"), ("content.xml", content)]:
            zip.writestr(zipfile.ZipInfo(name, (2023, 7, 28, 16, 40, 0)), text)


if __name__ == "__main__":
    doc()
    ppt()
    msg()
    archives()
    odp()
