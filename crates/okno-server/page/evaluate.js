/** Evaluate: measure recipes on a question set – one's own, or made from the documents –, see who leads, read the report. */

import { h, fill, rich } from './dom.js';
import { Problem, call, text, address, key, named } from './api.js';
import { t, number, spoken } from './words.js';
import { go, state } from './state.js';
import { facts, recipeOptions } from './facts.js';
import { follow, resume } from './jobs.js';
import { fault } from './controls.js';
import { empty } from './asking.js';

/** The figures of the leaderboard, the one that orders recipes first. */
const FIGURES = ['coverage', 'context', 'mrr@10', 'precision'];

/** Questions made from the documents where no file is given. */
const MADE = 100;

/** Puts the view into `root`; gives back what follows the address. */
export function evaluate(root) {
  const [form, jobs, board, report] = [h('div'), h('div.jobs'), h('section'), h('section')];
  fill(root, h('h1.unseen', {}, t('view.evaluate')), form, jobs, board, report);
  let started = false;
  let shown = '';

  async function load() {
    try {
      const { runs } = await call('runs');
      fill(board, h('h2', {}, t('eval.runs')), leaderboard(runs));
    } catch (problem) {
      fill(board, fault(problem, load));
    }
  }

  async function begin() {
    try {
      const known = await facts();
      fill(form, known.status.documents ? setUp(known, jobs, load) : empty());
    } catch (problem) {
      fill(form, fault(problem, begin));
    }
  }

  function update({ run }) {
    if (!started) {
      started = true;
      load();
      begin();
      resume('eval', jobs, () => t('job.eval', ''), outcome, load);
    }
    if (run === shown) return;
    shown = run;
    if (run) showReport(report, run);
    else fill(report);
  }

  return { update };
}

function setUp({ recipes, status }, jobs, load) {
  const file = h('input', { type: 'file', id: 'set', accept: '.jsonl,.json' });
  const ready = Object.fromEntries(
    Object.entries(recipes).filter(([, recipe]) => !recipe.missing?.length),
  );
  const boxes = recipeOptions(ready).map(([name, label]) =>
    h(
      'label.choice',
      {},
      h('input', {
        type: 'checkbox',
        name: 'recipe',
        value: name,
        checked: [status.recipe, 'chunks'].includes(name),
      }),
      h('span', {}, label),
    ),
  );
  const budgets = h('input', {
    type: 'text',
    id: 'budgets',
    value: '500, 1000',
    inputmode: 'numeric',
  });
  const name = h('input', {
    type: 'text',
    id: 'run-name',
    value: now(),
    autocomplete: 'off',
    required: true,
  });
  const start = async (event) => {
    event.preventDefault();
    const chosen = [...event.target.querySelectorAll('[name=recipe]:checked')].map(
      (box) => box.value,
    );
    const sizes = budgets.value.split(/\D+/).filter(Boolean).map(Number);
    await measure(
      file.files[0],
      { name: name.value.trim(), recipes: chosen, budgets: sizes, chinese: spoken() === 'zh' },
      jobs,
      load,
    );
  };
  return h(
    'form.eval',
    { onsubmit: start },
    h('p.lead', {}, t('eval.welcome')),
    h(
      'label.field',
      { for: 'set' },
      h('span.label', {}, t('eval.set')),
      file,
      h('span.small', {}, rich(t('eval.set.help', MADE))),
    ),
    h('fieldset', {}, h('legend', {}, t('eval.recipes')), h('div.many', {}, boxes)),
    h('label.field', { for: 'budgets' }, h('span.label', {}, t('eval.budgets')), budgets),
    h('label.field', { for: 'run-name' }, h('span.label', {}, t('eval.name')), name),
    h('button.main', { type: 'submit' }, t('eval.start')),
  );
}

const now = () => new Date().toISOString().slice(0, 16).replace(/[-:]/g, '').replace('T', '-');

