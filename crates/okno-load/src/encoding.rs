//! Bytes come in, text goes out – or a reason why not.
//!
//! A byte order mark decides, then valid UTF-8 does: other encodings almost never look like it by accident. What is
//! left is mostly Chinese in GB18030 (with GBK and GB 2312 inside it), Big5 or UTF-16 without a mark, and the general
//! detector alone mixes these up on short texts. So each is tried, and the reading with the most *everyday*
//! characters wins: a wrong reading of Chinese bytes gives rare characters. Only what does not look Chinese is left
//! to the general detector. Text is never guessed silently: a reading with broken characters or control bytes is
//! refused.

use std::borrow::Cow;
use std::sync::LazyLock;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE};
use okno_document::text::script::is_han;

/// The characters that make up about 70 % of running Chinese text: the 400 most frequent ones of simplified news,
/// recipes and technical pages together with the 400 most frequent ones of traditional encyclopedia articles, counted.
const EVERYDAY: &str = "一万三上下不与专且世业东两並个中为主之也书了事二于五些亞交产京人亿今从他代令以们件价任企众优会传但位\
体作使來供俄保信個們做傳元先光克党入內全兩公共关兵其内再军决况准出分列创初別利到制則前劉力办功加务动\
助動務包化北区医區十升华协单南卡印即原去县参又及反发取受口古只可台史号司各合同名后向告员周命和品响員\
商器四回因团国图國圖團土在地场型城域基場境增士处备复外多大天太夫好如始委子学學安完宗官定实客家容實对\
导将將對導小少就尼局居展屬山島州工已巴市布帝带帶常平年并广应府度廣建开式引張強强当形影往很後得從德心\
快态性总息情意應成我或战戰户房所手打技投护报拉持指据排接推提擊據支收改攻放政效救教数整數文料斯新方於\
施族无日早时明星是時普更書曾最會月有服朝期木未本术机权村来東林果查标校根格案條检業機權次正此步武歷每\
比民气氣水求江決沙河治法波洲活派流济海消深清港游源演濟灣灾点為無然爭爾片物特率王环现現球理生產用由电\
界當發的皇监目直相省看着研确示社票种科积称程種稱稻空立站第等策管米类系紀約納級組結統經維網線縣總约级\
线组经结统续网置羅美群義老者而联聯聲股育能自至與舉色英華营萬著蘇蘭處號行術衛表被西要規視规视解計設許\
該認語說警議變计认让议记设证该说调象資賽责质费资赛起超路車軍較车转达过运近还这进选逐這通速造進運過道\
達選還邦部郵都鄭配里重量金鐵長长門開間關门问间队防阿际降限院除险陸隊際集雨電需青非面領類项预领题风飛\
食首馬體高點黨，。、；：？！“”‘’「」『』（）《》〈〉…—·";

/// Bytes looked at to choose an encoding: enough for thousands of characters, and the cost stays flat for large files.
const SAMPLE: usize = 32 * 1024;
/// One broken character in this many is damage in a file that is otherwise well read; more means a wrong reading.
const CHARS_PER_FLAW: usize = 1000;
/// Least mean plausibility (0–1) at which bytes count as Chinese. Measured: real Chinese scores 0.6 and more from 8
/// characters on, other languages read as Chinese below 0.2.
const CHINESE: f32 = 0.35;
/// The same for UTF-16, where the other reading is a binary file; English in UTF-16 scores 1.
const WIDE: f32 = 0.5;

/// Decoded text without its byte order mark, and what it was decoded from.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, without byte order mark.
    pub text: Cow<'a, str>,
    /// The name of the encoding.
    pub encoding: &'static str,
}

okno_document::messages! {
    /// Why bytes are not text.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum NotText {
        /// NUL or control bytes.
        Binary = "binary" =>
            ("looks binary (it holds NUL or control bytes)", "像是二进制文件（含有 NUL 或控制字符）"),
        /// No encoding reads it cleanly.
        Unknown = "unknown_encoding" =>
            ("looks binary or unknown encoding; save it as UTF-8", "像是二进制文件或未知编码；请另存为 UTF-8"),
        /// Nothing but white space.
        Blank = "no_text" => ("no text", "没有文字"),
    }
}

/// Decodes a whole source. Line ends and spaces stay as they are.
///
/// # Errors
/// When the bytes are binary, in no encoding that reads them cleanly, or hold nothing but white space.
pub fn decode(bytes: &[u8]) -> Result<Decoded<'_>, NotText> {
    decode_hinted(bytes, None)
}

