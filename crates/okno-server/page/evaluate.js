/** Evaluate: measure recipes on a question set, see who leads, read the report. */

import { h, fill, rich } from './dom.js';
import { call, text, address, key } from './api.js';
import { t, number } from './words.js';
import { go, state } from './state.js';
import { facts, recipeOptions } from './facts.js';
import { follow } from './jobs.js';
import { fault } from './controls.js';

/** The figures of the leaderboard, best known first. */
const FIGURES = ['coverage', 'context', 'mrr@10', 'precision'];

/** Puts the view into `root`; gives back what follows the address. */
export function evaluate(root) {
  const [form, jobs, board, report] = [h('div'), h('div.jobs'), h('section'), h('section')];
  fill(root, h('h1.unseen', {}, t('view.evaluate')), form, jobs, board, report);
  let index = null;
  let shown = '';

  async function load() {
    try {
      const runs = await call('runs');
      fill(board, h('h2', {}, t('eval.runs')), leaderboard(runs.boards ?? runs));
    } catch (problem) {
      fill(board, fault(problem, load));
    }
  }

  async function update(now) {
    if (index !== now.index) {
      index = now.index;
      load();
      facts().then((known) => fill(form, setUp(known, jobs, load))).catch((problem) => fill(form, fault(problem, () => { index = null; update(now); })));
    }
    if (now.run !== shown) {
      shown = now.run;
      if (now.run) showReport(report, now.run);
      else fill(report);
    }
  }

  return { update };
}

function setUp({ recipes, status }, jobs, load) {
  const file = h('input', { type: 'file', id: 'set', accept: '.jsonl,.json,.csv,.tsv', required: true });
  const ready = Object.entries(recipes).filter(([, recipe]) => !recipe.missing?.length).map(([name]) => name);
  const chosen = recipeOptions(Object.fromEntries(ready.map((name) => [name, recipes[name]]))).map(([name, label]) =>
    h('label.choice', {}, h('input', { type: 'checkbox', name: 'recipe', value: name, checked: [status.recipe, 'chunks'].includes(name) }), h('span', {}, label)));
  const budgets = h('input', { type: 'text', id: 'budgets', value: '500, 1000', inputmode: 'numeric' });
  const name = h('input', { type: 'text', id: 'run-name', value: today(), autocomplete: 'off' });
  const start = async (event) => {
    event.preventDefault();
    const picked = [...event.target.querySelectorAll('[name=recipe]:checked')].map((box) => box.value);
    await measure({ file: file.files[0], name: name.value.trim(), recipes: picked, budgets: budgets.value.split(/\D+/).filter(Boolean).map(Number) }, jobs, load);
  };
  return h('form.eval', { onsubmit: start },
    h('p.lead', {}, t('eval.welcome')),
    h('label.field', { for: 'set' }, h('span.label', {}, t('eval.set')), file, h('span.small', {}, rich(t('eval.set.help')))),
    h('fieldset', {}, h('legend', {}, t('eval.recipes')), h('div.many', {}, chosen)),
    h('label.field', { for: 'budgets' }, h('span.label', {}, t('eval.budgets')), budgets),
    h('label.field', { for: 'run-name' }, h('span.label', {}, t('eval.name')), name),
    h('button.main', { type: 'submit' }, t('eval.start')));
}

const today = () => new Date().toISOString().slice(0, 16).replace(/[-:]/g, '').replace('T', '-');

async function measure({ file, name, recipes, budgets }, jobs, load) {
  try {
    const questions = await file.text();
    const { job } = await call('eval', { body: { name, recipes, budgets, questions, file_name: file.name } });
    await follow(job?.id ?? job, t('job.eval', name), jobs, () => h('p', {}, name));
    await load();
    go({ run: name });
  } catch (problem) {
    jobs.prepend(fault(problem));
  }
}

/** One table per question set and budget, best first. */
function leaderboard(boards) {
  if (!boards.length) return h('p.welcome', {}, t('eval.none'));
  const heads = [h('th.n', { scope: 'col' }, t('eval.rank')), h('th', { scope: 'col' }, t('recipe')), h('th', { scope: 'col' }, t('eval.run')), [...FIGURES, 'p50'].map((figure) => h('th.n', { scope: 'col' }, t(`eval.${figure}`)))];
  return boards.map(({ set, budget, places }) => h('div.scroll', { tabindex: '0', role: 'region', 'aria-label': t('eval.on', set, budget) }, h('table', {},
    h('caption', {}, t('eval.on', set, number(budget))), h('thead', {}, h('tr', {}, heads)), h('tbody', {}, places.map(row)))));
}

function row({ rank, recipe, run, scores, latency_ms: latency }) {
  const open = h('button.link', { type: 'button', 'aria-label': t('eval.report.of', run), onclick: () => go({ run }) }, run);
  return h('tr', {}, h('td.n', {}, `${rank}`), h('td', {}, recipe), h('td', {}, open), FIGURES.map((figure) => h('td.n', {}, scores[figure] == null ? '–' : number(scores[figure], 3))), h('td.n', {}, latency ? number(latency.p50, 1) : ''));
}

/**
 * A report is a page of its own, shown in a frame that may run nothing. A frame sends no key, so where the server wants
 * one the report is handed over as a file.
 */
async function showReport(place, run) {
  const head = h('h2', { tabindex: '-1' }, t('eval.report.of', run));
  const close = h('button.quiet', { type: 'button', onclick: () => go({ run: '' }) }, t('close'));
  fill(place, h('div.bar', {}, head, close));
  const path = `reports/${encodeURIComponent(run)}`;
  try {
    const page = await text(path, { accept: 'text/html' });
    if (state().run !== run) return;
    const file = h('a', { href: URL.createObjectURL(new Blob([page], { type: 'text/html' })), download: `${run}.html` }, `${run}.html`);
    place.append(key() ? h('p', {}, file) : h('iframe.report', { sandbox: '', src: address(path), title: t('eval.report.of', run) }));
    head.focus();
  } catch (problem) {
    place.append(problem.status === 404 ? h('p.small', {}, t('eval.report.none')) : fault(problem));
  }
}
