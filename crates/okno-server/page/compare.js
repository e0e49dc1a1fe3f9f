/** Compare: one question, two recipes side by side, what only one of them returned marked. */

import { h, fill, menu } from './dom.js';
import { call, latest } from './api.js';
import { t, number } from './words.js';
import { state, go } from './state.js';
import { facts, recipeOptions, recipeName } from './facts.js';
import { card, hitMarks } from './passage.js';
import { chips } from './filters.js';
import { both, without } from './spans.js';
import { questionField, controls, query, fault, busy } from './controls.js';

/** Tokens for each side unless told otherwise: the same, or the larger would win by size. As on the command line. */
const BUDGET = 1000;

/** The recipes that are compared unless others are chosen: the baseline and ours. */
const sidesOf = (now) => [now.left || 'chunks', now.right || 'auto'];

/** Puts the view into `root`; gives back what follows the address. */
export function compare(root) {
  const field = questionField({ live: true, hint: t('search.hint') });
  const [how, above, results] = [h('div'), h('div'), h('section.results', { 'aria-label': t('view.compare') })];
  fill(root, h('h1.unseen', {}, t('view.compare')), field.element, how, above, results);
  let parts = null;
  let shown = '';

  const find = latest((signal, now) => Promise.all(sidesOf(now).map((recipe) => call('search', { body: asked(now, recipe), signal }))));

  async function show(now) {
    busy(results, true, t('search.busy'));
    try {
      const answers = await find(now);
      if (!answers) return;
      fill(above, chips(answers[1].understood), h('p.small.legend', {}, t('compare.legend')));
      fill(results, h('div.sides', {}, answers.map((answer, i) => side(sidesOf(now)[i], answer, answers[1 - i]))));
    } catch (problem) {
      fill(results, fault(problem, () => show(now)));
    }
    busy(results, false);
  }

  async function update(now) {
    field.update(now);
    let known;
    try {
      known = await facts();
    } catch (problem) {
      fill(results, fault(problem, () => update(now)));
      return;
    }
    parts ??= prepare(known);
    parts.forEach((part) => part.update(now));
    const wanted = JSON.stringify([now.index, sidesOf(now).map((recipe) => asked(now, recipe))]);
    if (wanted === shown) return;
    shown = wanted;
    if (now.q.trim()) show(now);
    else {
      find.cancel();
      busy(results, false);
      fill(above, chips(null));
      fill(results, h('div.welcome', {}, h('p.lead', {}, t('compare.welcome'))));
    }
  }

  function prepare(known) {
    const made = [recipesOf(known.recipes), controls(known, { withRecipe: false })];
    fill(how, h('div.controls', {}, made[0].element, ...made[1].element.childNodes));
    return made;
  }

  return { update };
}

const asked = (now, recipe) => ({ budget: BUDGET, ...query(now), recipe });

function recipesOf(recipes) {
  const side = (name, label) => menu(t(label), recipeOptions(recipes), { onchange: (event) => go({ [name]: event.target.value }) });
  const both = [side('left', 'compare.left'), side('right', 'compare.right')];
  const update = (now) => sidesOf(now).forEach((name, i) => (both[i].querySelector('select').value = name));
  update(state());
  const element = document.createDocumentFragment();
  element.append(...both);
  return { element, update };
}

/** One recipe's contexts, with what the other did not return marked. */
function side(name, answer, other) {
  let only = 0;
  const cards = answer.contexts.map((context) => {
    const theirs = other.contexts.filter((their) => their.doc_id === context.doc_id && their.root === context.root);
    const alone = without(context, theirs);
    only += alone.reduce((sum, { start, end }) => sum + end - start, 0);
    return card(context, { marks: marked(context, alone) });
  });
  const contexts = cards.length === 1 ? t('search.count.one') : t('search.count', cards.length);
  return h('section.side-by', { 'aria-label': name },
    h('h2', {}, recipeName(name)),
    h('p.small', {}, t('compare.tokens', contexts, number(answer.tokens)), ' · ', only ? t('compare.only', number(only)) : t('compare.same')),
    cards);
}

/** What stands alone, and the best hits, which keep their light whether the other side has them or not. */
function marked(context, alone) {
  const hits = hitMarks(context).filter(({ kind }) => kind === 'hit');
  return [
    ...alone.flatMap((span) => without(span, hits)).map((span) => ({ ...span, kind: 'only' })),
    ...hits.flatMap((hit) => both(hit, alone)).map((span) => ({ ...span, kind: 'hit.only' })),
    ...hits.flatMap((hit) => without(hit, alone)).map((span) => ({ ...span, kind: 'hit' })),
  ];
}