async function measure(file, wanted, jobs, load) {
  try {
    const questions = file ? lines(await file.text()) : null;
    const job = await call('eval', {
      body: { ...wanted, ...(questions ? { questions } : { make: MADE }) },
    });
    const result = await follow(job, t('job.eval', wanted.name), jobs, outcome);
    await load();
    if (result) go({ run: wanted.name });
  } catch (problem) {
    jobs.prepend(fault(problem));
  }
}

/** The questions of a file: one JSON object a line. */
function lines(content) {
  const rows = content
    .split('\n')
    .map((line, i) => [line.trim(), i + 1])
    .filter(([line]) => line);
  return rows.map(([line, number]) => {
    try {
      return JSON.parse(line);
    } catch (error) {
      throw new Problem(400, {
        code: 'bad_question_set',
        message: t('eval.line', number, error.message),
      });
    }
  });
}

/** What was measured, in a sentence each. */
const outcome = ({ name, comparisons }) => [
  h('h2', {}, name),
  comparisons.map(({ english, chinese }) =>
    h('p', {}, rich(spoken() === 'zh' ? chinese : english)),
  ),
];

/** One table per question set and budget, best first. */
function leaderboard(runs) {
  const boards = new Map();
  for (const { name: run, set, fingerprint, measure, cells } of runs) {
    for (const cell of cells) {
      const at = `${fingerprint}/${cell.budget}`;
      if (!boards.has(at)) boards.set(at, { set, budget: cell.budget, measure, places: [] });
      boards.get(at).places.push({ ...cell, run });
    }
  }
  return boards.size ? [...boards.values()].map(table) : h('p.welcome', {}, t('eval.none'));
}

function table({ set, budget, measure, places }) {
  const ordered = places.sort((a, b) => b.scores[measure] - a.scores[measure]);
  const title = t('eval.on', set, number(budget));
  const heads = [
    h('th.n', { scope: 'col' }, t('eval.rank')),
    h('th', { scope: 'col' }, t('recipe')),
    h('th', { scope: 'col' }, t('eval.run')),
    [...FIGURES, 'p50'].map((figure) => h('th.n', { scope: 'col' }, t(`eval.${figure}`))),
  ];
  return h(
    'div.scroll',
    { 'tabindex': '0', 'role': 'region', 'aria-label': title },
    h(
      'table',
      {},
      h('caption', {}, title),
      h('thead', {}, h('tr', {}, heads)),
      h('tbody', {}, ordered.map(row)),
    ),
  );
}

function row({ recipe, run, scores, latency_ms: latency }, i) {
  const open = h(
    'button.link',
    { 'aria-label': t('eval.report.of', run), 'onclick': () => go({ run }) },
    run,
  );
  const figures = FIGURES.map((figure) =>
    h('td.n', {}, scores[figure] == null ? '–' : number(scores[figure], 3)),
  );
  return h(
    'tr',
    {},
    h('td.n', {}, `${i + 1}`),
    h('td', {}, recipe),
    h('td', {}, open),
    figures,
    h('td.n', {}, number(latency.p50, 1)),
  );
}

/**
 * A report is a page of its own, shown in a frame that may run nothing. A frame sends no key, so where the server wants
 * one the report is handed over as a file.
 */
async function showReport(place, run) {
  const head = h('h2', { tabindex: '-1' }, t('eval.report.of', run));
  fill(
    place,
    h('div.bar', {}, head, h('button.quiet', { onclick: () => go({ run: '' }) }, t('close'))),
  );
  try {
    const { report: kept } = await call(`runs/${named(run)}`);
    if (state().run !== run) return;
    place.append(
      kept ? await report(`reports/${named(run)}`, run) : h('p.small', {}, t('eval.report.none')),
    );
    head.focus();
  } catch (problem) {
    place.append(fault(problem));
  }
}

async function report(path, run) {
  if (!key())
    return h('iframe.report', { sandbox: '', src: address(path), title: t('eval.report.of', run) });
  const page = await text(path, { accept: 'text/html' });
  return h(
    'p',
    {},
    h(
      'a',
      {
        href: URL.createObjectURL(new Blob([page], { type: 'text/html' })),
        download: `${run}.html`,
      },
      `${run}.html`,
    ),
  );
}
