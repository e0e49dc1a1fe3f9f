/** What search, ask and compare do when the address changes: bring everything in step with it, and ask only when the question is another. */

import { h, fill } from './dom.js';
import { t } from './words.js';
import { go } from './state.js';
import { facts } from './facts.js';
import { fault } from './controls.js';

/**
 * Follows the address for a view. `prepare(known)` makes what follows it too, once; `wanted(now)` is what would be asked;
 * `show(now)` asks it, `rest(known)` shows the view without a question. `forget` lets the same question be asked again,
 * `shows` says which one is on the page.
 */
export function following({ field, results, prepare, wanted, show, rest }) {
  let parts = null;
  let shown = '';
  const key = (now) => JSON.stringify([now.index, wanted(now)]);

  async function update(now) {
    field.update(now);
    let known;
    try {
      known = await facts();
    } catch (problem) {
      fill(
        results,
        fault(problem, () => update(now)),
      );
      return;
    }
    parts ??= prepare(known);
    parts.forEach((part) => part.update(now));
    const asked = key(now);
    if (asked === shown) return;
    shown = asked;
    if (now.q.trim() && known.status.documents) show(now);
    else rest(known);
    if (!known.status.documents) fill(results, empty());
  }

  return { update, forget: () => (shown = ''), shows: (now) => (shown = key(now)) };
}

/** What stands where there is nothing to ask yet. */
export function empty() {
  return h(
    'div.welcome',
    {},
    h('p.lead', {}, t('search.empty')),
    h('button.main', { onclick: () => go({ view: 'documents' }) }, t('search.empty.more')),
  );
}
