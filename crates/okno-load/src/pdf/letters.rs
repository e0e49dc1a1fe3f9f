//! Letters as search needs them, and what can be said about one.
//!
//! Chinese fonts often draw `入` with the code of the radical `⼊`, Latin ones draw `fi` as one sign. They look the
//! same and are not found by who types the usual letter. The text of a PDF is our own rendering, so it is written
//! with the usual letters: Kangxi and supplementary radicals, compatibility ideographs that repeat a radical,
//! ligatures, full-width letters and digits, vertical forms of punctuation. Full-width punctuation stays: it is what
//! Chinese writes.

/// The letters of the Kangxi radicals U+2F00 to U+2FD5, in their order.
const KANGXI: &str = "一丨丶丿乙亅二亠人儿入八冂冖冫几凵刀力勹匕匚匸十卜卩厂厶又口囗土士夂夊夕大女子宀寸小尢尸屮山巛工己巾干幺广廴\
廾弋弓彐彡彳心戈戶手支攴文斗斤方无日曰月木欠止歹殳毋比毛氏气水火爪父爻爿片牙牛犬玄玉瓜瓦甘生用田疋疒癶白皮皿\
目矛矢石示禸禾穴立竹米糸缶网羊羽老而耒耳聿肉臣自至臼舌舛舟艮色艸虍虫血行衣襾見角言谷豆豕豸貝赤走足身車辛辰辵\
邑酉釆里金長門阜隶隹雨靑非面革韋韭音頁風飛食首香馬骨高髟鬥鬯鬲鬼魚鳥鹵鹿麥麻黃黍黑黹黽鼎鼓鼠鼻齊齒龍龜龠";

/// Radicals of the supplement (U+2E80 to U+2EFF), each followed by the letter it is a form of.
const SUPPLEMENT: &str = "⺁厂⺄乙⺅亻⺆冂⺇几⺈刀⺉刂⺊卜⺌小⺍小⺎兀⺏尣⺐尢⺑尢⺒巳⺓幺⺔彑⺕彐⺖忄⺗心⺘扌⺙攵⺛旡⺜日⺝月⺞歹⺟母\
⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭⺩王⺪疋⺫罒⺬示⺭礻⺮竹⺯糹⺰纟⺲罒⺶羊⺹耂⺺肀⺻聿⺼肉⺽臼⺾艹⺿艹⻀艹\
⻁虎⻂衤⻃覀⻄西⻅见⻆角⻇角⻈讠⻉贝⻊足⻋车⻌辶⻍辶⻎辶⻏阝⻐钅⻑長⻒镸⻓长⻔门⻕阜⻖阝⻗雨⻘青⻙韦⻚页⻛风\
⻜飞⻝食⻞飠⻟飠⻠饣⻡首⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟";

/// Signs that stand for several letters.
const LIGATURES: [(char, &str); 7] = [
    ('\u{fb00}', "ff"),
    ('\u{fb01}', "fi"),
    ('\u{fb02}', "fl"),
    ('\u{fb03}', "ffi"),
    ('\u{fb04}', "ffl"),
    ('\u{fb05}', "st"),
    ('\u{fb06}', "st"),
];

/// Vertical forms and what they are forms of.
const VERTICAL: &str =
    "︐，︑、︒。︓：︔；︕！︖？︗〖︘〗︙…︰：︱—︵（︶）︷｛︸｝︹〔︺〕︻【︼】︽《︾》︿〈﹀〉﹁「﹂」﹃『﹄』";

/// The text with usual letters; single spaces, no control characters.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' '..='~' => out.push(c),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\t' => out.push(' '),
            '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{2060}' => {}
            _ => push_folded(&mut out, c),
        }
    }
    out
}

