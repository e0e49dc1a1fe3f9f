/**
 * Text inside a block – emphasis, code, links, images, character references – as nodes. Pure functions.
 *
 * In comes text, out come `{kind, from, to}` with offsets into it (UTF-16): a `text` has `says` where it is shown as
 * something else than it is written (`whole`: it cannot be cut), `em`, `strong`, `del`, `link` and the like have `parts`. One pass without
 * backtracking: the time is linear, and MAX_OPEN bounds the depth, whatever a document says.
 */

import { entityAt } from './entities.js';

/** Emphases and brackets that may be open at once; what would be deeper is text. */
const MAX_OPEN = 24;

/** The longest address of a link or image that is read. */
const DESTINATION =
  /\(\s{0,9}(?:<([^<>\n]{0,2000})>|([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200}){0,3}))(?:\s{1,9}(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,9}\)/y;

const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
const BARE = /https?:\/\/[^\s<>"'`|()[\]\\*（）【】「」《》，。；：！？、]{2,2000}/y;
const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]{0,9})(\s[^<>]{0,1000})?>/y;
/** What a generator of web pages puts in, `{{< tooltip text="Pods" >}}` or `{{% note %}}`: shown as its text. */
const SHORTCODE =
  /\{\{[<%](?:[^{}\n]{0,200}?\b(?:text|title)="([^"{}\n]*)")?[^{}\n]{0,200}[>%]\}\}/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const SPACE = /^\s?$/;
const LETTER = /[\p{L}\p{N}]/u;

/** Tags of HTML that are read inside Markdown: as what they look like, or as nothing where they only arrange. All others are text. */
const TAGS = {
  b: 'strong',
  strong: 'strong',
  i: 'em',
  em: 'em',
  s: 'del',
  del: 'del',
  sub: 'sub',
  sup: 'sup',
  kbd: 'kbd',
  code: 'code',
};
const ARRANGING = new Set(
  'p div span center font a u ins small big picture details summary section'.split(' '),
);

/** The addresses a link may have: those that load nothing until they are followed, and run nothing then. */
export const safe = (address) =>
  /^(?:https?:\/\/|mailto:)[^\s\u0000-\u0020]+$/i.test(address) && URL.canParse(address);

/** The nodes of a text of Markdown. */
export function inline(text) {
  return new InlineReader(text).read();
}

/** The nodes of a text without markup of its own, but for what our loaders write: images, and `\|` in a cell. */
export function literal(text) {
  const nodes = [];
  let done = 0;
  for (const { 0: sign, index: at } of text.matchAll(/\\\||!\[/g)) {
    const node = at < done ? null : sign === '![' ? imageAt(text, at) : bar(at);
    if (!node) continue;
    push(nodes, done, at);
    nodes.push(node);
    done = node.to;
  }
  push(nodes, done, text.length);
  return nodes;
}

const bar = (at) => ({ kind: 'text', from: at, to: at + 2, says: '|', whole: true });

/** The longest description of an image that is read, where nothing else is. */
const ALT = 1000;

function imageAt(text, at) {
  const close = text.slice(at, at + ALT).indexOf('](');
  const target = close < 0 ? null : destination(text, at + close + 1);
  return (
    target && { kind: 'image', from: at, to: target.end, says: text.slice(at + 2, at + close) }
  );
}

function push(nodes, from, to) {
  if (from < to) nodes.push({ kind: 'text', from, to });
}

/** `(address "title")` at an offset: `{end, address}`, or null. */
function destination(text, at) {
  DESTINATION.lastIndex = at;
  const match = DESTINATION.exec(text);
  return match && { end: at + match[0].length, address: match[1] ?? match[2] };
}

class InlineReader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.done = 0;
    this.nodes = [];
    /** What is open: `{sign, count, index, from}`, `index` the node it begins after. */
    this.open = [];
    this.ticks = backticks(text);
    /** A bracket after this is no link, and closes no emphasis. */
    this.lastLink = text.lastIndexOf('](');
  }

  read() {
    const special = /[\\`*_~[\]!<&]|\{\{|\bhttps?:\/\/| {2}\n/g;
    for (;;) {
      special.lastIndex = this.at;
      const found = special.exec(this.text);
      if (!found) break;
      this.at = found.index;
      this.sign(found[0]);
    }
    this.flush(this.text.length);
    this.drop(0);
    return this.nodes;
  }

  /** Reads what begins with a sign; moves on in any case. */
  sign(sign) {
    const { text, at } = this;
    if (sign === '\\') this.escape();
    else if (sign === '`') this.code();
    else if (sign === '*' || sign === '_' || sign === '~') this.run(sign);
    else if (sign === '!' && text[at + 1] === '[') this.bracket('![');
    else if (sign === '[') this.bracket('[');
    else if (sign === ']') this.close();
    else if (sign === '<') this.tag();
    else if (sign === '&') this.replaced(entityAt(text, at));
    else if (sign === '  \n') this.add({ kind: 'break', from: at, to: at + 3 });
    else if (sign === '{{') this.shortcode();
    else if (sign[0] === 'h') this.bare();
    else this.at += 1;
  }

  /** Text up to here becomes a node; what follows is read from `to` on. */
  flush(upTo, to = upTo) {
    push(this.nodes, this.done, upTo);
    this.done = to;
    this.at = Math.max(this.at, to);
  }

  add(node) {
    this.flush(node.from, node.to);
    this.nodes.push(node);
  }

  replaced(found) {
    if (!found) return void (this.at += 1);
    this.add({ kind: 'text', from: this.at, to: found.end, says: found.says, whole: true });
  }

  shortcode() {
    SHORTCODE.lastIndex = this.at;
    const found = SHORTCODE.exec(this.text);
    this.replaced(found && { end: SHORTCODE.lastIndex, says: found[1] ?? '' });
  }

  escape() {
    const next = this.text[this.at + 1];
    if (next === '\n') this.add({ kind: 'break', from: this.at, to: this.at + 2 });
    else if (next && PUNCTUATION.test(next)) this.replaced({ end: this.at + 2, says: next });
    else this.at += 1;
  }

  code() {
    const { text, at } = this;
    let size = 1;
    while (text[at + size] === '`') size += 1;
    const closing = this.ticks.get(size);
    while (closing?.length && closing.at(-1) <= at) closing.pop();
    const end = closing?.at(-1);
    if (end === undefined) return void (this.at += size);
    const pad = text[at + size] === ' ' && text[end - 1] === ' ' && end - at - size > 2 ? 1 : 0;
    const part = { kind: 'text', from: at + size + pad, to: end - pad };
    this.add({ kind: 'code', from: at, to: end + size, parts: part.from < part.to ? [part] : [] });
  }

  /** A run of `*`, `_` or `~`: closes what it can, opens what is left. */
  run(sign) {
    const { text, at } = this;
    let size = 1;
    while (text[at + size] === sign) size += 1;
    const [before, after] = [text[at - 1] ?? '', text[at + size] ?? ''];
    let opens = !SPACE.test(after);
    let closes = !SPACE.test(before);
    if (sign === '_')
      [opens, closes] = [opens && !LETTER.test(before), closes && !LETTER.test(after)];
    if (size > 3 || (sign === '~' && size !== 2)) opens = closes = false;
    let left = size;
    while (closes && left) {
      const used = this.closeRun(sign, left);
      if (!used) break;
      left -= used;
    }
    if (left && opens && this.open.length < MAX_OPEN) {
      this.flush(this.at, this.at + left);
      this.open.push({ sign, count: left, index: this.nodes.length, from: this.at - left });
    } else this.at += left;
  }

  /** Closes the nearest run of a sign with up to `left` of it; gives how many were used. */
  closeRun(sign, left) {
    const found = this.open.findLastIndex((one) => one.sign === sign);
    if (found < 0 || this.open.slice(found).some((one) => one.sign.endsWith('['))) return 0;
    const opened = this.open[found];
    const used = opened.count >= 2 && left >= 2 ? 2 : 1;
    if (sign === '~' && used !== 2) return 0;
    this.flush(this.at, this.at + used);
    this.drop(found + 1);
    opened.count -= used;
    const kind = sign === '~' ? 'del' : used === 2 ? 'strong' : 'em';
    const parts = this.nodes.splice(opened.index);
    this.nodes.push({ kind, from: opened.from + opened.count, to: this.at, parts });
    if (!opened.count) this.open.pop();
    return used;
  }

  /** What was opened from `index` on is never closed: its signs are text. */
  drop(index) {
    for (const opened of this.open.splice(index).reverse()) this.restore(opened);
  }

  restore({ index, from, count, sign }) {
    if (sign.startsWith('<')) return;
    this.nodes.splice(index, 0, { kind: 'text', from, to: from + count });
  }

  bracket(sign) {
    const from = this.at;
    if (this.open.length >= MAX_OPEN || from > this.lastLink) return void (this.at += sign.length);
    this.flush(from, from + sign.length);
    this.open.push({ sign, count: sign.length, index: this.nodes.length, from });
  }

  /** `]`: a link or an image where an address follows, else text. */
  close() {
    const found = this.open.findLastIndex((one) => one.sign.endsWith('['));
    if (found < 0) return void (this.at += 1);
    const target = destination(this.text, this.at + 1);
    this.flush(this.at);
    this.drop(found + 1);
    const opened = this.open[found];
    if (!target) {
      this.drop(found);
      return void (this.at += 1);
    }
    this.open.pop();
    const parts = this.nodes.splice(opened.index);
    const [from, to] = [opened.from, target.end];
    this.done = this.at = to;
    if (opened.sign === '![')
      this.nodes.push({ kind: 'image', from, to, says: wordsOf(this.text, parts) });
    else this.nodes.push({ kind: 'link', from, to, address: target.address, parts });
  }

  tag() {
    const { text, at } = this;
    AUTOLINK.lastIndex = at;
    const auto = AUTOLINK.exec(text);
    if (auto) return this.linked(at, at + auto[0].length, at + 1, auto[1]);
    TAG.lastIndex = at;
    const match = TAG.exec(text);
    if (!match) return void (this.at += 1);
    const [whole, slash, tag, more = ''] = match;
    const [name, to] = [tag.toLowerCase(), at + whole.length];
    if (name === 'br') this.add({ kind: 'break', from: at, to });
    else if (name === 'img') this.add({ kind: 'image', from: at, to, says: altOf(more) });
    else if (ARRANGING.has(name)) this.flush(at, to);
    else if (TAGS[name]) this.format(name, slash, at, to);
    else this.at += 1;
  }

  format(name, slash, from, to) {
    const sign = `<${name}`;
    if (!slash) {
      if (this.open.length >= MAX_OPEN) return void (this.at = to);
      this.flush(from, to);
      this.open.push({ sign, count: 0, index: this.nodes.length, from });
      return;
    }
    const found = this.open.findLastIndex((one) => one.sign === sign);
    this.flush(from, to);
    if (found < 0) return;
    this.drop(found + 1);
    const opened = this.open.pop();
    const parts = this.nodes.splice(opened.index);
    this.nodes.push({ kind: TAGS[name], from: opened.from, to, parts });
  }

  /** An address that stands in the text by itself. */
  bare() {
    const { text, at } = this;
    const inside = this.open.some((one) => one.sign === '[');
    BARE.lastIndex = at;
    const match = inside ? null : BARE.exec(text);
    if (!match) return void (this.at += 1);
    const address = match[0].replace(/[.,;:!?]{1,20}$/, '');
    this.linked(at, at + address.length, at, address);
  }

  linked(from, to, start, address) {
    const part = { kind: 'text', from: start, to: start + address.length };
    this.add({ kind: 'link', from, to, address, parts: [part] });
  }
}

/** Where runs of back-ticks stand, by their length, the last first. */
function backticks(text) {
  const found = new Map();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    if (!found.has(run.length)) found.set(run.length, []);
    found.get(run.length).push(index);
  }
  for (const places of found.values()) places.reverse();
  return found;
}

/** The words of nodes, without their markup. */
function wordsOf(text, nodes) {
  const words = ({ parts, says, from, to }) =>
    parts ? wordsOf(text, parts) : (says ?? text.slice(from, to));
  return nodes.map(words).join('');
}

const altOf = (attributes) => {
  const [, double, single] = attributes.match(/\balt=(?:"([^"]*)"|'([^']*)')/i) ?? [];
  return double ?? single ?? '';
};
