/** Compare: one question, two recipes side by side, what only one of them returned marked. */

import { h, fill, menu } from './dom.js';
import { call, latest } from './api.js';
import { t, number } from './words.js';
import { state, go } from './state.js';
import { recipeOptions, recipeName } from './facts.js';
import { card, hitMarks } from './passage.js';
import { chips } from './filters.js';
import { told } from './help.js';
import { following } from './asking.js';
import { both, without } from './spans.js';
import { questionField, controls, query, fault, busy } from './controls.js';

/** Tokens for each side unless told otherwise: the same, or the larger would win by size. As on the command line. */
const BUDGET = 1000;

/** The recipes that are compared unless others are chosen: the baseline and ours. */
const sidesOf = (now) => [now.left || 'chunks', now.right || 'auto'];

/** Puts the view into `root`; gives back what follows the address. */
export function compare(root) {
  const field = questionField({ live: true, hint: t('search.hint') });
  const [how, above, results] = [
    h('div'),
    h('div'),
    h('section.results', { 'aria-label': t('view.compare') }),
  ];
  fill(root, h('h1.unseen', {}, t('view.compare')), field.element, how, above, results);
  const find = latest((signal, now) => call('compare', { body: asked(now), signal }));

  async function show(now) {
    busy(results, true, t('search.busy'));
    try {
      const answer = await find(now);
      if (!answer) return;
      const { understood, steps } = answer.recipes[1];
      fill(above, chips(understood), told(steps), h('p.small.legend', {}, t('compare.legend')));
      fill(results, h('div.sides', {}, answer.recipes.map(side)));
    } catch (problem) {
      fill(
        results,
        fault(problem, () => show(now)),
      );
    }
    busy(results, false);
  }

  function rest() {
    find.cancel();
    busy(results, false);
    fill(above, chips(null));
    fill(results, h('div.welcome', {}, h('p.lead', {}, t('compare.welcome'))));
  }

  function prepare(known) {
    const sides = recipesOf(known.recipes);
    const others = controls(known, sides.elements);
    fill(how, others.element);
    return [sides, others];
  }

  return { update: following({ field, results, prepare, wanted: asked, show, rest }).update };
}

function asked(now) {
  const { recipe, ...question } = query(now);
  return { budget: BUDGET, ...question, recipes: sidesOf(now) };
}

function recipesOf(recipes) {
  const side = (name, label) =>
    menu(t(label), recipeOptions(recipes), {
      onchange: (event) => go({ [name]: event.target.value }),
    });
  const both = [side('left', 'compare.left'), side('right', 'compare.right')];
  const update = (now) => sidesOf(now).forEach((name, i) => (both[i].control.value = name));
  update(state());
  return { elements: both, update };
}

/** One recipe's contexts, with what the other did not return marked. */
function side({ recipe: name, tokens, contexts: found }) {
  let only = 0;
  const cards = found.map((context) => {
    const alone = context.only_here_places.map(([start, end]) => ({ start, end }));
    only += alone.reduce((sum, { start, end }) => sum + end - start, 0);
    return card(context, { marks: marked(context, alone), level: 3 });
  });
  const contexts = cards.length === 1 ? t('search.count.one') : t('search.count', cards.length);
  return h(
    'section.side-by',
    { 'aria-label': name },
    h('h2', {}, recipeName(name)),
    h(
      'p.small',
      {},
      t('compare.tokens', contexts, number(tokens)),
      ' · ',
      only ? t('compare.only', number(only)) : t('compare.same'),
    ),
    cards.length ? cards : h('p.welcome', {}, t('search.none')),
  );
}

/** What stands alone, and the best hits, which keep their light whether the other side has them or not. */
function marked(context, alone) {
  const hits = hitMarks(context).filter(({ kind }) => kind === 'hit');
  return [
    ...alone
      .flatMap((span) => without(span, hits))
      .map((span) => ({ ...fromWords(context, span), kind: 'only' })),
    ...hits.flatMap((hit) => both(hit, alone)).map((span) => ({ ...span, kind: 'hit.only' })),
    ...hits.flatMap((hit) => without(hit, alone)).map((span) => ({ ...span, kind: 'hit' })),
  ];
}

/** A span without the white space before its first word: a mark that begins there would stand on the line above. */
function fromWords(context, { start, end }) {
  const text = [...context.text].slice(start - context.start, end - context.start);
  const words = text.findIndex((letter) => letter.trim());
  return { start: words < 0 ? start : start + words, end };
}
