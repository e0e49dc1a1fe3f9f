/**
 * A passage of a document: the card around its text.
 *
 * In comes a context as the API gives it; out comes an article that says where it is from, shows the hit inside its
 * window, and, when asked, why it is here.
 */

import { h, fill, toast } from './dom.js';
import { bytesOf, call, named } from './api.js';
import { t, known, number } from './words.js';
import { cut } from './spans.js';
import { oneLine, reading } from './rendered.js';
import { go, leads } from './state.js';
import { told } from './help.js';
import { sentence } from './controls.js';

/** Hits at least this good, compared with the best of their context, may be marked: as on the command line. */
const MARKED_SHARE = 0.8;

/** Hits shown in an explanation: as on the command line. */
const EXPLAINED_HITS = 5;
/** From this cosine on two pieces are said to correspond. */
const ALIKE = 0.5;

/** A hit longer than any sentence is a chunk or a section: marking it would mark everything. */
const LONGEST_MARK = 300;

/** More marks than this and nothing stands out. */
const MARKS = 3;

/** The hits of a context as marks: the best sentence, and the few that are nearly as good. A heading names, it does not answer. */
export function hitMarks(context) {
  const marked = ({ start, end, trace }) => end - start <= LONGEST_MARK && (!trace || trace.length);
  const found = (context.hits ?? []).filter(marked).sort((a, b) => b.score - a.score);
  const telling = found.filter((hit) => !wordsOf(context, hit).startsWith('#'));
  const [best, ...others] = telling.length ? telling : found;
  if (!best) return [];
  const near = others.filter((hit) => hit.score >= best.score * MARKED_SHARE).slice(0, MARKS - 1);
  const mark =
    (kind) =>
    ({ start, end }) => ({ start, end, kind });
  return [mark('hit')(best), ...near.map(mark('near'))];
}

/** The words of a hit. */
function wordsOf(context, { start, end }) {
  return cut(context.text, context.start, [{ start, end }]).find((part) => part.mark)?.text ?? '';
}

/** `en/handbook.md · p. 3 · lines 12–14`. */
export function place(context) {
  const parts = [context.doc_id];
  const page = pages(context);
  if (page) parts.push(t('context.page', page));
  const [first, last] = context.lines ?? [];
  if (first)
    parts.push(first === last ? t('context.line', first) : t('context.lines', first, last));
  if (context.copies?.length) parts.push(t('context.copies', context.copies.join(', ')));
  return parts.join(' · ');
}

function pages({ page, page_end: end, page_labels: labels }) {
  const [first, last] = labels ?? [page, end ?? page];
  if (first == null) return '';
  return first === last ? `${first}` : `${first}–${last}`;
}

/** Title and headings below it, as one path. */
export function headings(context) {
  const path = (context.headings ?? []).filter(Boolean);
  return path.length ? path : [context.title || context.doc_id];
}

/** The address of a document at a span. */
export const opened = (context) => ({ doc: context.doc_id, at: `${context.start}-${context.end}` });

/** The best hit of a context, or all of it: what the document is opened at. */
function target(context) {
  const hit = hitMarks(context).find((mark) => mark.kind === 'hit');
  return {
    ...opened(context),
    at: hit ? `${hit.start}-${hit.end}` : `${context.start}-${context.end}`,
  };
}

/** The card of a context. `marks` overrides which words are marked; `question` allows feedback; `level` is that of its heading. */
export function card(context, { question, recipe, route, steps, marks, level = 2 } = {}) {
  const path = headings(context);
  const there = target(context);
  const article = h('article.context', {
    'tabindex': '0',
    'aria-label': `${path.at(-1)} – ${context.doc_id}`,
    'data-doc': context.doc_id,
  });
  article.addEventListener('open', () => go(there));
  fill(
    article,
    h(
      'header',
      {},
      h(
        `h${level}.trail`,
        {},
        path.slice(0, -1).map((part) => [h('span', {}, part), ' › ']),
        h('a.title', { ...leads(there), title: t('context.open.in', context.doc_id) }, path.at(-1)),
      ),
      h('p.where', {}, place(context), relevance(context)),
    ),
    reading(context.text, context.start, marks ?? hitMarks(context), {
      type: context.metadata?.type,
      level: level + 1,
    }),
    pictures(context.images ?? []),
    question ? actions(article, context, { question, recipe, route, steps }) : '',
  );
  return article;
}

/** The images inside a context; one that is gone leaves its words. */
function pictures(images) {
  const shown = images.map(({ hash, alt, caption }) => {
    const image = h('img', {
      alt: alt || caption,
      hidden: true,
      onload: () => (image.hidden = false),
    });
    bytesOf(`images/${named(hash)}`)
      .then((address) => (image.src = address))
      .catch(() => {});
    return h('figure', {}, image, h('figcaption', {}, caption || alt));
  });
  return shown.length ? h('div.pictures', {}, shown) : '';
}

/** From here on a passage counts as relevant: as in the engine. */
const RELEVANT = 0.5;

/** From here on little doubt is left. */
const STRONG = 0.8;

/** Whether a context is worth showing before anybody asks for more. */
export const relevant = ({ relevance: value }) => value == null || value >= RELEVANT;

/** `strong`, `likely` or `weak`. */
const strength = (value) => (value >= STRONG ? 'strong' : value >= RELEVANT ? 'likely' : 'weak');

function relevance({ relevance: value }) {
  if (value == null) return '';
  const word = strength(value);
  return h(`span.relevance.${word}`, {}, t(`relevance.${word}`));
}

