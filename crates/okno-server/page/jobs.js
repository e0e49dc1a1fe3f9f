/** A job of the server as a bar that fills, with a button that stops it and, at the end, what came of it. */

import { h, fill } from './dom.js';
import { call, events } from './api.js';
import { t, number, bytes } from './words.js';
import { fault } from './controls.js';

/** Follows a job; `ended` turns its result into elements. The promise gives the result, or null. */
export async function follow({ id }, label, place, ended) {
  const bar = h('progress', { 'aria-label': label });
  const said = h('span.small');
  const stop = h(
    'button.quiet',
    { onclick: () => call(`jobs/${id}`, { method: 'DELETE' }).catch(() => {}) },
    t('stop'),
  );
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
  const cancelled = job.state === 'cancelled';
  if (job.state === 'done') fill(box, ended(job.result));
  // Half an evaluation compares nothing and is not kept; what was indexed stays.
  else if (cancelled && job.kind === 'eval') fill(box, h('p', {}, t('job.cancelled.eval')));
  else if (cancelled) fill(box, h('p', {}, t('job.cancelled')), ended(job.result));
  else fill(box, fault(job.error ?? {}));
  return cancelled && job.kind === 'eval' ? null : (job.result ?? null);
}

/** Follows the jobs of a kind that were begun before this view was opened, and calls `then` as each ends. */
export async function resume(kind, place, label, ended, then) {
  const { jobs } = await call('jobs').catch(() => ({ jobs: [] }));
  const running = jobs.filter(
    (job) => job.kind === kind && ['queued', 'running'].includes(job.state),
  );
  for (const job of running) follow(job, label(job), place, ended).then(then);
}

/** How far it is: bytes of files that are read, or steps. */
function progress(bar, said, { kind, done, total, current }) {
  if (total) {
    bar.max = total;
    bar.value = done;
  }
  const shown = kind === 'index' ? bytes : number;
  said.textContent = [total ? `${shown(done)} / ${shown(total)}` : '', current ?? '']
    .filter(Boolean)
    .join(' · ');
}
