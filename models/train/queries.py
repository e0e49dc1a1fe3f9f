"""Pseudo-questions: short, question-like texts made from one sentence of a passage by rules, in both languages.

Real question sets with a clean licence were not to be had, so the gap between question and passage is imitated: the answer is cut
out and a question word put in its place, words are dropped by how common they are, the subject comes from the title.
"""
import math
import random
import re

WORD = re.compile(r"[^\W\d_][\w'\-]*|\d[\d.,]*")
HAN = re.compile(r"[\u3400-\u9fff]")
NUMBER = re.compile(r"^\d[\d.,]*$")
PRONOUNS = {"he", "she", "it", "they", "this", "these", "his", "her", "its", "their"}
EN_WHEN = ["When did", "In what year did", "When was", "What year was", "In which year", "What date"]
EN_COUNT = ["How many", "How much", "What number of", "How many", "How long", "What percentage of"]
EN_NAME = ["Who", "Where", "Which", "What", "Who was", "What is the name of", "Where was", "In which", "What was"]
EN_OTHER = ["What", "How did", "Why did", "What type of", "What kind of", "Which", "How does", "What is", "What was", "Why is",
            "How do I", "What are", "What caused", "What does"]
EN_TITLE = ["What is {t}?", "Who is {t}?", "What was {t}?", "Who was {t}?", "What does {t} mean?", "Tell me about {t}", "{t}",
            "{t} definition", "Where is {t}?", "history of {t}", "How does {t} work?"]
EN_TOPIC = ["What is the {k} of {t}?", "{t} {k}", "How is {k} related to {t}?", "What {k} did {t} have?", "{k} in {t}", "Which {k} {t}?"]
ZH_WHEN = ["哪一年", "什么时候", "何时", "哪年", "几年", "哪一天"]
ZH_COUNT = ["多少", "几", "第几", "多少个", "多大"]
ZH_OTHER = ["什么", "谁", "哪里", "哪个", "哪些", "什么", "何", "哪位", "什么样的", "怎样", "哪一个", "何地", "什么"]
ZH_TITLE = ["{t}是什么？", "{t}是谁？", "什么是{t}", "介绍一下{t}", "{t}", "{t}在哪里？", "{t}有哪些特点？", "{t}的历史", "{t}怎么样"]
ZH_TOPIC = ["{t}的{k}是什么？", "{t} {k}", "{t}有什么{k}？", "{t}的{k}", "{k}和{t}有什么关系？", "{t}为什么{k}？", "{t}{k}多少？"]


class Maker:
    """Makes queries for one language; `rarity` maps a lower-case word to its inverse document frequency."""

    def __init__(self, lang, rarity, segment=None, seed=0):
        self.lang, self.rarity, self.segment, self.random = lang, rarity, segment, random.Random(seed)
        self.common = 9.0                       # rarity of a word never counted

    def words(self, sentence):
        return WORD.findall(sentence) if self.lang == "en" else self.segment(sentence)

    def join(self, words):
        return " ".join(words) if self.lang == "en" else "".join(words)

    def weight(self, word):
        return self.rarity.get(word.lower(), self.common)

    def answer(self, words):
        """A span to ask for: a number or a name if the dice say so, else anything."""
        dice, marks = self.random, [i for i, w in enumerate(words) if NUMBER.match(w) or (self.lang == "en" and i and w[0].isupper())]
        start = dice.choice(marks) if marks and dice.random() < 0.7 else dice.randrange(len(words))
        end = start + 1
        while end < len(words) and end - start < 4 and (words[start][0].isupper() and words[end][0].isupper() or dice.random() < 0.35):
            end += 1
        return start, end

    def kind(self, span):
        """Question words that fit what was cut out."""
        english, number = self.lang == "en", NUMBER.match(span[0])
        if number and re.match(r"^(1\d|20)\d\d$", span[0]):
            return EN_WHEN if english else ZH_WHEN
        if number:
            return EN_COUNT if english else ZH_COUNT
        if not english:
            return ZH_OTHER
        return EN_NAME if span[0][0].isupper() else EN_OTHER

    def ask(self, title, sentence):
        """The sentence around a cut-out answer, as a question."""
        dice, words = self.random, self.words(sentence)
        if len(words) < 4:
            return self.topic(title, sentence)
        start, end = self.answer(words)
        asked = dice.choice(self.kind(words[start:end]))
        before, after = dice.randrange(1, 9), dice.randrange(2, 9)
        left, right = words[max(0, start - before):start], words[end:end + after]
        keep = dice.uniform(0.6, 1.0)
        left, right = ([w for w in side if dice.random() < keep or self.weight(w) > 6] for side in (left, right))
        if self.lang == "en":
            rest = [title if w.lower() in PRONOUNS and title else w for w in left + right]
            text = asked + " " + " ".join(rest)
        else:
            text = re.sub("^[他她它该其]", lambda _: title, "".join(left)) + asked + "".join(right)
        if title and title.lower() not in text.lower() and dice.random() < 0.35:
            text = text + (" in " if self.lang == "en" else "") + title if self.lang == "en" else title + text
        return text + ("?" if self.lang == "en" else "？")

    def pick(self, words, count):
        """Words drawn by rarity, in their order."""
        ranked = sorted(range(len(words)), key=lambda i: -math.log(self.random.random() + 1e-9) / (self.weight(words[i]) ** 2 + 0.1))
        return [words[i] for i in sorted(ranked[:count])]

    def keywords(self, title, sentence):
        chosen = self.pick(self.words(sentence), self.random.randrange(2, 7))
        if title and self.random.random() < 0.3:
            chosen = [title] + chosen[:3]
        return " ".join(chosen)

    def topic(self, title, sentence):
        """A question about the title, alone or with one telling word."""
        dice, english = self.random, self.lang == "en"
        if not title:
            return self.keywords(title, sentence)
        if dice.random() < 0.3:
            return dice.choice(EN_TITLE if english else ZH_TITLE).format(t=title)
        words = self.words(sentence)
        telling = self.join(self.pick(words, dice.randrange(1, 4))) if words else ""
        return dice.choice(EN_TOPIC if english else ZH_TOPIC).format(t=title, k=telling)

    def crop(self, sentence):
        words = self.words(sentence)
        size = self.random.randrange(4, 15)
        start = self.random.randrange(max(1, len(words) - size))
        return self.join(words[start:start + size]) or sentence

    def one(self, title, sentence):
        throw = self.random.random()
        if throw < 0.50:
            return self.ask(title, sentence)
        if throw < 0.72:
            return self.keywords(title, sentence)
        if throw < 0.84:
            return self.topic(title, sentence)
        return self.crop(sentence) if throw < 0.94 else sentence[:200]

    def for_passage(self, title, sentences, count):
        """`count` pairs (query, index of the sentence it was made from)."""
        out = []
        for _ in range(count):
            index = self.random.randrange(len(sentences))
            out.append((self.one(title, sentences[index]).strip() or sentences[index], index))
        return out