/// Like [`decode`], with the encoding that the source itself names (an HTML `meta charset`). The hint is only a hint:
/// valid UTF-8 and byte order marks are stronger, and a hint that reads badly is ignored.
///
/// # Errors
/// As for [`decode`].
pub fn decode_hinted<'a>(bytes: &'a [u8], hint: Option<&'static Encoding>) -> Result<Decoded<'a>, NotText> {
    let decoded = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => read_as(encoding, &bytes[mark..])?,
        None => unmarked(bytes, hint)?,
    };
    checked(decoded)
}

fn unmarked<'a>(bytes: &'a [u8], hint: Option<&'static Encoding>) -> Result<Decoded<'a>, NotText> {
    let nul = memchr::memchr(0, bytes).is_some();
    if !nul && let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Decoded { text: Cow::Borrowed(text), encoding: UTF_8.name() });
    }
    if nul {
        // Only UTF-16 text has zero bytes: the halves of ASCII characters.
        let (score, wide) = best(&[UTF_16LE, UTF_16BE], bytes);
        return if score >= WIDE { read_as(wide, bytes) } else { Err(NotText::Binary) };
    }
    hint.and_then(|encoding| read_as(encoding, bytes).ok())
        .or_else(|| damaged_utf8(bytes))
        .map_or_else(|| read_as(guess(bytes), bytes), Ok)
}

/// Refuses control bytes and blank text; both look the same in every encoding once decoded.
fn checked(decoded: Decoded<'_>) -> Result<Decoded<'_>, NotText> {
    let control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    let controls = decoded.text.as_bytes().iter().filter(|b| control(b)).count();
    if decoded.text.as_bytes().contains(&0) || controls * 100 > decoded.text.len() {
        return Err(NotText::Binary);
    }
    if decoded.text.trim().is_empty() {
        return Err(NotText::Blank);
    }
    Ok(decoded)
}

fn read_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Result<Decoded<'a>, NotText> {
    let (text, flawed) = encoding.decode_without_bom_handling(bytes);
    if flawed && too_flawed(&text) {
        return Err(NotText::Unknown);
    }
    Ok(Decoded { text, encoding: encoding.name() })
}

fn too_flawed(text: &str) -> bool {
    let flaws = text.matches('\u{fffd}').count();
    flaws > 0 && flaws * CHARS_PER_FLAW > text.chars().count()
}

/// UTF-8 with a few bad bytes (a cut log, one pasted character) is still UTF-8, given that multi-byte characters are
/// there.
fn damaged_utf8(bytes: &[u8]) -> Option<Decoded<'_>> {
    let decoded = read_as(UTF_8, bytes).ok()?;
    let sound = decoded.text.chars().filter(|c| !c.is_ascii() && *c != '\u{fffd}').count();
    (sound > 0).then_some(decoded)
}

/// The reading that looks most like text, and how much. The later one wins a tie.
fn best(readings: &[&'static Encoding], bytes: &[u8]) -> (f32, &'static Encoding) {
    let sample = interesting(bytes);
    let scored = readings.iter().map(|encoding| (plausibility(encoding, sample, bytes), *encoding));
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, UTF_8))
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    // One or two characters fit both Chinese encodings; the one of the mainland is far more common in files.
    match best(&[UTF_16LE, UTF_16BE, BIG5, GB18030], bytes) {
        (score, encoding) if score >= if wide(encoding) { WIDE } else { CHINESE } => encoding,
        _ => general_guess(interesting(bytes)),
    }
}

