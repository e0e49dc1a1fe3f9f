/** The language model's help with a search: what may be asked of it, offered only where there is one, and what it did. */

import { h } from './dom.js';
import { t } from './words.js';
import { state, go } from './state.js';

/** What stands in place of the question or beside it; the same names as in recipes and on the command line. */
const TRANSFORMS = ['rewrite', 'decompose', 'step-back', 'multi-query', 'hyde', 'sql'];

/** Everything, in the order in which it happens. */
const STEPS = ['filter', 'route', ...TRANSFORMS, 'post-filter'];

/** The parts of a request that ask for help. A question that is taken at its word has no filter for anybody to read. */
export function helpOf({ help, literal }) {
  const transform = TRANSFORMS.filter((name) => help.includes(name));
  return {
    ...(transform.length && { transform }),
    ...(help.includes('filter') && !literal && { filter_by: 'model' }),
    ...(help.includes('route') && { route: 'model' }),
    ...(help.includes('post-filter') && { post_filter: true }),
  };
}

/** A box for each step. */
export function helpPanel() {
  const toggle = (name) => () => {
    const { help } = state();
    go({ help: help.includes(name) ? help.filter((other) => other !== name) : [...help, name] });
  };
  const boxes = STEPS.map((name) =>
    h('input', { type: 'checkbox', value: name, onchange: toggle(name) }),
  );
  const choices = boxes.map((box) =>
    h('label.choice', {}, box, h('span', {}, t(`help.${box.value}`))),
  );
  const count = h('span');
  const element = h(
    'details.help',
    { open: state().help.length > 0 },
    h('summary', {}, t('help'), count),
    h('p.small', {}, t('help.more')),
    h('div.many', {}, choices),
  );
  const update = ({ help }) => {
    for (const box of boxes) box.checked = help.includes(box.value);
    count.textContent = help.length ? ` · ${help.length}` : '';
  };
  update(state());
  return { element, update };
}

/** What the model did, step by step; nothing where it was not asked. */
export function told(steps = []) {
  if (!steps.length) return '';
  const line = ({ step, gave, failed }) =>
    h(
      'li',
      {},
      h('b', {}, t(`help.${step}`)),
      failed
        ? h('span.small', {}, t('help.without', failed))
        : gave.filter(Boolean).map((text) => h('span.gave', {}, text)),
    );
  return h(
    'details.helped',
    { open: steps.some(({ failed }) => failed) },
    h('summary', {}, t('help.did')),
    h('ul', {}, steps.map(line)),
  );
}
