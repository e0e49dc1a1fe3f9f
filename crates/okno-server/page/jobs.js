/** A job of the server as a bar that fills, with a button that stops it and, at the end, what came of it. */

import { h, fill } from './dom.js';
import { call, events } from './api.js';
import { t, number } from './words.js';

/** Follows a job; `ended` turns what it came to into elements. The promise gives the result, or null. */
export async function follow(id, label, place, ended) {
  const bar = h('progress', { 'aria-label': label });
  const said = h('span.small');
  const stop = h('button.quiet', { type: 'button', onclick: () => call(`jobs/${id}`, { method: 'DELETE' }).catch(() => {}) }, t('stop'));
  const box = h('div.job', {}, h('p', {}, label, ' ', said), h('div.row', {}, bar, stop));
  place.prepend(box);
  let result = null;
  try {
    await events(`jobs/${id}/events`, {}, (event, data) => {
      if (event === 'progress') progress(bar, said, data);
      if (event === 'done' || event === 'cancelled') result = { event, data };
    });
    fill(box, result?.event === 'done' ? ended(result.data) : h('p', {}, t('job.cancelled')));
  } catch (problem) {
    fill(box, h('p.fault', { role: 'alert' }, `${t('job.failed')}: ${problem.message}`), problem.hint && h('p.small', {}, problem.hint));
  }
  return result?.data ?? null;
}

function progress(bar, said, { done, total, file }) {
  if (total) {
    bar.max = total;
    bar.value = done;
  }
  said.textContent = [total ? `${number(done)} / ${number(total)}` : '', file ?? ''].filter(Boolean).join(' · ');
}
