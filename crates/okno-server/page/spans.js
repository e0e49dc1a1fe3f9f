/**
 * Spans: code points outside, UTF-16 inside. Pure functions over plain data.
 *
 * The server counts Unicode code points, the browser UTF-16 units; they differ after the first emoji or rare Han
 * character, so every offset passes through here exactly once.
 */

const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/;

/** The UTF-16 offsets of ascending code point offsets of a text. Offsets beyond the end are the end. */
export function units(text, points) {
  if (!PAIRS.test(text)) return points.map((point) => Math.max(0, Math.min(point, text.length)));
  const found = [];
  let [unit, point] = [0, 0];
  for (const wanted of points) {
    for (; point < wanted && unit < text.length; point += 1)
      unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
    found.push(unit);
  }
  return found;
}

/** How many code points a text has. */
export function length(text) {
  let count = text.length;
  if (PAIRS.test(text))
    for (let i = 0; i < text.length; i += 1)
      if (text.codePointAt(i) > 0xffff) {
        i += 1;
        count -= 1;
      }
  return count;
}

/** Spans in order, each starting where the one before has ended at the earliest; what is left of them. */
export function apart(spans) {
  let at = 0;
  const kept = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const start = Math.max(span.start, at);
    if (start < span.end) {
      kept.push({ ...span, start });
      at = span.end;
    }
  }
  return kept;
}

/** The parts of a span that none of the others covers. */
export function without(span, others) {
  const parts = [];
  let at = span.start;
  for (const other of [...others].sort((a, b) => a.start - b.start)) {
    const start = Math.min(Math.max(other.start, at), span.end);
    if (start > at) parts.push({ start: at, end: start });
    at = Math.max(at, Math.min(other.end, span.end));
  }
  if (at < span.end) parts.push({ start: at, end: span.end });
  return parts;
}

/** The parts of a span that others cover too. */
export function both(span, others) {
  const parts = others.map((other) => ({
    start: Math.max(span.start, other.start),
    end: Math.min(span.end, other.end),
  }));
  return parts.filter(({ start, end }) => start < end);
}

/** A text cut at marks (ascending, apart, in code points of the document it starts at `offset` of): `{text, mark}`s. */
export function cut(text, offset, marks) {
  const local = marks.flatMap((mark) => [
    Math.max(0, mark.start - offset),
    Math.max(0, mark.end - offset),
  ]);
  const at = units(text, local);
  const pieces = [];
  let done = 0;
  marks.forEach((mark, i) => {
    const [start, end] = [at[2 * i], at[2 * i + 1]];
    if (start > done) pieces.push({ text: text.slice(done, start), mark: null });
    if (end > start) pieces.push({ text: text.slice(start, end), mark });
    done = Math.max(done, end);
  });
  if (done < text.length) pieces.push({ text: text.slice(done), mark: null });
  return pieces;
}

/** The blocks of a text – what blank lines separate – as `{start, text}` with `start` in code points from `offset`. */
export function blocks(text, offset) {
  const found = [];
  let point = offset;
  for (const part of text.split(/(\n[ \t\r]*\n\s*)/)) {
    if (part.trim()) found.push({ start: point, text: part });
    point += length(part);
  }
  return found;
}

/** The language a text is set in: `zh-Hant`, `zh` or nothing in particular. */
export function script(text) {
  const sample = text.slice(0, 2000);
  const han = sample.match(/\p{Script=Han}/gu)?.length ?? 0;
  if (han * 4 < sample.replace(/\s/g, '').length) return 'en';
  // A handful of the most frequent characters that only traditional spelling has.
  return (sample.match(/[們個這說為國時會對來學島門間無開後裡還點經動與麼]/g)?.length ?? 0) * 50 >
    han
    ? 'zh-Hant'
    : 'zh-Hans';
}

/** The page on which a place of the text is, from 0. */
export function pageOf(pages, start) {
  const at = pages.findLastIndex((page) => page.start <= start);
  return Math.max(at, 0);
}
