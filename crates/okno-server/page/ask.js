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
import { chips } from './filters.js';
import { told } from './help.js';
import { following } from './asking.js';
import { script, units } from './spans.js';
import { oneLine } from './rendered.js';
import { questionField, controls, query, fault } from './controls.js';

/** What goes into `okno.toml`; the same in every language. */
const SETUP = '[model]\nprovider = "ollama"\nname = "qwen2.5:7b"\n';

/** Puts the view into `root`; gives back what follows the address. */
export function ask(root) {
  const field = questionField({ live: false, hint: t('ask.hint'), onask: () => follower.forget() });
  field.element.append(h('button.main', { type: 'submit' }, t('ask.button')));
  const [how, above, results] = [
    h('div'),
    h('div'),
    h('section.results', { 'aria-label': t('view.ask') }),
  ];
  fill(root, h('h1.unseen', {}, t('view.ask')), field.element, how, above, results);
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
        if (event === 'contexts') fill(above, chips(data.understood), told(data.steps));
        view.on(event, data);
      });
    } catch (problem) {
      if (signal.aborted) throw problem;
      if (problem.name !== 'AbortError') throw problem;
      view.stopped();
    }
  });

  async function show(now) {
    stop();
    results.setAttribute('aria-busy', 'true');
    try {
      await stream(now);
    } catch (problem) {
      results.append(fault(problem, () => show(now)));
    }
    results.setAttribute('aria-busy', 'false');
  }

  function rest() {
    stop();
    fill(above, chips(null));
    fill(results, h('div.welcome', {}, h('p.lead', {}, t('ask.welcome'))));
  }

  function prepare(known) {
    const made = controls(known);
    fill(how, made.element);
    return [made];
  }

  const follower = following({ field, results, prepare, wanted: query, show, rest });
  return { update: follower.update, leave: () => stop() };
}

/** The answer while it comes and after. */
function streaming(stop) {
  const body = h('div.answer.reading', { tabindex: '-1' });
  const after = h('div');
  const button = h('button', { type: 'button', onclick: stop }, t('stop'));
  const element = h('div', {}, body, h('p.busy', {}, t('ask.busy'), ' ', button), after);
  const over = () => element.querySelector('.busy')?.remove();
  let text = '';
  let found = null;
  const on = (event, data) => {
    if (event === 'contexts') found = data;
    else if (event === 'text') setText(body, (text += data.text), null);
    else if (event === 'done') {
      over();
      finished(body, after, data, found);
    }
  };
  const stopped = () => {
    over();
    fill(after, h('p.small', {}, t('ask.stopped')));
  };
  return { element, on, stopped };
}

function finished(body, after, reply, { question, recipe, route, steps, contexts }) {
  setText(body, reply.answer, reply.citations);
  const notes = [
    reply.citations_removed && t('ask.removed', reply.citations_removed),
    reply.cut && t('ask.cut'),
    reply.model && t('ask.by', reply.model),
  ];
  fill(
    after,
    notes.filter(Boolean).map((note) => h('p.small', {}, note)),
    reply.model || !reply.found ? '' : setup(),
    sources(reply.citations, contexts),
    contexts.length
      ? h(
          'details.passages',
          {},
          h('summary', {}, t('ask.passages')),
          contexts.map((context) => card(context, { question, recipe, route, steps })),
        )
      : '',
  );
  announce(body.textContent);
}

/** Text with a chip where it cites. Each citation has its own place in the text and in its document; while the answer still comes (`null`), chips lead nowhere yet. */
function setText(body, text, citations) {
  body.lang = script(text);
  const at = new Map(
    units(
      text,
      (citations ?? []).map((citation) => citation.at),
    ).map((unit, i) => [unit, citations[i]]),
  );
  let offset = 0;
  // An item of a list is a paragraph of its own, so that its lines stand below one another.
  const paragraphs = text.split(/(\n{2,}|\n(?=- ))/).map((part) => {
    const parts = [];
    let done = 0;
    for (const match of part.matchAll(/\[(\d+)\]/g)) {
      const citation = at.get(offset + match.index);
      if (citations && !citation) continue;
      parts.push(
        part.slice(done, match.index),
        citation ? chip(citation) : h('span.cite', {}, match[1]),
      );
      done = match.index + match[0].length;
    }
    offset += part.length;
    return (
      part.trim() &&
      h(part.startsWith('- ') ? 'p.plain.item' : 'p.plain', {}, parts, part.slice(done).trimEnd())
    );
  });
  fill(body, paragraphs.filter(Boolean));
}

function chip(citation) {
  const there = opened(citation);
  return h(
    'a.cite',
    {
      'href': link(there),
      'aria-label': t('ask.cite', citation.number, citation.doc_id),
      'title': citation.text,
      'onclick': (event) => follow(event, there),
    },
    String(citation.number),
  );
}

function follow(event, there) {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go(there);
}

/** Every place that is cited, once. */
function sources(citations, contexts) {
  if (!citations.length) return '';
  const typeOf = ({ doc_id: name }) =>
    contexts.find(({ doc_id: other }) => other === name)?.metadata?.type;
  const places = new Map(
    citations.map((citation) => [`${citation.number}:${citation.start}-${citation.end}`, citation]),
  );
  const row = (citation) =>
    h(
      'li',
      {},
      chip(citation),
      h(
        'div',
        {},
        h('p.small', {}, citation.headings.join(' › ')),
        h('p.quote', { lang: script(citation.text) }, oneLine(citation.text, typeOf(citation))),
        h('p.where', {}, place(citation)),
      ),
    );
  const ordered = [...places.values()].sort((a, b) => a.number - b.number || a.start - b.start);
  return h('section.sources', {}, h('h2', {}, t('ask.sources')), h('ol', {}, ordered.map(row)));
}

function setup() {
  return h(
    'div.setup',
    {},
    h('p.small', {}, t('ask.extractive')),
    h(
      'details',
      {},
      h('summary', {}, t('ask.setup')),
      h('p.small', {}, t('ask.setup.more')),
      h('pre', { tabindex: '0' }, SETUP),
    ),
  );
}
