/** Search: a question, live results, and everything that changes them beside it. */

import { h, fill, announce } from './dom.js';
import { call, latest } from './api.js';
import { t, number } from './words.js';
import { go } from './state.js';
import { card, relevant } from './passage.js';
import { chips, panel } from './filters.js';
import { told } from './help.js';
import { following } from './asking.js';
import { questionField, controls, query, fault, busy } from './controls.js';

/** Puts the view into `root`; gives back what follows the address. */
export function search(root) {
  const field = questionField({ live: true, hint: t('search.hint') });
  const [how, above, results, side] = [
    h('div'),
    h('div'),
    h('section.results', { 'aria-label': t('view.search') }),
    h('div.side'),
  ];
  fill(
    root,
    h('h1.unseen', {}, t('view.search')),
    field.element,
    how,
    h('div.columns', {}, side, h('div.column', {}, above, results)),
  );
  // The first passage that was not there before, after more was asked for.
  let more = -1;
  // The question of which those that match less are shown too.
  let weakOf = null;

  const find = latest(async (signal, now) => call('search', { body: query(now), signal }));

  async function show(now) {
    busy(results, true, t('search.busy'));
    try {
      const answer = await find(now);
      if (!answer) return;
      fill(above, chips(answer.understood), told(answer.steps));
      fill(
        results,
        found(answer, now, {
          more: () => (more = answer.contexts.length),
          weak: () => (weakOf = answer.question),
          weakToo: weakOf === answer.question,
          atOnce: Math.max(AT_ONCE, more + 1),
        }),
      );
      results.querySelectorAll('article.context')[more]?.focus();
      more = -1;
    } catch (problem) {
      fill(above, chips(null));
      fill(
        results,
        fault(problem, () => show(now)),
      );
    }
    busy(results, false);
  }

  function rest({ status }) {
    find.cancel();
    busy(results, false);
    fill(above, chips(null));
    fill(results, welcome(status));
  }

  function prepare(known) {
    const made = [controls(known), panel(known.fields)];
    fill(how, made[0].element);
    if (known.status.documents) fill(side, made[1].element);
    return made;
  }

  return { update: following({ field, results, prepare, wanted: query, show, rest }).update };
}

function welcome(status) {
  return h(
    'div.welcome',
    {},
    h('p.lead', {}, t('search.welcome')),
    h('p', {}, t('search.welcome.more', number(status.documents), number(status.sentences))),
  );
}

/** What came back: contexts, or kind words. */
function found(answer, now, choice) {
  const { contexts, recipe, route, steps } = answer;
  if (!contexts.length) {
    announce(t('search.none'));
    return h(
      'div.welcome',
      {},
      h('p.lead', {}, t(now.filter.length ? 'search.filtered' : 'search.none')),
      h('p', {}, t('search.none.more')),
    );
  }
  const about = { question: answer.question, recipe, route, steps };
  const cards = (some) => inParts(some, choice.atOnce, (context) => card(context, about));
  if (answer.nothing_relevant) return nothing(() => cards(contexts));
  const results = ranked(answer, cards, choice);
  return answer.rows ? [computed(answer.rows), results] : results;
}

/** Rows of a query that are shown. */
const ROWS = 20;

/** What a query over rows gave, above the rows that it rests on. */
function computed({ by, sql, columns, rows, total }) {
  const lines = [columns, ...rows.slice(0, ROWS)].map((cells) => cells.join('\t'));
  if (total > ROWS) lines.push(`… +${total - ROWS}`);
  return [
    h('p.small', {}, t(`rows.${by}`), h('code', {}, sql)),
    h('pre.computed', { tabindex: '0' }, lines.join('\n')),
  ];
}

/** So many fill the window. */
const AT_ONCE = 8;

/** Makes the first of them now, and the others after the first can be seen. */
function inParts(some, atOnce, make) {
  const [first, rest] = [some.slice(0, atOnce), some.slice(atOnce)];
  if (!rest.length) return first.map(make);
  const later = h('div');
  const frame = requestAnimationFrame;
  frame(() => frame(() => later.replaceWith(...rest.map(make))));
  return [first.map(make), later];
}

/** Where a filter was read from the question nothing need be relevant; then so many are shown at first. */
const FEW = 3;

/** The relevant contexts; those that match less follow when they are asked for. */
function ranked(answer, cards, { more, weak, weakToo }) {
  const { contexts } = answer;
  const some = contexts.filter(relevant);
  const first = weakToo ? contexts : some.length ? some : contexts.slice(0, FEW);
  const rest = contexts.filter((context) => !first.includes(context));
  announce(counted(first.length));
  const place = h('div');
  const finish = () => foot(answer, more);
  if (!rest.length) return [cards(first), finish()];
  const label = rest.length === 1 ? t('search.weak.one') : t('search.weak', rest.length);
  const show = () => {
    weak();
    fill(place, cards(rest), finish());
    place.querySelector('article').focus();
  };
  fill(place, h('p.foot', {}, counted(first.length), ' ', h('button', { onclick: show }, label)));
  return [cards(first), place];
}

const counted = (count) => (count === 1 ? t('search.count.one') : t('search.count', count));

function nothing(cards) {
  announce(t('search.none'));
  const near = h('div');
  const button = h(
    'button',
    {
      onclick: () => {
        fill(near, cards());
        near.querySelector('article')?.focus();
        button.remove();
      },
    },
    t('search.nearest'),
  );
  return h(
    'div',
    {},
    h(
      'div.welcome',
      {},
      h('p.lead', {}, t('search.none')),
      h('p', {}, t('search.none.more')),
      button,
    ),
    near,
  );
}

/** How much was returned of what was allowed, and more of it. */
function foot({ contexts, recipe, tokens }, more) {
  const spent =
    recipe.unit === 'tokens'
      ? ` · ${t('search.spent', number(tokens), number(recipe.budget))}`
      : '';
  return h(
    'p.foot',
    {},
    counted(contexts.length),
    spent,
    ' ',
    h(
      'button',
      {
        onclick: () => {
          more();
          go({ budget: String(recipe.budget * 2) });
        },
      },
      t('search.more'),
    ),
  );
}
