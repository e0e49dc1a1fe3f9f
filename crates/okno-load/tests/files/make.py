"""Makes the files of this folder, which the loader tests read.

    python3 -m venv venv && venv/bin/pip install reportlab fpdf2 python-docx python-pptx openpyxl odfpy pypdf pillow
    venv/bin/python make.py [a TrueType font with Chinese letters]

The font (fonts-wqy-microhei of Debian was used; Apache-2.0) is embedded as a small subset only. Without one, the PDF files
that embed it are left as they are.
"""

import datetime
import io
import sys
import zipfile

FIXED = datetime.datetime(2023, 7, 28, 16, 40)


def pdf_columns():
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen import canvas

    page = canvas.Canvas("columns.pdf", pagesize=A4, invariant=1)
    page.setTitle("Two Columns")
    page.setAuthor("Ann Lee")

    def head(number):
        page.setFont("Helvetica", 8)
        page.drawString(60, 810, "Journal of Small Windows, volume 3")
        page.drawCentredString(300, 30, str(number))

    def column(x, y, lines):
        page.setFont("Times-Roman", 10)
        for line in lines:
            page.drawString(x, y, line)
            y -= 12

    left = [
        "The left column begins here and it is long",
        "enough to fill its lines with running text. It",
        "explains that a retrieval engine should in-",
        "dex small units and return large ones, since",
        "a sentence has one meaning and a window has",
        "the context that makes it understandable to",
        "people. The left column ends on this last line,",
    ]
    right = [
        "but its sentence goes on in the right column.",
        "Here the second paragraph of the article is",
        "printed, which says that every context must be",
        "an exact slice of the source text, so that any",
        "citation can be checked by its reader without",
        "trust. The page ends in the middle of a well-",
        "known sentence that is finished on the next",
    ]
    head(1)
    page.setFont("Helvetica-Bold", 20)
    page.drawString(60, 770, "Index Small, Return Big")
    page.setFont("Helvetica-Bold", 13)
    page.drawString(60, 735, "1 Introduction")
    column(60, 710, left)
    column(310, 710, right)
    page.showPage()
    head(2)
    column(60, 780, ["page of this document. It is a well-known fact that pages end where they like to end.",
                     "The first line above must be joined to the last one of the first page by the loader."])
    page.setFont("Helvetica-Bold", 13)
    page.drawString(60, 730, "2 Results")
    page.setFont("Times-Roman", 10)
    page.drawString(60, 705, "Table 1: Coverage by method.")
    for row, cells in enumerate([("Method", "Coverage", "Tokens"), ("window", "0.81", "500"), ("chunk", "0.66", "512"), ("auto", "0.90", "498")]):
        for at, cell in enumerate(cells):
            page.drawString(60 + at * 120, 685 - row * 14, cell)
    column(60, 610, ["After the table the text goes on with a last paragraph that closes the document."])
    page.showPage()
    head(3)
    column(60, 780, ["The third page has only this line of text and nothing else on it at all."])
    page.save()


