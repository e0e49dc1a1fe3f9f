#!/usr/bin/env python3
"""Writes the small fixture of the engine's tests: texts that are hard to normalise and to cut, with what `tokenizers` makes of them.

    make_cases.py MODEL_FOLDER COUNTER.json > cases.jsonl          needs numpy, tokenizers
"""
import json
import random
import sys

from cases import Truth

TEXTS = [
    "", " ", "\n", "\r\n", "\t \u3000", "\0", "a\0b", "How do I restart a Pod?", "how do I restart a pod", "法國的首都在哪裡？",
    "Café résumé naïve ÅNGSTRÖM", "Cafe\u0301 re\u0301sume\u0301", "CAFE\u0301", "E\u0301\u0302", "E\u0301\u0302\u0303", "n\u0303 N\u0303",
    "ＡＢＣ１２３ ｆｕｌｌ－ｗｉｄｔｈ", "ﾊﾝｶｸ ｶﾞ", "⼊⼝ ⾦ 㐀 豈 﨎 丽", "①②③ ㈠ ㊣ ㍿ ½ ² ™ ﬁ ﬃ", "ﷺ ﷻ", "𝕳𝖊𝖑𝖑𝖔 𝟙𝟚𝟛",
    "😀👍🏽 👨‍👩‍👧‍👦 🇨🇳🇺🇸🇫 ❤️ ‼️ 1️⃣", "a\u200db \u200b\ufeffc\u00add", "مرحبا بالعالم ١٢٣", "שָׁלוֹם", "हिन्दी क्षत्रिय", "ไทย ภาษา", "한국어 각 \u1112\u1161\u11ab",
    "Привет мир中文abc", "ёлка Й", "日本語のテキスト、カタカナ", "が ガ", "ΑΣ ς Σ ΐ", "İstanbul ı ß ẞ ŉ ǰ", "Ⅳ ⅳ ℃ Å K Ω",
    "臺灣鐵路管理局於民國37年成立", "台灣 裡 裏 後 髮 發", "𠀀𪚥𫝀 \U0002f800 \U00031350", "龘龘龘 𰻝𰻝", "abc123def456 v1.2.3 x86_64", "3.14159 1,000,000 2030 98765",
    "don't can't it's O'Neill", "snake_case CamelCase kebab-case", "https://example.com/a?b=c&d=%20", "user@example.com C++ C# .NET",
    "[PAD][UNK]", "x[UNK]y [unk] [PAD", "[CLS] a [SEP] b [MASK] [cls]", "[[PAD]]", "[unused0] ##ing # ##",
    "pneumonoultramicroscopicsilicovolcanoconiosis", "a" * 100, "a" * 101, "é" * 101, "가" * 34, "的" * 300, "ab" * 500, "\u0301" * 20, "a" + "\u0301" * 50,
    "A" + "\u0301" * 3, "\u0600a \u0600", "\u037e \u1fef \u0387", "\u2028\u2029\u0085x", "«quotes» “smart” ‘x’ …—–", "。，、；：？！「」『』（）", "￥$€£ ©®",
    "\ue000\uf8ff \ufffd \uffff", "\U000e0001\U000e0041", "\U0010ffff", "\u1e9b\u0323", "ḍ̇ q̣̇", "\u1100\u1161\u11a8 \uac00\u11a8", "کیک كيك", "zażółć gęślą jaźń", "Tiếng Việt đẹp",
    "一二三four五6七", "中a文1中", "éa中", "ⓐⓑ Ⓐ", "ǅ ǆ Ǆ", "ꭰ Ꭰ", "\U00010400 \U00010428", "\u1c89 \ua7cb \U000105c0", "ﬀﬁﬂ ſ",
]
SOURCES = ["aAzZ09 ", "éÉñÜßøłđ", "\u0300\u0301\u0327\u0323\u20e3\ufe0f\u200d", "的中國台灣髮㐀", "ＡｚＺ９（", "ｶﾞﾊﾟ", "😀👍🏽🇨🇳❤", "مرحب١", "िन्क्ष", "각ᄒ각", "①㍿ﬁﷺ½²", "..,;!?'\"()[]#_-", "\r\n\t\u3000\u2028\0", "ёЙΑΣς"]


def mixed(random_source):
    """A string of characters from several scripts."""
    return "".join(random_source.choice(random_source.choice(SOURCES)) for _ in range(random_source.randrange(1, 24)))


def main(model_folder, counter_json):
    truth, random_source = Truth(model_folder, counter_json), random.Random(7)
    for text in TEXTS + [mixed(random_source) for _ in range(100)]:
        print(json.dumps(truth.case(text), ensure_ascii=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
