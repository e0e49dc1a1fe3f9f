/**
 * The reader: a document beside whatever led to it, scrolled to the exact span, with its outline.
 *
 * It follows `doc` and `at` of the address, so a citation can be sent to somebody else.
 */

import { h, fill } from './dom.js';
import { call, latest, named } from './api.js';
import { t } from './words.js';
import { go } from './state.js';
import { reading } from './rendered.js';
import { script } from './spans.js';
import { fault } from './controls.js';

/** Follows the address; `element` is hidden where no document is open. */
export function reader(element) {
  let shown = '';
  let came = null;
  const load = latest((signal, doc) => call(`documents/${named(doc)}`, { signal }));

  const close = () => go({ doc: '', at: '' });

  function hide() {
    if (element.hidden) return;
    const inside = element.contains(document.activeElement);
    element.hidden = true;
    cover(false);
    document.body.classList.remove('reading-open');
    fill(element);
    if (inside || document.activeElement === document.body) came?.isConnected && came.focus();
  }

  async function open(now) {
    if (element.hidden) came = document.activeElement;
    element.hidden = false;
    cover(getComputedStyle(element).position === 'fixed');
    element.setAttribute('aria-label', t('reader'));
    document.body.classList.add('reading-open');
    if (element.dataset.doc !== `${now.index}/${now.doc}` || !element.querySelector('.reading')) {
      fill(element, bar(now.doc, close), h('p.busy', {}, t('reader.busy')));
      try {
        const found = await load(now.doc);
        if (!found) return;
        element.dataset.doc = `${now.index}/${now.doc}`;
        fill(element, bar(found.title || now.doc, close), body(found, now.at));
      } catch (problem) {
        fill(element, bar(now.doc, close), fault(problem));
      }
    } else fill(element.querySelector('.pages'), text(element.found, now.at));
    element.querySelector('h2')?.focus({ preventScroll: true });
    scroll(element);
  }

  function body(found, at) {
    element.found = found;
    const pages = h(
      'div.pages',
      { 'tabindex': '0', 'role': 'region', 'aria-label': found.title || found.doc_id },
      text(found, at),
    );
    return [
      h('p.where', {}, found.doc_id),
      outline(found, pages),
      facts(found.metadata ?? {}),
      pages,
    ];
  }

  return {
    /** Opens again what is open: the language of the page has changed. */
    forget() {
      shown = '';
      delete element.dataset.doc;
    },
    update(now) {
      const wanted = now.doc && `${now.index}/${now.doc}#${now.at}`;
      if (wanted === shown) return;
      shown = wanted;
      if (now.doc) open(now);
      else hide();
    },
  };
}

/** Where the reader lies over the page, the page below cannot be reached. */
function cover(on) {
  for (const id of ['header', 'main']) document.getElementById(id).inert = on;
}

function bar(title, close) {
  return h(
    'div.bar',
    {},
    h('h2', { tabindex: '-1' }, title),
    h('button.quiet', { 'type': 'button', 'onclick': close, 'aria-label': t('reader.close') }, '×'),
  );
}

/** The whole text with the span of the address marked. */
function text(found, at) {
  const [start, end] = at.split('-').map(Number);
  const marks = end > start ? [{ start, end, kind: 'hit' }] : [];
  const type = found.metadata?.type;
  return reading(found.text, found.start ?? 0, marks, { type });
}

/** Where each section begins, in code points. */
function sections({ outline: given, sections: runs, sentence_spans: spans }) {
  if (given) return given;
  return (runs ?? []).map(({ first, headings }) => ({ start: spans[first]?.[0] ?? 0, headings }));
}

function outline(found, pages) {
  const rows = sections(found).filter(({ headings }) => headings.length);
  if (rows.length < 2) return '';
  const jump = (start) => {
    const blocks = [...pages.querySelectorAll('.reading > [data-start]')];
    const block = blocks.findLast((one) => Number(one.dataset.start) <= start) ?? blocks[0];
    if (!block) return;
    // Where the outline covers what it leads to, it makes room.
    if (pages.clientHeight < innerHeight / 2)
      pages.closest('#reader').querySelector('.outline').open = false;
    bring(pages, block, 0);
  };
  const items = rows.map(({ start, headings }) =>
    h(
      `li.level-${Math.min(headings.length, 4)}`,
      {},
      h('button.link', { type: 'button', onclick: () => jump(start) }, headings.at(-1)),
    ),
  );
  return h(
    'details.outline',
    {},
    h('summary', {}, t('reader.outline')),
    h('ol', { lang: script(rows.map(({ headings }) => headings.at(-1)).join('')) }, items),
  );
}

function facts(metadata) {
  const rows = Object.entries(metadata).map(([name, value]) => [
    h('dt', {}, name),
    h('dd', {}, Array.isArray(value) ? value.join(', ') : String(value)),
  ]);
  return rows.length
    ? h('details.facts', {}, h('summary', {}, t('reader.facts')), h('dl', {}, rows))
    : '';
}

/** Scrolls the text, and nothing else, so that an element stands this share of the way down. */
function bring(pages, element, share) {
  pages.scrollTop +=
    element.getBoundingClientRect().top -
    pages.getBoundingClientRect().top -
    pages.clientHeight * share;
}

function scroll(element) {
  const [pages, mark] = [element.querySelector('.pages'), element.querySelector('mark')];
  if (mark) bring(pages, mark, 0.3);
  else pages?.scrollTo(0, 0);
}