def pdf_cid():
    """Chinese without an embedded font and without a ToUnicode table: the encoding alone says what the codes mean."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen import canvas

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    page = canvas.Canvas("chinese-cid.pdf", invariant=1)
    page.setFont("STSong-Light", 18)
    page.drawString(70, 780, "句子窗口检索")
    page.setFont("STSong-Light", 11)
    for at, line in enumerate(["检索时只看单个句子，返回时给出句子周围的窗口，这样既准确又完整。窗口的大小可", "以在查询时选择，不需要重新建立索引。"]):
        page.drawString(70, 740 - at * 16, line)
    page.save()


def pdf_embedded(font):
    from fpdf import FPDF

    pdf = FPDF()
    pdf.set_creation_date(FIXED.replace(tzinfo=datetime.timezone.utc))
    pdf.set_title("中文排版")
    pdf.set_author("张三")
    pdf.add_font("zh", fname=font)
    pdf.add_page()
    pdf.set_font("zh", size=20)
    pdf.cell(text="第一章 安装", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("zh", size=11)
    pdf.multi_cell(0, text="首先下载安装包，然后在命令行里运行安装程序。安装完成之后，需要重新启动计算机才能使用新的版本，否则旧的版本仍然会继续运行。入口在门边。")
    pdf.add_page()
    pdf.multi_cell(0, text="第二页的内容从这里开始。")
    pdf.output("chinese-embedded.pdf")
    as_radicals("chinese-embedded.pdf")


def as_radicals(name):
    """Many Chinese fonts call the letter 入 by its radical ⼊ (U+2F0A) in their ToUnicode table; so does this file now."""
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import DecodedStreamObject, NameObject

    writer = PdfWriter(clone_from=PdfReader(name))
    font = next(iter(writer.pages[0]["/Resources"]["/Font"].values())).get_object()
    table = DecodedStreamObject()
    table.set_data(font["/ToUnicode"].get_object().get_data().replace(b"<5165>", b"<2F0A>").replace(b"<53E3>", b"<2F1D>").replace(b"<95E8>", b"<2ED4>"))
    font[NameObject("/ToUnicode")] = writer._add_object(table.flate_encode())
    writer.write(name)


def pdf_odd():
    from PIL import Image
    from pypdf import PdfReader, PdfWriter
    from reportlab import rl_config
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen import canvas

    picture = io.BytesIO()
    Image.new("1", (60, 80), 1).save(picture, "PNG")
    page = canvas.Canvas("scanned.pdf", invariant=1)
    page.drawImage(ImageReader(picture), 0, 0, 595, 842)
    page.save()
    writer = PdfWriter(clone_from=PdfReader("chinese-cid.pdf"))
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write("protected.pdf")
    page = canvas.Canvas("owner.pdf", invariant=1)
    page.drawString(40, 700, "The owner may restrict printing, yet anyone may read this.")
    page.save()
    # Made with qpdf: `qpdf --allow-weak-crypto --encrypt "" owner 40 -- owner.pdf owner-rc4-40.pdf`, then `128
    # --use-aes=n`, `128 --use-aes=y` and `256`.


def docx():
    import docx as word
    from docx.oxml import OxmlElement
    from PIL import Image

    document = word.Document()
    document.core_properties.title = "Handbook"
    document.core_properties.author = "Ann Lee"
    document.core_properties.created = FIXED
    document.add_heading("Kitchen Handbook", 0)
    document.add_heading("Safety & care", 1)
    document.add_paragraph("Knives are sharp. Keep them dry.")
    document.add_heading("刀具", 2)
    document.add_paragraph("用完立刻洗净。", style="List Bullet")
    document.add_paragraph("First wash.", style="List Number")
    document.add_paragraph("Then dry.", style="List Number")
    deleted = document.add_paragraph("Kept text. ")
    mark = OxmlElement("w:del")
    run = OxmlElement("w:r")
    gone = OxmlElement("w:delText")
    gone.text = "deleted text"
    run.append(gone)
    mark.append(run)
    deleted._p.append(mark)
    table = document.add_table(rows=3, cols=2)
    for row, cells in zip(table.rows, [("Tool", "Use"), ("knife", "cut | slice"), ("pan", "fry")]):
        for cell, text in zip(row.cells, cells):
            cell.text = text
    picture = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(picture, "PNG")
    picture.seek(0)
    document.add_picture(picture)
    document.inline_shapes[0]._inline.docPr.set("descr", "A red square")
    document.save("handbook.docx")
    slim("handbook.docx")


def pptx():
    import pptx as point

    show = point.Presentation()
    show.core_properties.title = "Roadmap"
    show.core_properties.created = FIXED
    first = show.slides.add_slide(show.slide_layouts[1])
    first.shapes.title.text = "Plans for 2024"
    body = first.placeholders[1].text_frame
    body.text = "Ship the engine"
    body.add_paragraph().text = "发布中文文档"
    first.notes_slide.notes_text_frame.text = "Say thanks to everybody."
    second = show.slides.add_slide(show.slide_layouts[5])
    second.shapes.title.text = "Numbers"
    table = second.shapes.add_table(2, 2, 0, 0, 1000000, 1000000).table
    for row, cells in enumerate([("Year", "Users"), ("2023", "1200")]):
        for at, text in enumerate(cells):
            table.cell(row, at).text = text
    show.save("roadmap.pptx")
    slim("roadmap.pptx")


def xlsx():
    import openpyxl

    book = openpyxl.Workbook()
    book.properties.creator = "Ann Lee"
    book.properties.created = FIXED
    sheet = book.active
    sheet.title = "Prices"
    sheet.append(["Item", "Price", "Since", "Stock"])
    sheet.append(["Tea", 3.5, datetime.date(2023, 7, 28), True])
    sheet.append(["咖啡", 0.1 + 0.2, datetime.datetime(2023, 7, 28, 16, 40), None])
    other = book.create_sheet("空 Notes")
    other.append(["Only a note."])
    book.save("prices.xlsx")


def xlsx_formats():
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Growth"
    sheet.append(["Year", "Growth", "Sales", "Day"])
    sheet.append([2023, 0.125, 1234.5, datetime.date(2023, 7, 28)])
    sheet["B2"].number_format, sheet["C2"].number_format = "0.0%", '"€"#,##0.00'
    book.save("formats.xlsx")


def odf():
    from odf.opendocument import OpenDocumentSpreadsheet, OpenDocumentText
    from odf.table import Table, TableCell, TableRow
    from odf.text import H, List, ListItem, P

    text = OpenDocumentText()
    text.text.addElement(H(outlinelevel=1, text="Garden"))
    text.text.addElement(P(text="Water the roses daily."))
    items = List()
    for words in ("Spade", "Rake"):
        item = ListItem()
        item.addElement(P(text=words))
        items.addElement(item)
    text.text.addElement(items)

    def table(name):
        found = Table(name=name)
        for cells in (("Plant", "Height"), ("Rose", "1.2 m")):
            row = TableRow()
            for words in cells:
                cell = TableCell(valuetype="string")
                cell.addElement(P(text=words))
                row.addElement(cell)
            found.addElement(row)
        return found

    text.text.addElement(table("Plants"))
    text.save("garden.odt")
    sheet = OpenDocumentSpreadsheet()
    sheet.spreadsheet.addElement(table("Plants"))
    sheet.save("garden.ods")


def epub():
    with zipfile.ZipFile("book.epub", "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        book.writestr("META-INF/container.xml", '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>')
        book.writestr(
            "OPS/book.opf",
            '<package xmlns:dc="x"><metadata><dc:title>A Small Book</dc:title><dc:creator>Ann Lee</dc:creator><dc:language>en</dc:language>'
            "<dc:date>2023-07-28</dc:date></metadata><manifest>"
            '<item id="b" href="two.xhtml"/><item id="a" href="text/chapter%201.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        )
        book.writestr("OPS/text/chapter 1.xhtml", '<html><body><h1>One</h1><p>It begins.</p><p><img alt="A map" src="../img/map.png"/></p></body></html>')
        book.writestr("OPS/two.xhtml", "<html><body><h1>Two</h1><p>It ends.</p></body></html>")


def slim(name):
    """Leaves out what no reader of text needs: thumbnails, themes and unused layouts make most of the size."""
    with zipfile.ZipFile(name) as source:
        parts = [(item, source.read(item)) for item in source.infolist()]
    drop = ("docProps/thumbnail", "ppt/theme", "word/theme", "customXml", "ppt/slideLayouts", "ppt/slideMasters", "ppt/printerSettings", "ppt/notesMasters")
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as target:
        for item, data in parts:
            if not item.filename.startswith(drop):
                target.writestr(item.filename, data)


def pdf_scan():
    """Two pages that are images: one as JPEG, one as pixels; the second page is called `ii`. And a page of text with an image and its caption."""
    from reportlab import rl_config
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen import canvas
    from PIL import Image

    rl_config.useA85 = 0
    images = "../../../okno-models/tests/images/"
    page = canvas.Canvas("scan.pdf", pagesize=(600, 400), invariant=1)
    photograph = io.BytesIO()
    Image.open(images + "harbour.png").convert("RGB").save(photograph, "JPEG", quality=80)
    page.drawImage(ImageReader(photograph), 20, 200)
    page.showPage()
    page.drawImage(images + "columns.png", 20, 200, width=560, preserveAspectRatio=True)
    page.showPage()
    page.save()
    page = canvas.Canvas("figure.pdf", pagesize=(600, 400), invariant=1)
    page.addPageLabel(0, "ROMAN_LOWER", 4)
    page.drawString(20, 370, "The first line stands above the picture of the notice.")
    page.drawImage(images + "tea.png", 20, 220, width=300, height=110, preserveAspectRatio=True)
    page.drawString(20, 200, "Figure 1: the notice of the cooperative")
    page.drawString(20, 100, "The last line stands far below it.")
    page.save()


if __name__ == "__main__":
    pdf_scan()
    pdf_columns()
    pdf_cid()
    if len(sys.argv) > 1:
        pdf_embedded(sys.argv[1])
    pdf_odd()
    docx()
    pptx()
    xlsx()
    xlsx_formats()
    odf()
    epub()
