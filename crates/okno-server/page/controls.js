/** What search, ask and compare have in common: the question, how it is asked, and how a fault is told. */

import { h, fill, menu, rich, debounced } from './dom.js';
import { t, known, number } from './words.js';
import { state, go } from './state.js';
import { recipeName, recipeOptions } from './facts.js';
import { joined } from './conditions.js';
import { helpOf, helpPanel } from './help.js';
import { advancedOpen, keepAdvancedOpen, keepSettings } from './preferences.js';

/** Long enough not to ask for every letter, short enough to feel live. */
const TYPING_MS = 140;

const WINDOW_MAX = 10;
const BUDGETS = [250, 500, 1000, 2000, 4000, 8000];
const EXPANSIONS = ['auto', 'none', 'window', 'neighbors:1', 'parent', 'section', 'document'];

/** The field a question is typed into. `live` asks while typing, otherwise – and where a model helps, which takes its time – Enter does. `onask` may give another question to ask; with `clears` the field is empty for the next one. */
export function questionField({ live, hint, onask, clears = false }) {
  const now = state();
  // What was typed at one go is one step of the history.
  let fresh = true;
  const typed = debounced((q) => {
    go({ q }, { replace: !fresh });
    fresh = false;
  }, TYPING_MS);
  const livesNow = () => live && !state().help.length;
  // Typing on in a composed Chinese word is not a question yet.
  const input = h('input.question', {
    'type': 'search',
    'id': 'question',
    'name': 'q',
    'aria-label': t('question'),
    'placeholder': hint,
    'autocomplete': 'off',
    'value': clears ? '' : now.q,
    'enterkeyhint': 'search',
    'oninput': (event) => livesNow() && !event.isComposing && typed(input.value),
    'onfocus': () => (fresh = true),
    'oncompositionend': () => livesNow() && typed(input.value),
  });
  const form = h(
    'form.ask',
    {
      role: 'search',
      onsubmit: (event) => {
        event.preventDefault();
        const words = input.value.trim();
        if (clears && !words) return;
        fresh = true;
        const q = onask?.(words) ?? words;
        if (clears) input.value = '';
        go({ q });
      },
    },
    input,
  );
  // The address may change by other means: back, a link.
  const update = ({ q }) => {
    if (clears) return;
    if (q.trim() !== input.value.trim() && document.activeElement !== input) input.value = q;
  };
  return { element: form, input, update };
}

/** The window a state asks for, or null. */
export const windowOf = ({ expand }) =>
  expand.startsWith('window:') ? Number(expand.slice(7)) : null;

/** Changes a setting and remembers it: what somebody chose, not what an address says. */
function choose(patch, how) {
  go(patch, how);
  keepSettings(state());
}

/** The same from a menu. */
const change = (name) => (event) => choose({ [name]: event.target.value });

/** The words for a window. */
const windowWords = (window) => t(window < 2 ? `window.${window}` : 'window.n', window);

/** One step smaller or larger. */
export function stepWindow(by) {
  const now = windowOf(state()) ?? 3;
  choose({ expand: `window:${Math.max(0, Math.min(WINDOW_MAX, now + by))}` }, { replace: true });
}

