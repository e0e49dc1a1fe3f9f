/**
 * A text of a document made for reading: its blocks as elements, with marks around words.
 *
 * Nothing of a document becomes markup: its words go in as text nodes, and only the elements of ELEMENTS and the
 * attributes below are made. A link is one only where its address is one of the web or of mail; images are their words.
 */

import { h } from './dom.js';
import { t } from './words.js';
import { parse } from './markdown.js';
import { safe } from './inline.js';
import { apart, blocks, length, script, units } from './spans.js';

/** The elements that stand for text of documents; a test over hostile documents finds any other. */
export const ELEMENTS =
  'div p h2 h3 h4 h5 h6 ul ol li table thead tbody tr th td pre code blockquote hr br em strong del sub sup kbd a mark span'.split(
    ' ',
  );

/** Formats whose lines have Markdown in them. */
const MARKDOWN = ['markdown', 'notebook', 'ipynb'];

/** The largest number that a list begins with; a larger one is no number of an item. */
const LARGEST_START = 99999;

/** How text of a type is read: `markdown`, `structured` (blocks that a loader made) or `plain`. */
const dialectOf = (type) =>
  MARKDOWN.includes(type) ? 'markdown' : !type || type === 'text' ? 'plain' : 'structured';

/**
 * A text that begins at `offset` of its document, with `marks` – `{start, end, kind}` in code points of the document –
 * around their words. `type` is the format of the document, `level` the one of its highest headings on the page.
 */
export function reading(text, offset, marks, { language, type, level = 3 } = {}) {
  const dialect = dialectOf(type);
  const body = h('div.reading', { lang: language ?? script(text) });
  const marking = new Marking(text, offset, marks);
  const found = dialect === 'plain' ? plain(text) : parse(text, { dialect, whole: offset === 0 });
  const levels = headingLevels(level);
  const points = counter(text, offset);
  for (const block of found) {
    const element = blockElement(block, marking, levels);
    element.setAttribute('data-start', points(block.from));
    body.append(element);
  }
  if (dialect !== 'markdown') body.classList.add('as-is');
  return body;
}

/** The words of a text in one line, its markup read where its format has it. */
export function oneLine(text, type) {
  const words = (node) => {
    const blocks = node.blocks ?? node.items ?? node.rows ?? node.cells;
    if (blocks) return blocks.map(words).join(' ');
    if (node.parts) return node.parts.map(words).join('');
    return node.kind === 'break' ? ' ' : (node.says ?? text.slice(node.from, node.to));
  };
  const dialect = dialectOf(type);
  const found = dialect === 'plain' ? plain(text) : parse(text, { dialect });
  return found.map(words).join(' ').replace(/\s+/g, ' ').trim();
}

