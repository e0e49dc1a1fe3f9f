/**
 * The blocks of a text – headings, lists, tables, code, quotations, paragraphs – with the place of every word in it.
 *
 * In comes the text of a document, or a part of one that may begin and end anywhere; out comes a tree whose leaves are
 * ranges of that text (UTF-16), so that marks can be set inside it. Pure: nothing here knows of a page. Containers are
 * entered up to MAX_DEPTH, and each line is looked at once per container: the time is linear in the text.
 */

import { inline, literal } from './inline.js';

/** Lists and quotations inside one another; what would be deeper is a paragraph. */
const MAX_DEPTH = 8;

/** Metadata at the head of a Markdown file is looked for in so many lines. */
const FRONT_LINES = 200;

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^([ \t]{0,40})([-*+]|\d{1,9}[.)])(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
const TASK = /^\[([ xX])\][ \t]/;

/**
 * The blocks of a text. `dialect`: `markdown` has markup in its lines, in `structured` text – what a loader made of
 * another format – only blocks are markup. `whole` where the text is that of the document from its beginning.
 */
export function parse(text, { dialect = 'markdown', whole = false } = {}) {
  const reader = new BlockReader(text, dialect === 'markdown');
  const lines = linesOf(text);
  const front = whole && dialect === 'markdown' ? frontMatter(text, lines) : 0;
  const head = front ? [reader.code(lines.slice(0, front), 'front')] : [];
  return [...head, ...reader.blocks(lines.slice(front), 0)];
}

/** `{from, to}` of each line, without its end. */
function linesOf(text) {
  const lines = [];
  for (let from = 0; from <= text.length;) {
    const end = text.indexOf('\n', from);
    const next = end < 0 ? text.length : end;
    lines.push({ from, to: next > from && text[next - 1] === '\r' ? next - 1 : next });
    from = next + 1;
  }
  return lines;
}

/** How many lines the metadata at the head takes. */
function frontMatter(text, lines) {
  const is = ({ from, to }) => to - from === 3 && text.startsWith('---', from);
  if (!is(lines[0])) return 0;
  return lines.slice(0, FRONT_LINES).findIndex((line, i) => i && is(line)) + 1;
}

class BlockReader {
  constructor(text, markup) {
    this.text = text;
    this.markup = markup;
  }

  of({ from, to }) {
    return this.text.slice(from, to);
  }

  blank(line) {
    return !this.of(line).trim();
  }

  /** The blocks of lines, from which the signs of the containers around them have been taken. */
  blocks(lines, depth) {
    const found = [];
    let i = 0;
    while (i < lines.length) {
      if (this.blank(lines[i])) {
        i += 1;
        continue;
      }
      const [block, next] = this.block(lines, i, depth);
      found.push(block);
      i = next;
    }
    return found;
  }

  /** The block that begins at line `i`, and the line after it. */
  block(lines, i, depth) {
    const line = this.of(lines[i]);
    const fence = line.match(FENCE);
    if (fence) return this.fenced(lines, i, fence);
    const heading = line.match(HEADING);
    if (heading) return [this.heading(lines[i], heading[0].length, heading[1].length), i + 1];
    if (this.markup && RULE.test(line)) return [{ kind: 'rule', ...lines[i] }, i + 1];
    if (this.tableAt(lines, i)) return this.table(lines, i);
    if (depth < MAX_DEPTH && this.markup && QUOTE.test(line)) return this.quote(lines, i, depth);
    if (depth < MAX_DEPTH && ITEM.test(line)) return this.list(lines, i, depth);
    if (/^(?: {4}|\t)/.test(line)) return this.indented(lines, i);
    return this.paragraph(lines, i);
  }

  /** Whether a line ends a paragraph that stands before it. */
  interrupts(lines, i) {
    const line = this.of(lines[i]);
    if (FENCE.test(line) || HEADING.test(line)) return true;
    if (this.markup && (RULE.test(line) || QUOTE.test(line))) return true;
    const item = line.match(ITEM);
    if (item && line.length > item[0].length) return !/\d/.test(item[2]) || parseInt(item[2]) === 1;
    return this.tableAt(lines, i);
  }

  heading(line, skip, level) {
    const words = this.of(line);
    let [start, end] = [skip, words.trimEnd().length];
    while (start < end && /\s/.test(words[start])) start += 1;
    let hashes = end;
    while (hashes > start && words[hashes - 1] === '#') hashes -= 1;
    if (hashes < end && (hashes === start || /\s/.test(words[hashes - 1])))
      end = words.slice(0, hashes).trimEnd().length;
    const at = { from: line.from + start, to: line.from + Math.max(start, end) };
    return { kind: 'heading', ...line, level, parts: this.words([at]) };
  }

  fenced(lines, i, [, marks, info]) {
    const closes = (line) => {
      const words = this.of(line).trim();
      return words.length >= marks.length && words === marks[0].repeat(words.length);
    };
    let end = i + 1;
    while (end < lines.length && !closes(lines[end])) end += 1;
    const block = this.code(lines.slice(i + 1, end), 'code', lines[i]);
    return [{ ...block, language: info.trim().split(/\s/, 1)[0] }, end + 1];
  }

  indented(lines, i) {
    const strip = (line) => ({
      ...line,
      from: line.from + this.of(line).match(/^(?: {4}|\t|[ \t]*$)/)[0].length,
    });
    let end = i;
    let last = i;
    for (; end < lines.length; end += 1) {
      if (this.blank(lines[end])) continue;
      if (!/^(?: {4}|\t)/.test(this.of(lines[end]))) break;
      last = end;
    }
    return [this.code(lines.slice(i, last + 1).map(strip), 'code'), last + 1];
  }

  /** Lines as they are. */
  code(lines, kind, first = lines[0]) {
    const parts = lines.flatMap(({ from, to }, i) => [
      { kind: 'text', from, to },
      ...(i + 1 < lines.length ? [{ kind: 'text', from: to, to, says: '\n', whole: true }] : []),
    ]);
    return { kind, from: first.from, to: lines.at(-1)?.to ?? first.to, parts };
  }

  quote(lines, i, depth) {
    let end = i;
    const inside = [];
    for (; end < lines.length; end += 1) {
      const sign = this.of(lines[end]).match(QUOTE);
      if (!sign) break;
      inside.push({ from: lines[end].from + sign[0].length, to: lines[end].to });
    }
    const blocks = this.blocks(inside, depth + 1);
    return [{ kind: 'quote', from: lines[i].from, to: lines[end - 1].to, blocks }, end];
  }

  list(lines, i, depth) {
    const sort = (item) => (/\d/.test(item[2]) ? item[2].at(-1) : item[2]);
    const first = this.of(lines[i]).match(ITEM);
    const items = [];
    let end = i;
    while (end < lines.length) {
      const item = this.of(lines[end]).match(ITEM);
      if (!item || sort(item) !== sort(first) || (items.length && RULE.test(this.of(lines[end]))))
        break;
      const [made, next] = this.item(lines, end, item, depth);
      items.push(made);
      end = next;
    }
    const ordered = /\d/.test(first[2]);
    const block = { kind: 'list', from: lines[i].from, to: lines[end - 1].to, ordered, items };
    return [ordered ? { ...block, start: parseInt(first[2]) } : block, end];
  }

  /** An item: its first line, and what is indented at least as far as its words are. */
  item(lines, i, sign, depth) {
    const words = sign[0].length + Math.min(4, gap(this.of(lines[i]), sign[0].length));
    const column = width(sign[1]) + words - sign[1].length;
    const inside = [{ from: Math.min(lines[i].from + words, lines[i].to), to: lines[i].to }];
    let end = i + 1;
    while (end < lines.length) {
      let next = end;
      while (next < lines.length && this.blank(lines[next])) next += 1;
      if (next === lines.length) break;
      const line = this.of(lines[next]);
      const deep = width(line.match(/^[ \t]{0,60}/)[0]) >= column;
      const goesOn = next === end && !this.interrupts(lines, next) && !ITEM.test(line);
      if (!deep && !goesOn) break;
      inside.push(...lines.slice(end, next), deep ? this.strip(lines[next], column) : lines[next]);
      end = next + 1;
    }
    const task = this.markup && this.of(inside[0]).match(TASK);
    if (task) inside[0].from += task[0].length;
    const blocks = this.blocks(inside, depth + 1);
    const made = { from: lines[i].from, to: lines[end - 1].to, blocks };
    return [task ? { ...made, task: task[1] !== ' ' } : made, end];
  }

  /** A line without so many columns of white space. */
  strip(line, columns) {
    let [from, left] = [line.from, columns];
    for (; left > 0 && from < line.to; from += 1) left -= this.text[from] === '\t' ? 4 : 1;
    return { from, to: line.to };
  }

  tableAt(lines, i) {
    const line = this.of(lines[i]).trim();
    if (!line.includes('|')) return false;
    if (line.length > 1 && line.startsWith('|') && line.endsWith('|')) return true;
    return i + 1 < lines.length && delimits(this.of(lines[i + 1]));
  }

  table(lines, i) {
    const headed = i + 1 < lines.length && delimits(this.of(lines[i + 1]));
    const rows = [];
    let end = i;
    for (; end < lines.length; end += 1) {
      const line = this.of(lines[end]).trim();
      if (!line.includes('|') || (!headed && !line.startsWith('|'))) break;
      if (!delimits(line)) rows.push(this.row(lines[end]));
    }
    const sides = headed ? aligned(this.of(lines[i + 1])) : [];
    return [
      { kind: 'table', from: lines[i].from, to: lines[end - 1].to, headed, sides, rows },
      Math.max(end, i + 1),
    ];
  }

  row(line) {
    const words = this.of(line);
    const cells = cellsOf(words).map(([from, to]) => {
      const cell = words.slice(from, to);
      const start = from + cell.length - cell.trimStart().length;
      const at = { from: line.from + start, to: line.from + start + cell.trim().length };
      return { ...at, parts: this.words([at]) };
    });
    return { ...line, cells };
  }

  paragraph(lines, i) {
    let end = i + 1;
    while (end < lines.length && !this.blank(lines[end])) {
      const under = this.markup && this.of(lines[end]).match(UNDERLINE);
      if (under) {
        const level = under[1][0] === '=' ? 1 : 2;
        const parts = this.words(lines.slice(i, end).map((line) => this.trimmed(line)));
        return [{ kind: 'heading', from: lines[i].from, to: lines[end].to, level, parts }, end + 1];
      }
      if (this.interrupts(lines, end)) break;
      end += 1;
    }
    const inside = lines.slice(i, end).map((line) => this.trimmed(line));
    const at = { from: lines[i].from, to: lines[end - 1].to };
    return [{ kind: 'paragraph', ...at, parts: this.words(inside) }, end];
  }

  trimmed(line) {
    const words = this.of(line);
    return { from: line.from + words.length - words.trimStart().length, to: line.to };
  }

  /** The words of lines, as nodes with their places in the whole text. */
  words(lines) {
    let joined = '';
    const places = [];
    for (const line of lines) {
      if (joined) joined += '\n';
      places.push({ at: joined.length, from: line.from });
      joined += this.of(line);
    }
    const nodes = this.markup ? inline(joined) : literal(joined);
    return new Placing(joined, places).all(nodes);
  }
}

/** Brings nodes from offsets into joined lines to offsets into the text; they come in order, so one pass finds all lines. */
class Placing {
  constructor(joined, places) {
    this.joined = joined;
    this.places = places;
  }

  all(nodes) {
    return nodes.flatMap((node) => this.one(node));
  }

  one(node) {
    if (node.kind === 'text' && node.says === undefined) return this.lines(node);
    const placed = { ...node, from: this.at(node.from), to: this.at(node.to - 1) + 1 };
    return node.parts ? { ...placed, parts: this.all(node.parts) } : placed;
  }

  /** A text over several lines is a text per line: what stood between them is not shown. */
  lines({ from, to }) {
    const found = [];
    for (let start = from; start < to;) {
      const end = this.joined.indexOf('\n', start);
      const stop = end < 0 || end >= to ? to : end + 1;
      const says = this.joined.slice(start, stop);
      found.push({ kind: 'text', from: this.at(start), to: this.at(stop - 1) + 1, says });
      start = stop;
    }
    return found;
  }

  at(offset) {
    let [low, high] = [0, this.places.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.places[middle].at <= offset) low = middle;
      else high = middle - 1;
    }
    return this.places[low].from + offset - this.places[low].at;
  }
}

