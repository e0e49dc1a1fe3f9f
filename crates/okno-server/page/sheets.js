/**
 * The pages of a PDF as pictures, one at a time, with the passage marked on them.
 *
 * Only the page that is looked at is asked for; its marks are boxes in shares of the page, over the picture.
 */

import { h, fill } from './dom.js';
import { bytesOf, call, latest, named } from './api.js';
import { pageOf } from './spans.js';
import { t } from './words.js';

/** Widths come in steps, so that a window that is a little wider needs no other picture. */
const STEP = 200;
const WIDEST = 2000;

/**
 * What `documents/…/pages` gave, at the place `at` of the text (`start-end`). `failed` is called where there is no
 * picture, `scrolled` with what should be seen.
 */
export function sheets({ doc_id: doc, title, pages }, { failed, scrolled }) {
  let [shown, at] = [0, ''];
  const picture = latest((signal, page, width) =>
    bytesOf(`documents/${named(doc)}/pages/${page}/picture`, { query: { width }, signal }),
  );
  const places = latest((signal, page, start, end) =>
    call(`documents/${named(doc)}/pages/${page}/marks`, { query: { start, end }, signal }),
  );

  const image = h('img', { alt: '', hidden: true });
  const marks = h('div.marks', { 'aria-hidden': 'true' });
  const note = h('p.note', { role: 'status', hidden: true });
  const label = h('span.number', { 'aria-live': 'polite' });
  const [back, on] = [step('page.previous', '‹', -1), step('page.next', '›', 1)];
  const sheet = h('figure.sheet', { 'aria-busy': 'true' }, image, marks);
  const element = h('div.sheets', {}, h('div.turning', {}, back, label, on), note, sheet);

  function step(key, sign, by) {
    const turn = () => show(shown + by);
    return h('button.quiet', { 'onclick': turn, 'aria-label': t(key) }, sign);
  }

  async function show(page) {
    if (page < 0 || page >= pages.length) return;
    shown = page;
    const { label: printed } = pages[page];
    const extra = printed === String(page + 1) ? '' : ` (${printed})`;
    label.textContent = t('page.number', page + 1, pages.length) + extra;
    back.disabled = page === 0;
    on.disabled = page === pages.length - 1;
    note.hidden = true;
    fill(marks);
    sheet.setAttribute('aria-busy', 'true');
    const marked = mark(page);
    try {
      const address = await picture(page + 1, wide(sheet));
      if (!address) return;
      await loaded(image, address);
      image.alt = t('page.alt', page + 1, title || doc);
      image.hidden = false;
    } catch (problem) {
      return failed(problem);
    }
    sheet.setAttribute('aria-busy', 'false');
    scrolled((await marked) ?? sheet);
  }

  /** Marks the passage, where it is on this page; the first of the marks. */
  async function mark(page) {
    const [start, end] = at.split('-').map(Number);
    const { start: first, end: last } = pages[page];
    if (!(end > start) || start >= last || end <= first) return null;
    const found = await places(page + 1, start, end).catch(() => ({ marks: [] }));
    if (!found) return null;
    fill(marks, found.marks.map(box));
    note.hidden = found.marks.length > 0;
    note.textContent = t('page.unmarked');
    return marks.firstChild;
  }

  return {
    element,
    /** Turns to the page of this place. */
    go(place) {
      at = place;
      return show(pageOf(pages, Number(at.split('-')[0]) || 0));
    },
    turn: (by) => show(shown + by),
  };
}

/** As many pixels as are shown, in steps. */
function wide(element) {
  const pixels = (element.clientWidth || STEP * 4) * (globalThis.devicePixelRatio || 1);
  return Math.min(WIDEST, Math.max(STEP, Math.ceil(pixels / STEP) * STEP));
}

function loaded(image, address) {
  return new Promise((resolve, reject) => {
    const done = (then) => () => {
      URL.revokeObjectURL(address);
      then();
    };
    image.onload = done(resolve);
    image.onerror = done(() => reject(new Error('image')));
    image.src = address;
  });
}

function box({ left, top, width, height }) {
  const mark = h('div.marked');
  for (const [name, share] of Object.entries({ left, top, width, height }))
    mark.style[name] = `${share * 100}%`;
  return mark;
}
