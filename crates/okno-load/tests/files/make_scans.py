"""Makes the PDFs of scans in this folder: the same picture of text as CCITT fax in several ways, JBIG2, JPEG 2000, and
pages that are no single image as it is shown: strips, a turned page, four inks.

    python3 -m venv venv && venv/bin/pip install pillow
    venv/bin/python make_scans.py
"""

import base64
import io
import struct
import zlib

from PIL import Image, ImageOps, TiffImagePlugin

SOURCE = Image.open("../../../okno-models/tests/images/harbour.png").convert("L")
BLACK_AND_WHITE = SOURCE.point(lambda value: 255 if value > 128 else 0)
WIDTH, HEIGHT = SOURCE.size
SIZE = f"/Type/XObject/Subtype/Image/Width {WIDTH}/Height {HEIGHT}"
GREY = f"{SIZE}/BitsPerComponent 1/ColorSpace/DeviceGray"


def fax(compression):
    """The codes of a fax: ink is black."""
    file = io.BytesIO()
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[278] = HEIGHT  # all rows in one strip
    # A pixel of 1 is coded as black.
    ImageOps.invert(BLACK_AND_WHITE).convert("1").save(file, "TIFF", compression=compression, tiffinfo=tags)
    tiff = Image.open(file)
    (start,), (length,) = tiff.tag_v2[273], tiff.tag_v2[279]
    assert tiff.tag_v2.get(266, 1) == 1, "the first bit is the highest"
    return file.getvalue()[start : start + length]


def jbig2():
    """Page information and one region, coded as faxes are (MMR)."""

    def segment(number, kind, data):
        return struct.pack(">IBBBI", number, kind, 0, 1, len(data)) + data

    page = struct.pack(">IIIIBH", WIDTH, HEIGHT, 0, 0, 0, 0)
    region = struct.pack(">IIIIBB", WIDTH, HEIGHT, 0, 0, 0, 1) + fax("group4")
    return segment(0, 48, page) + segment(1, 38, region)


def jpx():
    file = io.BytesIO()
    SOURCE.save(file, "JPEG2000", irreversible=True, quality_mode="rates", quality_layers=[30])
    return file.getvalue()


def pixels(picture, space="DeviceGray", bits=1):
    """An image as rows of pixels."""
    size = f"/Type/XObject/Subtype/Image/Width {picture.width}/Height {picture.height}"
    data = zlib.compress(picture.tobytes(), 9)
    return stream(f"{size}/BitsPerComponent {bits}/ColorSpace/{space}/Filter/FlateDecode", data)


def stream(dictionary, data):
    return f"<<{dictionary}/Length {len(data)}>> stream\n".encode() + data + b"\nendstream"


def write(name, pages):
    """Each page is turned so far, so wide, and shows its images, with their heights, one below the other."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", None]
    kids = []
    for turn, width, images in pages:
        top = sum(height for _, height in images) / 2
        content, names, y = "", "", top
        for at, (image, height) in enumerate(images):
            objects.append(image)
            names += f"/I{at} {len(objects)} 0 R"
            y -= height / 2
            content += f"q {width / 2} 0 0 {height / 2} 0 {y} cm /I{at} Do Q "
        objects.append(stream("", content.encode()))
        box = f"/MediaBox[0 0 {width / 2} {top}]/Rotate {turn}/Contents {len(objects)} 0 R"
        objects.append(f"<</Type/Page/Parent 2 0 R{box}/Resources<</XObject<<{names}>>>>>>".encode())
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>".encode()
    file, places = b"%PDF-1.7\n", []
    for number, data in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj ".encode() + data + b" endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer <</Root 1 0 R/Size {len(objects) + 1}>>\n"
    open(name, "wb").write(file + head.encode() + f"startxref\n{len(file)}\n%%EOF\n".encode())


def main():
    group4, group3 = fax("group4"), fax("group3")
    of = f"/Columns {WIDTH}/Rows {HEIGHT}"
    one = lambda dictionary, data: (0, WIDTH, [(stream(dictionary, data), HEIGHT)])
    ascii85 = base64.a85encode(group4) + b"~>"
    write(
        "fax.pdf",
        [
            one(f"{GREY}/Filter/CCITTFaxDecode/DecodeParms<</K -1{of}>>", group4),
            one(f"{GREY}/Filter[/CCITTFaxDecode]/DecodeParms[<</K 0/EndOfLine true{of}>>]", group3),
            one(f"{GREY}/Decode[1 0]/Filter/CCITTFaxDecode/DecodeParms<</K -1/BlackIs1 true{of}>>", group4),
            one(f"{SIZE}/ImageMask true/Filter/CCITTFaxDecode/DecodeParms<</K -1{of}>>", group4),
            one(f"{GREY}/Filter[/ASCII85Decode/CCITTFaxDecode]/DecodeParms[null<</K -1{of}>>]", ascii85),
        ],
    )
    write("jbig2.pdf", [one(f"{GREY}/Filter/JBIG2Decode", jbig2())])
    write("jpx.pdf", [one(f"{SIZE}/Filter/JPXDecode", jpx())])
    # Cut through the middle of a line.
    picture, cut = BLACK_AND_WHITE.convert("1"), HEIGHT // 2
    strips = [(0, cut), (cut, HEIGHT)]
    strips = [(pixels(picture.crop((0, top, WIDTH, bottom))), bottom - top) for top, bottom in strips]
    inks = pixels(BLACK_AND_WHITE.convert("RGB").convert("CMYK"), "DeviceCMYK", 8)
    turned = pixels(picture.rotate(90, expand=True))
    pages = [(0, WIDTH, strips), (90, HEIGHT, [(turned, WIDTH)]), (0, WIDTH, [(inks, HEIGHT)])]
    write("scan-parts.pdf", pages)


if __name__ == "__main__":
    main()
