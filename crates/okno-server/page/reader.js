/**
 * The reader: a document beside whatever led to it, scrolled to the exact span, with its outline.
 *
 * It follows `doc` and `at` of the address, so a citation can be sent to somebody else. A PDF opens as the picture of
 * the page, and its text is asked for when somebody wants to read it.
 */

import { h, fill, rich } from './dom.js';
import { call, latest, named } from './api.js';
import { t } from './words.js';
import { go, state } from './state.js';
import { reading } from './rendered.js';
import { script } from './spans.js';
import { fault, sentence } from './controls.js';
import { sheets } from './sheets.js';

/** Documents whose pages may have pictures. */
const PAGED = /\.pdf$/i;

/** Follows the address; `element` is hidden where no document is open. */
export function reader(element) {
  let shown = '';
  let came = null;
  let way = 'page';
  const load = latest((signal, doc) => call(`documents/${named(doc)}`, { signal }));
  const paged = latest((signal, doc) => call(`documents/${named(doc)}/pages`, { signal }));

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
    if (element.dataset.doc !== `${now.index}/${now.doc}` || !element.querySelector('.pages')) {
      fill(element, bar(now.doc, close), h('p.busy', {}, t('reader.busy')));
      try {
        const pictures = PAGED.test(now.doc) ? await paged(now.doc) : null;
        if (pictures === undefined) return;
        element.pictures = pictures?.pictures && pictures.pages.length ? pictures : null;
        element.dataset.doc = `${now.index}/${now.doc}`;
        await (element.pictures && way === 'page' ? asPage(now) : asText(now));
      } catch (problem) {
        delete element.dataset.doc;
        fill(element, bar(now.doc, close), fault(problem));
      }
    } else if (element.sheets) element.sheets.go(now.at);
    else {
      fill(element.querySelector('.pages'), text(element.found, now.at));
      scroll(element);
    }
    element.querySelector('h2')?.focus({ preventScroll: true });
  }

  /** Shows the document as pictures of its pages; as text where that fails. */
  function asPage(now) {
    const { title, doc_id: doc } = element.pictures;
    const failed = async (problem) => {
      if (element.dataset.doc !== `${now.index}/${now.doc}`) return;
      element.pictures = null;
      const said = t('reader.no-picture', sentence(problem));
      await asText(now).then(
        () => element.querySelector('.where').after(h('p.note', { role: 'status' }, rich(said))),
        (fault_) => fill(element, bar(now.doc, close), fault(fault_)),
      );
    };
    const place = region(title || doc);
    const scrolled = (seen) => bring(place, seen, seen.matches('.marked') ? 0.3 : 0);
    element.sheets = sheets(element.pictures, { failed, scrolled });
    place.classList.add('with-sheets');
    place.append(element.sheets.element);
    fill(element, bar(title || doc, close), h('p.where', {}, doc), ways(now), place);
    element.sheets.go(now.at);
  }

  async function asText(now) {
    const found = await load(now.doc);
    if (!found) return;
    [element.found, element.sheets] = [found, null];
    const pages = region(found.title || found.doc_id, text(found, now.at));
    fill(
      element,
      bar(found.title || now.doc, close),
      h('p.where', {}, found.doc_id),
      element.pictures && ways(now),
      outline(found, pages),
      facts(found.metadata ?? {}),
      pages,
    );
    scroll(element);
  }

  /** The switch between pictures of pages and text. */
  function ways(now) {
    const choose = (chosen) => async () => {
      if (way === chosen) return;
      way = chosen;
      await (chosen === 'page'
        ? asPage({ ...now, at: state().at })
        : asText({ ...now, at: state().at }));
      element.querySelector(`.ways [data-way=${chosen}]`)?.focus();
    };
    const button = (name) =>
      h(
        'button.quiet',
        { 'data-way': name, 'aria-pressed': String(way === name), 'onclick': choose(name) },
        t(`reader.as.${name}`),
      );
    return h(
      'div.ways',
      { 'role': 'group', 'aria-label': t('reader.as') },
      button('page'),
      button('text'),
    );
  }

  element.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || !element.sheets || event.altKey || event.ctrlKey || event.metaKey) return;
    element.sheets.turn(by);
    event.preventDefault();
  });

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
    h('button.quiet', { 'onclick': close, 'aria-label': t('reader.close') }, '×'),
  );
}

/** What is scrolled: the text, or a page. */
function region(label, ...children) {
  return h('div.pages', { 'tabindex': '0', 'role': 'region', 'aria-label': label }, children);
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
      h('button.link', { onclick: () => jump(start) }, headings.at(-1)),
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
