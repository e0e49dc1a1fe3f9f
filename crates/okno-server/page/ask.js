/**
 * Ask: an answer that streams in, each statement with a chip that opens the document at the exact span.
 *
 * Without a language model the answer is made of the documents' own sentences, and a note says how to set one up.
 */

import { h, fill, announce } from './dom.js';
import { events, latest } from './api.js';
import { t } from './words.js';
import { go, link } from './state.js';
import { card, opened, place } from './passage.js';
import { facts } from './facts.js';
import { chips } from './filters.js';
import { script } from './spans.js';
import { questionField, controls, query, fault } from './controls.js';

/** What goes into `okno.toml`; the same in every language. */
const SETUP = '[model]\nprovider = "ollama"\nname = "qwen2.5:7b"\n';

/** `[1]`, `【1】`, `[1, 2]`. */
const CITED = /[[【](\d+(?:\s*[,，、]\s*\d+)*)[\]】]/g;

/** Puts the view into `root`; gives back what follows the address. */
export function ask(root) {
  const field = questionField({ live: false, hint: t('ask.hint'), onask: () => (shown = '') });
  field.element.append(h('button.main', { type: 'submit' }, t('ask.button')));
  const [how, above, results] = [h('div'), h('div'), h('section.results', { 'aria-label': t('view.ask') })];
  fill(root, h('h1.unseen', {}, t('view.ask')), field.element, how, above, results);
  let parts = null;
  let shown = '';
  let stop = () => {};

  const stream = latest(async (signal, now) => {
    const called = new AbortController();
    signal.addEventListener('abort', () => called.abort());
    stop = () => called.abort();
    const view = streaming(() => called.abort());
    fill(above);
    fill(results, view.element);
    try {
      await events('ask', { body: query(now), signal: called.signal }, (event, data) => {
        if (event === 'contexts') fill(above, chips(data.understood));
        view.on(event, data);
      });
    } catch (problem) {
      if (signal.aborted) throw problem;
      if (problem.name !== 'AbortError') throw problem;
      view.stopped();
    }
  });

  async function show(now) {
    results.setAttribute('aria-busy', 'true');
    try {
      await stream(now);
    } catch (problem) {
      results.append(fault(problem, () => show(now)));
    }
    results.setAttribute('aria-busy', 'false');
  }

  async function update(now) {
    field.update(now);
    const known = await facts().catch((problem) => fill(results, fault(problem, () => update(now))));
    if (!known) return;
    parts ??= prepare(known);
    parts.update(now);
    const wanted = JSON.stringify([now.index, query(now)]);
    if (wanted === shown) return;
    shown = wanted;
    stop();
    if (now.q.trim()) show(now);
    else fill(results, h('div.welcome', {}, h('p.lead', {}, t('ask.welcome'))));
  }

  function prepare(known) {
    const made = controls(known);
    fill(how, made.element);
    return made;
  }

  return { update, leave: () => stop() };
}

/** The answer while it comes and after. */
function streaming(stop) {
  const body = h('div.answer.reading', { tabindex: '-1' });
  const after = h('div');
  const button = h('button', { type: 'button', onclick: stop }, t('stop'));
  const element = h('div', {}, body, h('p.busy', {}, t('ask.busy'), ' ', button), after);
  const over = () => element.querySelector('.busy')?.remove();
  let text = '';
  const on = (event, data) => {
    if (event === 'text') {
      text += data.text;
      setText(body, text, []);
    } else if (event === 'done') {
      over();
      finished(body, after, data);
    }
  };
  const stopped = () => {
    over();
    fill(after, h('p.small', {}, t('ask.stopped')));
  };
  return { element, on, stopped };
}

function finished(body, after, reply) {
  setText(body, reply.found === false && !reply.answer ? t('ask.notfound') : reply.answer, reply.citations ?? []);
  const contexts = reply.contexts ?? [];
  fill(after,
    reply.citations_removed ? h('p.small', {}, t('ask.removed', reply.citations_removed)) : '',
    reply.model ? h('p.small', {}, t('ask.by', reply.model)) : setup(),
    sources(reply.citations ?? []),
    contexts.length ? h('details.passages', {}, h('summary', {}, t('ask.passages')), contexts.map((context) => card(context, { question: reply.question, recipe: reply.recipe, route: reply.route }))) : '');
  announce(body.textContent);
}

/** Text with chips where it cites; numbers that cite nothing stay text. */
function setText(body, text, citations) {
  body.lang = script(text);
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => {
    const parts = [];
    let at = 0;
    for (const match of paragraph.matchAll(CITED)) {
      const numbers = match[1].split(/\D+/).map(Number);
      const found = numbers.map((number) => citations.find((citation) => citation.number === number));
      if (!found.every(Boolean)) continue;
      parts.push(paragraph.slice(at, match.index), found.map(chip));
      at = match.index + match[0].length;
    }
    return h('p.plain', {}, parts, paragraph.slice(at));
  });
  fill(body, paragraphs);
}

function chip(citation) {
  const there = opened({ ...citation, doc_id: citation.doc_id ?? citation.document });
  return h('a.cite', { href: link(there), 'aria-label': t('ask.cite', citation.number, there.doc), title: citation.text ?? '', onclick: (event) => follow(event, there) }, String(citation.number));
}

function follow(event, there) {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go(there);
}

function sources(citations) {
  if (!citations.length) return '';
  const seen = new Map(citations.map((citation) => [`${citation.number}:${citation.start}`, citation]));
  const row = (citation) => h('li', {}, chip(citation), h('div', {},
    h('p.small', {}, [...(citation.headings ?? [])].join(' › ')),
    h('p.quote', { lang: script(citation.text ?? '') }, citation.text ?? ''),
    h('p.where', {}, place({ ...citation, doc_id: citation.doc_id ?? citation.document }))));
  return h('section.sources', {}, h('h2', {}, t('ask.sources')), h('ol', {}, [...seen.values()].map(row)));
}

function setup() {
  return h('div.setup', {}, h('p.small', {}, t('ask.extractive')),
    h('details', {}, h('summary', {}, t('ask.setup')), h('p.small', {}, t('ask.setup.more')), h('pre', { tabindex: '0' }, SETUP)));
}