fn push_folded(out: &mut String, c: char) {
    let paired = |pairs: &'static str| {
        let mut letters = pairs.chars();
        std::iter::from_fn(move || Some((letters.next()?, letters.next()?)))
            .find(|(from, _)| *from == c)
            .map(|(_, to)| to)
    };
    let one = match c {
        '\u{2f00}'..='\u{2fd5}' => KANGXI.chars().nth(c as usize - 0x2f00),
        '\u{2e80}'..='\u{2eff}' => paired(SUPPLEMENT),
        '\u{fe10}'..='\u{fe4f}' => paired(VERTICAL),
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            char::from_u32(c as u32 - 0xfee0)
        }
        _ => None,
    };
    match (one, LIGATURES.iter().find(|(from, _)| *from == c)) {
        (Some(letter), _) => out.push(letter),
        (None, Some((_, letters))) => out.push_str(letters),
        (None, None) if c.is_control() => {}
        (None, None) => out.push(c),
    }
}

/// A line without the spaces between its wide letters where they are set apart: 关 于 红 军 is 关于红军 for who searches.
pub(super) fn closed_up(line: String) -> String {
    let letters: Vec<char> = line.chars().collect();
    let is_apart = |at: usize| letters[at] == ' ' && is_between_wide(&letters, at);
    let apart = (0..letters.len()).filter(|&at| is_apart(at)).count();
    let close = letters.windows(2).filter(|pair| is_wide(pair[0]) && is_wide(pair[1])).count();
    if apart == 0 || apart < 2 * close {
        return line;
    }
    (0..letters.len()).filter(|&at| !is_apart(at)).map(|at| letters[at]).collect()
}

fn is_between_wide(letters: &[char], at: usize) -> bool {
    let is_wide_at = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|&letter| is_wide(letter));
    is_wide_at(at.checked_sub(1)) && is_wide_at(Some(at + 1))
}

/// Whether a letter fills a square and needs no spaces: Chinese, Japanese, full-width punctuation. Korean has spaces
/// between its words.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{312f}' | '\u{3190}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{fe10}'..='\u{fe4f}' |
        '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a fragment is nothing but the marker of a list item.
pub(super) fn is_marker(text: &str) -> bool {
    let text = text.trim();
    let body = text.trim_start_matches(['(', '（', '[']).trim_end_matches(['.', ')', '）', '、', ']', ':']);
    let digits = body.len() <= 3 && body.bytes().all(|b| b.is_ascii_digit());
    let roman = body.len() <= 5 && body.chars().all(|c| "ivxIVX".contains(c));
    let letter = body.len() == 1 && body.chars().all(|c| c.is_ascii_alphabetic());
    let counted = !body.is_empty() && body.len() < text.len() && (digits || roman || letter);
    counted
        || matches!(text, "•" | "●" | "▪" | "◦" | "■" | "–" | "-" | "—" | "*" | "·" | "○" | "►" | "✓" | "➢" | "" | "§")
}

/// Whether a line begins with the marker of a list item.
pub(super) fn starts_item(line: &str) -> bool {
    let Some((first, rest)) = line.split_once(' ') else { return false };
    let bullet = line.starts_with(['•', '●', '▪', '◦', '■', '○', '►', '✓', '➢']);
    // A year or a section number at the start of a line is none: `1.2 Results`, `2023. In`.
    bullet
        || (!rest.is_empty()
            && first.len() <= 5
            && is_marker(first)
            && first.strip_suffix(|_| true).is_some_and(|number| !number.contains('.'))
            && first != "*")
}

/// Whether a line ends a sentence, closing marks aside.
pub(super) fn ends_sentence(line: &str) -> bool {
    let closing = ['”', '’', '"', '\'', ')', '）', ']', '】', '」', '』', '》'];
    line.trim_end_matches(closing).ends_with(['.', '!', '?', '。', '！', '？', '…', ':', '：', ';', '；'])
}