/** Text without markup: what blank lines separate, and columns where it was set in columns. */
function plain(text) {
  let unit = 0;
  let point = 0;
  return blocks(text, 0).map(({ start, text: words }) => {
    unit += units(text.slice(unit), [start - point])[0];
    point = start;
    const range = { from: unit, to: unit + words.length };
    const kind = /^(?:```|~~~| {4}|\t|\s*\|)/.test(words) ? 'code' : 'paragraph';
    return { kind, ...range, parts: [{ kind: 'text', ...range }] };
  });
}

/** Counts the code points up to ascending offsets. */
function counter(text, offset) {
  let [unit, point] = [0, offset];
  return (upTo) => {
    point += length(text.slice(unit, upTo));
    unit = upTo;
    return String(point);
  };
}

/** Levels on the page for levels of a document: the highest is `base`, and none is left out on the way down. */
function headingLevels(base) {
  const above = [];
  return (level) => {
    while (above.length && above.at(-1) >= level) above.pop();
    above.push(level);
    return Math.min(6, base + above.length - 1);
  };
}

function blockElement(block, marking, levels) {
  const into = (element, parts = block.parts) => {
    marking.fill(element, parts);
    return element;
  };
  switch (block.kind) {
    case 'heading':
      return into(h(`h${levels(block.level)}.heading.level-${block.level}`));
    case 'code':
    case 'front':
      // What may be wider than the page scrolls by itself, so the keyboard must reach it.
      return into(h(`pre.${block.kind}`, { tabindex: '0' }));
    case 'rule':
      return h('hr');
    case 'quote':
      return h(
        'blockquote',
        {},
        block.blocks.map((inner) => blockElement(inner, marking, levels)),
      );
    case 'list':
      return list(block, marking, levels);
    case 'table':
      return table(block, marking);
    default:
      return into(h('p.plain'));
  }
}

function list({ ordered, start, items }, marking, levels) {
  const first = ordered && start !== 1 && start <= LARGEST_START ? { start: String(start) } : {};
  const item = ({ blocks: inside, task }) =>
    h(
      task === undefined ? 'li' : 'li.task',
      {},
      task !== undefined && (task ? '☑ ' : '☐ '),
      inside.map((block) => blockElement(block, marking, levels)),
    );
  return h(ordered ? 'ol' : 'ul', first, items.map(item));
}

function table({ headed, sides, rows }, marking) {
  const cell = (kind) => (found, i) => {
    // A head without words names no column.
    const tag = found.parts.length ? kind : 'td';
    const side = sides[i] ? `.${sides[i]}` : '';
    const element = h(`${tag}${side}`, tag === 'th' ? { scope: 'col' } : {});
    marking.fill(element, found.parts);
    return element;
  };
  const row = (kind) => (line) => h('tr', {}, line.cells.map(cell(kind)));
  const [head, rest] = headed ? [rows.slice(0, 1), rows.slice(1)] : [[], rows];
  return h(
    'div.scroll',
    { tabindex: '0' },
    h(
      'table',
      {},
      head.length ? h('thead', {}, head.map(row('th'))) : '',
      h('tbody', {}, rest.map(row('td'))),
    ),
  );
}

/** Sets marks around words while they are put into elements, in the order of the text. */
class Marking {
  constructor(text, offset, marks) {
    this.text = text;
    const ordered = apart(marks).filter(({ end }) => end > offset);
    const at = units(
      text,
      ordered.flatMap(({ start, end }) => [Math.max(0, start - offset), end - offset]),
    );
    this.marks = ordered.map((mark, i) => ({ ...mark, from: at[2 * i], to: at[2 * i + 1] }));
    this.next = 0;
    this.begun = new Set();
  }

  fill(element, parts) {
    for (const part of parts) this.put(element, part);
  }

  /** The first mark that ends after an offset; offsets ascend. */
  markAt(offset) {
    while (this.next < this.marks.length && this.marks[this.next].to <= offset) this.next += 1;
    return this.marks[this.next];
  }

  put(parent, part) {
    const mark = this.markAt(part.from);
    const covered = mark && mark.from <= part.from && mark.to >= part.to;
    const touched = mark && mark.from < part.to;
    if (covered || (touched && (part.whole || part.kind === 'image')))
      this.marked(parent, mark, this.unmarked(part));
    else if (!touched) parent.append(this.unmarked(part));
    else if (part.parts) {
      const element = shell(part);
      this.fill(element, part.parts);
      parent.append(element);
    } else if (part.kind === 'text') this.cut(parent, part);
    else parent.append(this.unmarked(part));
  }

  /** A text of which only a part is marked. */
  cut(parent, { from, to, says = this.text.slice(from, to) }) {
    let at = from;
    while (at < to) {
      const mark = this.markAt(at);
      const start = mark ? Math.min(Math.max(mark.from, at), to) : to;
      const end = mark ? Math.min(mark.to, to) : to;
      if (start > at) parent.append(says.slice(at - from, start - from));
      if (end > start) this.marked(parent, mark, says.slice(start - from, end - from));
      at = Math.max(start, end);
    }
  }

  /** Into the mark before, where it is the same; nobody marks white space alone. */
  marked(parent, mark, child) {
    const last = parent.lastChild;
    if (last?.okno === mark) last.append(child);
    else if (!(child.textContent ?? child).trim()) parent.append(child);
    else {
      const element = h(`mark.${mark.kind}${this.begun.has(mark) ? '.rest' : ''}`, {}, child);
      element.okno = mark;
      this.begun.add(mark);
      parent.append(element);
    }
  }

  unmarked(part) {
    const { kind, from, to, says, parts } = part;
    if (kind === 'text') return says ?? this.text.slice(from, to);
    if (kind === 'break') return h('br');
    if (kind === 'image') return h('span.image', {}, says.trim() || t('reader.image'));
    const element = shell(part);
    element.append(...parts.map((inner) => this.unmarked(inner)));
    return element;
  }
}

/** The element of a node that has others in it. */
function shell({ kind, address }) {
  if (kind !== 'link') return h(kind);
  if (!safe(address)) return h('span.link');
  return h('a', {
    href: address,
    rel: 'noopener noreferrer nofollow',
    target: '_blank',
    title: address,
  });
}
