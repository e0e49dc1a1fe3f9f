// Spans are the one thing that must never be off by one: laws over random texts, and the cases that broke others.
import test from 'node:test';
import assert from 'node:assert/strict';
import { apart, blocks, both, cut, length, script, units, without } from '../spans.js';

const LETTERS = ['a', 'Z', ' ', '\n', '\n\n', '。', '窗', '𠮷', '👩‍🚀', 'é', '\r\n', '\t'];
let seed = 7;
const random = (below) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
const someText = () =>
  Array.from({ length: random(40) }, () => LETTERS[random(LETTERS.length)]).join('');
const points = (text) => [...text];

function someSpans(size) {
  return Array.from({ length: random(5) }, () => {
    const start = random(size + 1);
    return { start, end: start + random(size + 1 - start) };
  });
}

test('code points become UTF-16 offsets of the same characters', () => {
  for (let i = 0; i < 500; i += 1) {
    const text = someText();
    const all = points(text);
    const wanted = Array.from({ length: 4 }, () => random(all.length + 1)).sort((a, b) => a - b);
    assert.equal(length(text), all.length);
    units(text, wanted).forEach((unit, n) =>
      assert.equal(text.slice(0, unit), all.slice(0, wanted[n]).join('')),
    );
  }
});

test('a cut text is the whole text, and each mark holds exactly its code points', () => {
  for (let i = 0; i < 500; i += 1) {
    const text = someText();
    const all = points(text);
    const offset = random(50);
    const marks = apart(someSpans(all.length)).map(({ start, end }) => ({
      start: start + offset,
      end: end + offset,
    }));
    const pieces = cut(text, offset, marks);
    assert.equal(pieces.map((piece) => piece.text).join(''), text);
    const marked = pieces.filter((piece) => piece.mark);
    assert.deepEqual(
      marked.map((piece) => piece.text),
      marks.map(({ start, end }) => all.slice(start - offset, end - offset).join('')),
    );
  }
});

test('blocks start where they say and lose nothing but blank lines', () => {
  for (let i = 0; i < 500; i += 1) {
    const text = someText();
    const all = points(text);
    const found = blocks(text, 5);
    for (const { start, text: block } of found)
      assert.equal(all.slice(start - 5, start - 5 + length(block)).join(''), block);
    assert.equal(
      found
        .map((block) => block.text)
        .join('')
        .replace(/\s/g, ''),
      text.replace(/\s/g, ''),
    );
  }
});

test('what is alone and what is shared are together the span', () => {
  for (let i = 0; i < 500; i += 1) {
    const span = { start: random(20), end: 20 + random(20) };
    const others = apart(someSpans(40));
    const covered = new Array(40).fill(0);
    for (const part of [...without(span, others), ...both(span, others)])
      for (let at = part.start; at < part.end; at += 1) covered[at] += 1;
    covered.forEach((times, at) => assert.equal(times, at >= span.start && at < span.end ? 1 : 0));
  }
});

test('the script of a text decides how it is set', () => {
  assert.equal(script('Full-time staff have 28 days a year.'), 'en');
  assert.equal(script('土豆去皮切成火柴棍粗细的丝，放进清水里洗两遍。'), 'zh-Hans');
  assert.equal(script('青巒島的步道這個時候來，無論從哪個門進去，都會經過這間學校。'), 'zh-Hant');
});
