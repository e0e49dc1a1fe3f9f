/** What search, ask and compare do when the address changes: bring everything in step with it, and ask only when the question is another. */

import { fill } from './dom.js';
import { facts } from './facts.js';
import { fault } from './controls.js';

/**
 * Follows the address for a view. `prepare(known)` makes what follows it too, once; `wanted(now)` is what would be asked;
 * `show(now)` asks it, `rest(known)` shows the view without a question. `forget` lets the same question be asked again.
 */
export function following({ field, results, prepare, wanted, show, rest }) {
  let parts = null;
  let shown = '';

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
    const asked = JSON.stringify([now.index, wanted(now)]);
    if (asked === shown) return;
    shown = asked;
    if (now.q.trim()) show(now);
    else rest(known);
  }

  return { update, forget: () => (shown = '') };
}