fn general_guess(sample: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// The sample starts at the first non-ASCII byte, or at the ASCII byte before it where UTF-16 needs an even offset:
/// either way a character surely starts there.
fn interesting(bytes: &[u8]) -> &[u8] {
    let first = bytes.iter().position(|b| *b >= 0x80 || *b == 0).unwrap_or(0) & !1;
    &bytes[first..bytes.len().min(first + SAMPLE)]
}

/// How much the bytes look like everyday Chinese when read this way, from 0 to 1. Everyday characters count 1, other
/// characters of the encoding's first (frequent) plane 0.5, anything else nothing; unreadable bytes rule the encoding
/// out.
fn plausibility(encoding: &'static Encoding, sample: &[u8], all: &[u8]) -> f32 {
    let wide = wide(encoding);
    if wide && !all.len().is_multiple_of(2) {
        return 0.0;
    }
    let (text, _) = encoding.decode_without_bom_handling(sample);
    let (mut score, mut count, mut flaws) = (0.0, 0_usize, 0_usize);
    for c in text.chars().filter(|c| wide || !c.is_ascii()) {
        count += 1;
        flaws += usize::from(c == '\u{fffd}');
        score += weight(encoding, c);
    }
    // The sample's end may cut one character in two.
    if count == 0 || flaws > 1 + count / 100 { 0.0 } else { score / count as f32 }
}

fn wide(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

fn weight(encoding: &'static Encoding, c: char) -> f32 {
    let frequent_plane = || {
        let mut buffer = [0; 4];
        let (bytes, _, _) = encoding.encode(c.encode_utf8(&mut buffer));
        match (encoding == GB18030, bytes.as_ref()) {
            (true, [0xb0..=0xd7, 0xa1..=0xfe]) => true,
            (false, [0xa4..=0xc6, _]) => encoding == BIG5,
            _ => false,
        }
    };
    match c {
        ' '..='~' | '\n' | '\r' | '\t' => 1.0,
        _ if everyday(c) => 1.0,
        _ if frequent_plane() => 0.5,
        _ if is_han(c) && wide(encoding) => 0.4,
        _ => 0.0,
    }
}

fn everyday(c: char) -> bool {
    static SORTED: LazyLock<Vec<char>> = LazyLock::new(|| {
        let mut all: Vec<char> = EVERYDAY.chars().collect();
        all.sort_unstable();
        all
    });
    SORTED.binary_search(&c).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIMPLIFIED: &str =
        "意大利面软糯爽口，搭配肥牛和酱料，酱香浓郁，是带有西式风味的家常主食。做法简单，新手也能轻松掌握。";
    const TRADITIONAL: &str = "第十五屆夏季奧林匹克運動會，於1952年7月19日至8月3日在芬蘭的赫爾辛基舉行。";

    fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        if encoding == UTF_16LE {
            return text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        }
        if encoding == UTF_16BE {
            return text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        }
        let (bytes, _, flawed) = encoding.encode(text);
        assert!(!flawed);
        bytes.into_owned()
    }

    #[test]
    fn chinese_is_read_in_every_encoding() {
        for (text, encoding) in [
            (SIMPLIFIED, GB18030),
            (TRADITIONAL, GB18030),
            (TRADITIONAL, BIG5),
            (SIMPLIFIED, UTF_16LE),
            (TRADITIONAL, UTF_16BE),
            (SIMPLIFIED, UTF_8),
        ] {
            let bytes = encoded(text, encoding);
            let decoded = decode(&bytes).unwrap();
            assert_eq!((decoded.text.as_ref(), decoded.encoding), (text, encoding.name()));
        }
    }

    #[test]
    fn every_short_piece_is_read() {
        for (text, encoding) in [(SIMPLIFIED, GB18030), (TRADITIONAL, BIG5)] {
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.windows(8) {
                let piece: String = piece.iter().collect();
                assert_eq!(decode(&encoded(&piece, encoding)).unwrap().text, piece);
            }
        }
    }

    #[test]
    fn byte_order_marks_are_removed() {
        for (mark, encoding) in [(&b"\xef\xbb\xbf"[..], UTF_8), (b"\xff\xfe", UTF_16LE), (b"\xfe\xff", UTF_16BE)] {
            let bytes = [mark, &encoded("plain\r\n文字", encoding)].concat();
            assert_eq!(decode(&bytes).unwrap().text, "plain\r\n文字");
        }
        for unmarked in ["only ASCII in UTF-16", "一个一个地　写，with some ASCII"] {
            assert_eq!(decode(&encoded(unmarked, UTF_16LE)).unwrap().text, unmarked);
        }
    }

    #[test]
    fn western_text_is_left_to_the_detector() {
        let text = "Le café crème est servi à l'intérieur, où les élèves ont déjà mangé.";
        let bytes = encoded(text, encoding_rs::WINDOWS_1252);
        assert_eq!(decode(&bytes).unwrap().text, text);
    }

    #[test]
    fn not_text_says_why() {
        assert_eq!(decode(b""), Err(NotText::Blank));
        assert_eq!(decode("\u{feff} \n\u{3000}".as_bytes()), Err(NotText::Blank));
        assert_eq!(decode(b"PK\x03\x04\0\0\0\x01abc\0"), Err(NotText::Binary));
        assert_eq!(decode(&[0x01, 0x02, 0x80, 0x81, 0x03, 0x99]), Err(NotText::Binary));
        assert_eq!(decode(b"\xef\xbb\xbf\xff\xfe\xff\xfe rest"), Err(NotText::Unknown));
    }

    #[test]
    fn one_bad_byte_does_not_spoil_a_file() {
        let mut bytes = SIMPLIFIED.repeat(40).into_bytes();
        bytes.push(0xe4);
        let decoded = decode(&bytes).unwrap();
        assert_eq!(decoded.encoding, "UTF-8");
        assert!(decoded.text.ends_with("掌握。\u{fffd}"));
    }
}
