//! Which encoding a number in an RTF file means.

use encoding_rs::Encoding;

pub(in super::super) fn code_page(number: i32) -> Option<&'static Encoding> {
    let label = match number {
        932 => "shift_jis",
        936 => "gb18030",
        949 => "euc-kr",
        950 => "big5",
        874 => "windows-874",
        10_000 => "macintosh",
        65_001 => "utf-8",
        1250..=1258 => return Encoding::for_label(format!("windows-{number}").as_bytes()),
        _ => return None,
    };
    Encoding::for_label(label.as_bytes())
}

pub(super) fn charset(number: i32) -> Option<&'static Encoding> {
    let page = match number {
        0 => 1252,
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    code_page(page)
}