/** Menus for recipe, expansion and budget, the slider for the window and the model's help, where there is a model: all folded. `first` stands in place of the recipe, and before them. */
export function controls({ recipes, status, model }, first = null) {
  const recipe =
    !first &&
    menu(t('recipe'), [['', t('recipe.default', status.recipe)], ...recipeOptions(recipes)], {
      onchange: change('recipe'),
    });
  const expand = menu(
    t('expand'),
    [['', t('expand.default')], ...EXPANSIONS.map((name) => [name, t(`expand.${name}`)])],
    {
      onchange: (event) =>
        choose({ expand: event.target.value === 'window' ? 'window:3' : event.target.value }),
    },
  );
  const said = h('output.small');
  const slider = h('input', {
    'type': 'range',
    'min': '0',
    'max': String(WINDOW_MAX),
    'step': '1',
    'aria-label': t('window'),
    'oninput': () => choose({ expand: `window:${slider.value}` }, { replace: true }),
  });
  const size = menu(
    t('budget'),
    [
      ['', t('budget.default')],
      ...BUDGETS.map((tokens) => [String(tokens), t('budget.tokens', number(tokens))]),
    ],
    { onchange: change('budget') },
  );
  const help = model ? helpPanel() : null;
  const update = (now) => {
    help?.update(now);
    const window = windowOf(now);
    if (recipe) recipe.control.value = now.recipe;
    expand.control.value = window === null ? now.expand : 'window';
    slider.value = String(window ?? 3);
    slider.classList.toggle('off', window === null);
    said.textContent = window === null ? t('window.off') : windowWords(window);
    slider.setAttribute('aria-valuetext', said.textContent);
    offerBudget(size.control, now.budget);
  };
  update(state());
  const grid = h(
    'div.controls',
    {},
    recipe,
    expand,
    h('label.field.slider', {}, h('span.label', {}, t('window'), ' ', said), slider),
    size,
  );
  const folded = advanced(grid, help?.element);
  const all = (now) => {
    update(now);
    folded.update(now);
  };
  folded.update(state());
  const shown = first && h('div.controls', {}, first);
  return { element: h('div', {}, shown, folded.element), update: all };
}

/** The menu of the language models that may answer, or of none where none is the usual one; null where there is no choice. */
export function modelMenu(models) {
  const options = models.map(({ name, model }) => [name, name === 'default' ? model : name]);
  if (options[0]?.[0] !== 'default') options.unshift(['', t('model.none')]);
  if (options.length < 2) return null;
  const element = menu(t('model'), options, { onchange: change('model') });
  const update = (now) => (element.control.value = pickedModel(models, now) ?? options[0][0]);
  return { element, update };
}

/** The model that a state picks, where it is still there to pick. */
export const pickedModel = (models, { model }) => models.find(({ name }) => name === model)?.name;

/** What few people need, folded; its line says what is not as usual, and it stays open for those who opened it. */
function advanced(...content) {
  const said = h('span.small');
  const element = h(
    'details.advanced',
    { open: advancedOpen(), ontoggle: () => keepAdvancedOpen(element.open) },
    h('summary', {}, t('advanced'), said),
    content,
  );
  const update = ({ recipe, expand, budget, help }) => {
    const window = windowOf({ expand });
    const chosen = [
      recipe && recipeName(recipe),
      window === null ? known(`expand.${expand}`) && t(`expand.${expand}`) : windowWords(window),
      budget && t('budget.tokens', number(budget)),
      help.length && `${t('help')} ${help.length}`,
    ];
    said.textContent = chosen
      .filter(Boolean)
      .map((text) => ` · ${text}`)
      .join('');
  };
  return { element, update };
}

function offerBudget(select, budget) {
  if (budget && ![...select.options].some((option) => option.value === budget))
    select.append(h('option', { value: budget }, t('budget.tokens', number(budget))));
  select.value = budget;
}

/** The body of a search that a state asks for. */
export function query(now) {
  const body = { question: now.q.trim(), explain: true };
  if (now.recipe) body.recipe = now.recipe;
  if (now.expand) body.expand = now.expand;
  if (now.budget) body.budget = Number(now.budget);
  if (now.filter.length) body.filter = joined(now.filter);
  if (now.literal) body.auto_filter = false;
  return { ...body, ...helpOf(now) };
}

/** What went wrong: the server says it in the language of the page; that nobody answers, the page itself. */
export const sentence = ({ code, message }) =>
  code === 'unreachable' ? t('fault.unreachable') : message;

/** A fault where the results would have been. */
export function fault(problem, retry) {
  return h(
    'div.fault',
    { role: 'alert' },
    h('p', {}, rich(sentence(problem))),
    problem.hint && h('p.small', {}, rich(problem.hint)),
    retry && h('button', { onclick: retry }, t('retry')),
  );
}

/** A place for results that says when it is busy. */
export function busy(element, on, word) {
  element.setAttribute('aria-busy', String(on));
  if (on && !element.childNodes.length) fill(element, h('p.busy', {}, word));
}