function actions(article, context, { question, recipe, route, steps }) {
  const why = h('div.why', { hidden: true });
  const toggle = h(
    'button.quiet',
    {
      'aria-expanded': 'false',
      'onclick': () => {
        if (!why.childNodes.length) fill(why, explained(context, { recipe, route, steps }));
        why.hidden = !why.hidden;
        toggle.setAttribute('aria-expanded', String(!why.hidden));
      },
    },
    t('why'),
  );
  article.addEventListener('why', () => toggle.click());
  const copy = h('button.quiet', { onclick: () => copied(context) }, t('context.copy'));
  return [h('footer', {}, toggle, copy, h('span.gap'), verdicts(context, question)), why];
}

async function copied(context) {
  await navigator.clipboard.writeText(
    `${context.text}\n\n— ${place(context)} [${context.start}–${context.end}]`,
  );
  toast(t('context.copied'));
}

function verdicts(context, question) {
  const buttons = ['useful', 'not-useful'].map((verdict) =>
    h(
      'button.quiet.verdict',
      {
        'aria-pressed': 'false',
        'data-verdict': verdict,
        'onclick': (event) => judge(event.currentTarget, verdict),
      },
      t(`feedback.${verdict}`),
    ),
  );
  const judge = async (button, verdict) => {
    const { doc_id, start, end } = context;
    try {
      await call('feedback', { body: { question, doc_id, start, end, verdict } });
      buttons.forEach((other) => other.setAttribute('aria-pressed', String(other === button)));
      toast(t('feedback.thanks'));
    } catch (fault) {
      toast(sentence(fault), 'fault');
    }
  };
  return h('span.verdicts', {}, buttons);
}

/** Why a context is here: in sentences, and the figures below them. */
function explained(context, { recipe, route, steps }) {
  const hits = (context.hits ?? []).filter((hit) => hit.trace?.length).slice(0, EXPLAINED_HITS);
  return [
    h(
      'ul.reasons',
      {},
      reasons(context, hits, route).map((reason) => h('li', {}, reason)),
    ),
    told(steps),
    h(
      'details.figures',
      {},
      h('summary', {}, t('why.figures')),
      h(
        'p.small',
        {},
        t('why.score', number(context.score, 3), context.start, context.end, context.tokens),
      ),
      recipe && h('p.small', {}, t('why.made', recipe.fusion, recipe.expand)),
      route && h('p.small', {}, routed(route)),
      hits.length ? table(context, hits) : '',
    ),
  ];
}

/** The sentences of an explanation: how sure, what was found and how, and why more is shown than that. */
function reasons(context, hits, route) {
  const found = [];
  const { relevance: value } = context;
  if (value != null) found.push(t(`why.${strength(value)}`, number(Math.min(99, value * 100))));
  const best = [...hits].sort((a, b) => b.score - a.score)[0];
  // A row that a query rests on was not found by its words.
  if (!best) return [...found, route?.route === 'sql' ? routed(route) : t('why.none')];
  for (const leg of ['lexical', 'dense']) {
    const ranks = best.trace.filter((trace) => trace.leg === leg).map((trace) => trace.rank);
    if (ranks.length) found.push(t(`why.by.${leg}`, Math.min(...ranks)));
  }
  const { before, after } = best.rerank ?? {};
  if (before !== after) found.push(t('why.again', before, after));
  const alike = (context.pieces ?? []).filter((piece) => piece.likeness >= ALIKE).map(matched);
  if (alike.length) found.push(t('why.pieces', alike.join(' · ')));
  const about = best.trace.find((trace) => trace.text);
  if (about) found.push(t('why.about', about.text));
  if (context.end - context.start > best.end - best.start) found.push(t('why.around'));
  if (route && route.because !== 'usual') found.push(routed(route));
  return found;
}

function matched({ asked, found }) {
  return asked === found ? asked : `${asked} ≈ ${found}`;
}

function table(context, hits) {
  const heads = ['by', 'unit', 'rank', 'raw', 'share'].map((name, i) =>
    h(i > 1 ? 'th.n' : 'th', { scope: 'col' }, t(`why.${name}`)),
  );
  return h(
    'div.scroll',
    { 'tabindex': '0', 'role': 'region', 'aria-label': t('why') },
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, heads, h('td'))),
      hits.map((hit) => found(context, hit)),
    ),
  );
}

function routed({ route, because }) {
  const key = `because.${because}`;
  return t('why.route', route, known(key) ? t(key) : because);
}

function found(context, hit) {
  const most = Math.max(...hit.trace.map((trace) => trace.share));
  const row = (trace) =>
    h(
      'tr',
      {},
      h('td', {}, t(`why.leg.${trace.leg}`)),
      h('td', {}, trace.layer),
      h('td.n', {}, `${trace.rank}`),
      h('td.n', {}, number(trace.score, 3)),
      h('td.n', {}, number(trace.share, 3)),
      h(
        'td',
        {},
        h(`meter.${trace.leg}`, {
          'min': 0,
          'max': most || 1,
          'value': trace.share,
          'aria-label': t('why.share'),
        }),
      ),
    );
  const texts = hit.trace
    .filter((trace) => trace.text)
    .map((trace) => h('p.small.derived', {}, `“${trace.text}”`));
  return h(
    'tbody',
    {},
    h(
      'tr',
      {},
      h(
        'th',
        { scope: 'rowgroup', colspan: 6 },
        h('p.quote', {}, oneLine(wordsOf(context, hit), context.metadata?.type)),
        texts,
      ),
    ),
    hit.trace.map(row),
  );
}
