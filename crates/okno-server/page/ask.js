/**
 * Ask: an answer that streams in, each statement with a chip that opens the document at the exact span.
 *
 * Questions and answers are the turns of a conversation, which is kept in this browser; a follow-up is made a whole
 * question, and the page says so. Without a language model the answer is made of the documents' own passages, and a
 * note says how to set one up.
 */

import { h, fill, announce } from './dom.js';
import { events, latest } from './api.js';
import { t } from './words.js';
import { go, state } from './state.js';
import { card } from './passage.js';
import { chips } from './filters.js';
import { told } from './help.js';
import { following } from './asking.js';
import { questionField, controls, modelMenu, pickedModel, query, fault } from './controls.js';
import { setText, sources } from './answers.js';
import { conversations } from './conversations.js';
import { earlier, tools } from './turns.js';

/** What goes into `okno.toml`; the same in every language. */
const SETUP = '[model]\nprovider = "ollama"\nname = "qwen2.5:7b"\n';

/** Turns that a follow-up is made whole with. */
const TURNS = 6;

/** Puts the view into `root`; gives back what follows the address. */
export function ask(root) {
  const kept = conversations(state().index);
  let models = [];
  // The question that was typed last, and what it is asked as.
  let typed = null;
  const onask = (words) =>
    send({
      asked: words,
      question: words,
      carried: false,
      messages: messages(kept.current().turns),
    });
  const send = (turn) => {
    typed = turn;
    follower.forget();
    return turn.question;
  };
  const field = questionField({ live: false, hint: t('ask.hint'), onask, clears: true });
  field.element.append(h('button.main', { type: 'submit' }, t('ask.button')));
  const [how, above, results, bar, before] = [
    h('div'),
    h('div'),
    h('section.results.now', { 'aria-label': t('view.ask') }),
    h('div'),
    h('div'),
  ];
  fill(root, h('h1.unseen', {}, t('view.ask')), field.element, how, bar, above, results, before);
  let stop = () => {};

  /** The turns before, and what can be done with the conversation. */
  function around(question) {
    fill(bar, tools(kept, left));
    fill(before, earlier(kept.current().turns, question));
  }

  /** The conversation is another: what is asked of it is not known yet. */
  function left() {
    typed = null;
    follower.forget();
    go({ q: kept.current().turns.at(-1)?.question ?? '', doc: '', at: '' });
  }

  const stream = latest(async (signal, now, turn) => {
    const called = new AbortController();
    signal.addEventListener('abort', () => called.abort());
    stop = () => called.abort();
    const view = streaming(() => called.abort(), models.length > 0);
    const head = h('div', {}, heading(turn, again));
    fill(above);
    fill(results, head, view.element);
    const body = { ...wanted(now), messages: turn.messages };
    try {
      await events('ask', { body, signal: called.signal }, (event, data) => {
        if (event === 'asked_as' && data.by !== 'nobody') {
          turn = made(data);
          fill(head, heading(turn, again));
        }
        if (event === 'contexts') fill(above, chips(data.understood), told(data.steps));
        const reply = view.on(event, data);
        if (!reply) return;
        const { asked, question, carried } = turn;
        const { answer, citations, model } = reply;
        kept.put({ asked, question, carried, answer, citations, model });
        around(question);
      });
    } catch (problem) {
      if (signal.aborted) throw problem;
      if (problem.name !== 'AbortError') throw problem;
      view.stopped();
    }
  });

  const again = (literal) => go({ q: send(literal) });

  /** The turn with the whole question that the server made of a follow-up; the address says it too. */
  function made({ asked, question }) {
    typed = { asked, question, carried: true };
    follower.shows({ ...state(), q: question });
    go({ q: question }, { replace: true });
    return typed;
  }

  /** The turn of a question: the one just typed, one that was asked before, or a new one from an address. */
  function turnOf(question) {
    if (typed?.question !== question)
      typed = kept.current().turns.find((turn) => turn.question === question) ?? {
        asked: question,
        question,
        carried: false,
      };
    const { asked, carried, replaces, messages = [] } = typed;
    if (replaces) kept.drop(replaces);
    return { asked, question, carried, messages };
  }

  async function show(now) {
    stop();
    results.setAttribute('aria-busy', 'true');
    const turn = turnOf(now.q.trim());
    around(turn.question);
    try {
      await stream(now, turn);
    } catch (problem) {
      results.append(fault(problem, () => show(now)));
    }
    results.setAttribute('aria-busy', 'false');
  }

  function rest() {
    stop();
    fill(above, chips(null));
    fill(results, h('div.welcome', {}, h('p.lead', {}, t('ask.welcome'))));
    around('');
  }

  function prepare(known) {
    models = known.models;
    const [pick, made] = [modelMenu(models), controls(known)];
    fill(how, pick && h('div.talk', {}, pick.element), made.element);
    return [pick, made].filter(Boolean);
  }

  const wanted = (now) => ({ ...query(now), model: pickedModel(models, now) });
  const follower = following({ field, results, prepare, wanted, show, rest });
  return { update: follower.update, leave: () => stop() };
}

/** The turns before a question, as the server takes them. */
const messages = (turns) =>
  turns.slice(-TURNS).flatMap(({ asked, answer }) => [
    { role: 'user', content: asked },
    { role: 'assistant', content: answer },
  ]);

/** The question above its answer; where something was carried over it says so, and the words as typed can be asked instead. */
function heading({ asked, question, carried }, again) {
  const title = h('h2.asked', {}, asked);
  if (!carried) return title;
  const literal = { asked, question: asked, carried: false, replaces: question };
  return [
    title,
    h(
      'p.small.carried',
      {},
      t('ask.carried', question),
      ' ',
      h('button.link', { onclick: () => again(literal) }, t('ask.literal')),
    ),
  ];
}

/** The answer while it comes and after; without `anyModel` it says how to set one up. `on` gives the answer when it is whole. */
function streaming(stop, anyModel) {
  const body = h('div.answer.reading', { tabindex: '-1' });
  const after = h('div');
  const button = h('button', { onclick: stop }, t('stop'));
  const element = h('div', {}, body, h('p.busy', {}, t('ask.busy'), ' ', button), after);
  const over = () => element.querySelector('.busy')?.remove();
  let text = '';
  let found = null;
  const on = (event, data) => {
    if (event === 'contexts') found = data;
    else if (event === 'text') setText(body, (text += data.text), null);
    else if (event === 'done') {
      over();
      return finished(body, after, data, found, anyModel);
    }
    return null;
  };
  const stopped = () => {
    over();
    fill(after, h('p.small', {}, t('ask.stopped')));
  };
  return { element, on, stopped };
}

function finished(body, after, given, { question, recipe, route, steps, contexts }, anyModel) {
  const typeOf = (name) => contexts.find(({ doc_id: other }) => other === name)?.metadata?.type;
  const citations = given.citations.map((one) => ({ ...one, type: typeOf(one.doc_id) }));
  const reply = { ...given, citations };
  setText(body, reply.answer, reply.citations);
  const notes = [
    reply.citations_removed && t('ask.removed', reply.citations_removed),
    reply.cut && t('ask.cut'),
    reply.model && t('ask.by', reply.model),
  ];
  fill(
    after,
    notes.filter(Boolean).map((note) => h('p.small', {}, note)),
    anyModel || !reply.found ? '' : setup(),
    sources(reply.citations),
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
  return reply;
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