/// Joins the next line to a paragraph: a word broken by a hyphen becomes whole again, Chinese letters stand side by
/// side, anything else gets a space. `compounds` are words that the document writes with a hyphen inside a line.
pub(super) fn join_line(text: &mut String, next: &str, compounds: &std::collections::HashSet<String>) {
    let (last, first) = (text.chars().next_back(), next.chars().next());
    let before = text.chars().rev().nth(1);
    let (letter_before, part_before) =
        (before.is_some_and(char::is_alphabetic), before.is_some_and(|c| c.is_alphanumeric() || c == '/'));
    match (last, first) {
        (None, _) | (_, None) => {}
        (Some('\u{ad}'), _) => _ = text.pop(),
        (Some('-' | '\u{2010}'), Some(c)) if letter_before && c.is_lowercase() => {
            let start = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
            let end = next.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(next.len());
            let whole = format!("{}{}", &text[start..], &next[..end]).to_lowercase();
            if !compounds.contains(&whole) {
                text.pop();
            }
        }
        (Some(before), Some(after)) if is_wide(before) && is_wide(after) => {}
        // Where a line may be broken inside of a word: ranges, part numbers, addresses.
        (Some('-' | '/' | '\u{2010}' | '–' | '@'), Some(c)) if part_before && c.is_alphanumeric() => {}
        _ => text.push(' '),
    }
    text.push_str(next);
}

/// The words of a line that hold a hyphen between letters.
pub(super) fn compounds(line: &str) -> impl Iterator<Item = String> + '_ {
    let inner = |word: &&str| word.len() > 2 && word.trim_matches('-').contains('-');
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '\u{2010}');
    words.filter(inner).map(|word| word.replace('\u{2010}', "-").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    #[test]
    fn wide_letters_that_are_set_apart_are_closed_up() {
        let closed = |line: &str| closed_up(line.to_owned());
        assert_eq!(closed("关 于 红 军 作 战 的 原 则… … 1"), "关于红军作战的原则… … 1");
        assert_eq!(closed("（ 一 九 三 七 年 ）"), "（一九三七年）");
        assert_eq!(closed("目 录"), "目录");
        for line in ["张三 李四 王五", "用 Rust 写 的 program 很快", "a b c", "摘 要：本文研究检索", ""]
        {
            assert_eq!(closed(line), line);
        }
    }

    #[test]
    fn look_alikes_become_usual_letters() {
        assert_eq!(folded("⼊⼝ ⻓⻔ ﬁnal eﬃcient Ａ１，（好）"), "入口 长门 final efficient A1，（好）");
        assert_eq!(KANGXI.chars().count(), 214);
        for (at, letter) in KANGXI.chars().enumerate() {
            let radical = char::from_u32(0x2f00 + at as u32).unwrap();
            assert_eq!(radical.to_string().nfkc().collect::<String>(), letter.to_string());
        }
    }

    /// Sixteen real reports were refused: a marker of more than one byte was cut inside of it.
    #[test]
    fn markers_of_several_bytes_start_items() {
        for line in ["– revenue grew", "— revenue grew", "· revenue grew", "• revenue grew", "1) revenue", "a. revenue"]
        {
            assert!(starts_item(line), "{line}");
        }
        for line in ["1.2 Results", "* * *", "– ", "The end"] {
            assert!(!starts_item(line), "{line}");
        }
    }

    #[test]
    fn lines_are_joined_as_they_were_broken() {
        let known = ["well-known".to_owned()].into();
        let join = |a: &str, b: &str| {
            let mut text = a.to_owned();
            join_line(&mut text, b, &known);
            text
        };
        assert_eq!(join("infor-", "mation is"), "information is");
        assert_eq!(join("a well-", "known one"), "a well-known one");
        assert_eq!(join("Anglo-", "Saxon"), "Anglo-Saxon");
        assert_eq!(join("中文", "排版"), "中文排版");
        assert_eq!(join("中文", "PDF"), "中文 PDF");
        assert_eq!(join("one", "two"), "one two");
        assert_eq!(join("5 -", "3"), "5 - 3");
        assert_eq!(join("206–231–", "3195. It"), "206–231–3195. It");
        assert_eq!(join("https://", "example.org"), "https://example.org");
    }

    #[test]
    fn markers() {
        for yes in ["1.", "(a)", "•", "iv)", "3、"] {
            assert!(is_marker(yes), "{yes}");
        }
        assert!(!starts_item("3195. It is") && !starts_item("Mr. Lee"));
        assert!(
            starts_item("1. Take it")
                && starts_item("• Take it")
                && !starts_item("1.2 Results")
                && !starts_item("Take it")
        );
    }
}
