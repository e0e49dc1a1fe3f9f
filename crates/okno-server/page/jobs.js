/** A job of the server as a bar that fills, with a button that stops it and, at the end, what came of it. */

import { h, fill } from './dom.js';
import { call, events } from './api.js';
import { t, number, bytes } from './words.js';

/** Follows a job; `ended` turns its result into elements. The promise gives the result, or null. */
export async function follow({ id }, label, place, ended) {
  const bar = h('progress', { 'aria-label': label });
  const said = h('span.small');
  const stop = h('button.quiet', { type: 'button', onclick: () => call(`jobs/${id}`, { method: 'DELETE' }).catch(() => {}) }, t('stop'));
  const box = h('div.job', {}, h('p', {}, label, ' ', said), h('div.row', {}, bar, stop));
  place.prepend(box);
  let job = {};
  try {
    await events(`jobs/${id}/events`, {}, (event, view) => {
      job = view;
      progress(bar, said, view);
    });
  } catch (problem) {
    job = { state: 'failed', error: problem };
  }
  if (job.state === 'done') fill(box, ended(job.result));
  else if (job.state === 'cancelled') fill(box, h('p', {}, t('job.cancelled')), ended(job.result));
  else fill(box, h('p.fault', { role: 'alert' }, `${t('job.failed')}: ${job.error?.message ?? ''}`), job.error?.hint && h('p.small', {}, job.error.hint));
  return job.result ?? null;
}

/** How far it is: bytes of files that are read, or steps. */
function progress(bar, said, { kind, done, total, current }) {
  if (total) {
    bar.max = total;
    bar.value = done;
  }
  const shown = kind === 'index' ? bytes : number;
  said.textContent = [total ? `${shown(done)} / ${shown(total)}` : '', current ?? ''].filter(Boolean).join(' · ');
}