const gap = (words, at) => {
  let end = at;
  while (words[end] === ' ' || words[end] === '\t') end += 1;
  return end - at > 4 ? 1 : end - at;
};

/** Columns of white space. */
const width = (space) => space.length + 3 * (space.split('\t').length - 1);

/** `[from, to]` of the cells of a row: what bars separate that no backslash stands before. */
function cellsOf(words) {
  const cells = [];
  let from = words.length - words.trimStart().length;
  if (words[from] === '|') from += 1;
  const end = words.trimEnd().length;
  for (let at = from; at < end; at += 1) {
    if (words[at] === '\\') at += 1;
    else if (words[at] === '|') {
      cells.push([from, at]);
      from = at + 1;
    }
  }
  if (from < end) cells.push([from, end]);
  return cells;
}

/** Whether a row is the one below the head of a table. */
function delimits(words) {
  if (!/^[\s|:-]+$/.test(words) || !words.includes('-')) return false;
  const cells = cellsOf(words);
  return (
    (cells.length > 1 || words.includes('|')) &&
    cells.every(([from, to]) => /^:?-+:?$/.test(words.slice(from, to).trim()))
  );
}

const aligned = (words) =>
  cellsOf(words).map(([from, to]) => {
    const cell = words.slice(from, to).trim();
    if (!cell.endsWith(':')) return '';
    return cell.startsWith(':') ? 'middle' : 'end';
  });
