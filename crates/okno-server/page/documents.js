/** Documents: what the index holds, files dragged in, what was skipped and why, and taking one out. */

import { h, fill, confirmed, toast, announce, debounced } from './dom.js';
import { call, named } from './api.js';
import { t, number, bytes, spoken } from './words.js';
import { state, go, leads } from './state.js';
import { stale } from './facts.js';
import { apart, batches, chosen, filesOf } from './dropping.js';
import { follow, resume } from './jobs.js';
import { fault, sentence } from './controls.js';

/** Rows shown at first, and added by each press of the button. */
const ROWS = 100;

/** The most that is asked for at once. */
const PAGE = 1000;

/** Puts the view into `root`; gives back what follows the address. */
export function documents(root) {
  const jobs = h('div.jobs');
  const list = h('div');
  const find = h('input', {
    'type': 'search',
    'id': 'question',
    'aria-label': t('documents.find'),
    'placeholder': t('documents.find'),
    'autocomplete': 'off',
    'value': state().find,
    'oninput': debounced(() => go({ find: find.value }, { replace: true }), 80),
  });
  fill(
    root,
    h('h1.unseen', {}, t('view.documents')),
    dropZone((files) => upload(files, jobs, load)),
    jobs,
    h(
      'div.tools',
      {},
      find,
      again(jobs, () => load()),
    ),
    list,
  );
  let all = null;
  let shown = '';
  let index = null;

  async function load() {
    try {
      all = await everything();
      paint();
    } catch (problem) {
      fill(list, fault(problem, load));
    }
  }

  function changed() {
    stale();
    load();
  }

  function paint() {
    const words = state().find.toLowerCase();
    const found = all.filter((row) => `${row.doc_id} ${row.title}`.toLowerCase().includes(words));
    fill(
      list,
      found.length
        ? table(found, load)
        : h('p.welcome', {}, t(all.length ? 'documents.nomatch' : 'documents.none')),
    );
    announce(counted(found.length));
  }

  function update(now) {
    const wanted = now.find;
    if (index !== now.index) {
      index = now.index;
      load();
      resume('index', jobs, () => t('job.index'), outcome, changed);
    } else if (wanted !== shown && all) paint();
    shown = wanted;
  }

  return { update };
}

/** Every document of the index, page by page where the server gives pages. */
async function everything() {
  const rows = [];
  for (;;) {
    const part = await call('documents', { query: { offset: rows.length, limit: PAGE } });
    rows.push(...part.documents);
    if (!part.documents.length || rows.length >= part.total) return rows;
  }
}

const counted = (count) =>
  count === 1 ? t('documents.count.one') : t('documents.count', number(count));

function table(rows, load) {
  const heads = [
    ['name', ''],
    ['kind', ''],
    ['sentences', 'n'],
    ['size', 'n'],
  ].map(([name, kind]) => h(kind ? `th.${kind}` : 'th', { scope: 'col' }, t(`documents.${name}`)));
  const body = h('tbody');
  const more = h('button', { onclick: () => add() }, '');
  const add = () => {
    body.append(
      ...rows
        .slice(body.children.length, body.children.length + ROWS)
        .map((row) => line(row, load)),
    );
    const left = rows.length - body.children.length;
    more.textContent = t('documents.more', number(Math.min(left, ROWS)));
    more.hidden = left <= 0;
  };
  add();
  return [
    h('p.small', {}, counted(rows.length)),
    h('table.documents', {}, h('thead', {}, h('tr', {}, heads, h('td'))), body),
    more,
  ];
}

function line(row, load) {
  const name = h('a', leads({ doc: row.doc_id, at: '' }), row.title || row.doc_id);
  return h(
    'tr',
    {},
    h('td', {}, name, h('span.where', {}, row.doc_id)),
    h('td', {}, row.metadata?.type ?? ''),
    h('td.n', {}, number(row.sentences)),
    h('td.n', {}, bytes(row.bytes)),
    h(
      'td',
      {},
      h(
        'button.quiet',
        {
          'aria-label': t('documents.delete.name', row.doc_id),
          'onclick': () => remove(row.doc_id, load),
        },
        t('documents.delete'),
      ),
    ),
  );
}

async function remove(name, load) {
  const [title, more] = [t('documents.delete.ask', name), t('documents.delete.more')];
  if (!(await confirmed(title, h('p', {}, more), t('documents.delete')))) return;
  try {
    await call(`documents/${named(name)}`, { method: 'DELETE' });
    stale();
    toast(t('documents.deleted', name));
    if (state().doc === name) go({ doc: '', at: '' });
    await load();
    document.getElementById('question')?.focus();
  } catch (problem) {
    toast(sentence(problem), 'fault');
  }
}

function dropZone(take) {
  const chooser = (id, label, props) => {
    const input = h('input.unseen', {
      type: 'file',
      id,
      multiple: true,
      ...props,
      onchange: () => {
        take(chosen(input.files));
        input.value = '';
      },
    });
    return [input, h('label.button', { for: id }, t(label))];
  };
  const zone = h(
    'div.drop',
    {
      ondragover: (event) => {
        event.preventDefault();
        zone.classList.add('over');
      },
      ondragleave: () => zone.classList.remove('over'),
      ondrop: async (event) => {
        event.preventDefault();
        zone.classList.remove('over');
        take(await dropped(event.dataTransfer));
      },
    },
    t('documents.drop'),
    ' ',
    chooser('files', 'documents.choose', {}),
    ' ',
    chooser('folder', 'documents.choose.folder', { webkitdirectory: true }),
  );
  return zone;
}

/** What was dropped, folders with all that is in them. Entries must be asked for at once: the drop is over when anybody waits. */
function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  return entries.length ? filesOf(entries) : chosen(transfer.files);
}

async function upload(files, jobs, load) {
  for (const batch of batches(apart(files))) await send(batch, jobs);
  if (!files.length) return;
  stale();
  await load();
}

async function send(files, jobs) {
  const form = new FormData();
  files.forEach(({ name, file }) => form.append('files', file, name));
  const sending = h('p.busy', {}, t('job.upload', files.length));
  jobs.prepend(sending);
  try {
    const answer = await call('documents', { body: form });
    sending.remove();
    await follow(answer.job, t('job.index'), jobs, outcome);
  } catch (problem) {
    sending.remove();
    jobs.prepend(fault(problem));
  }
}

function again(jobs, load) {
  return h(
    'button.quiet',
    {
      onclick: async () => {
        try {
          const job = await call('jobs/index', { body: {} });
          await follow(job, t('job.index'), jobs, outcome);
          stale();
          await load();
        } catch (problem) {
          jobs.prepend(fault(problem));
        }
      },
    },
    t('documents.again'),
  );
}

/** What an index job came to, with every skipped file and its reason. */
function outcome({ added = 0, changed = 0, unchanged = 0, skipped = [] }) {
  const reasons = skipped.map(({ place, reason, chinese }) =>
    h('li', {}, h('b', {}, place), ' – ', (spoken() === 'zh' && chinese) || reason),
  );
  const next =
    added || changed
      ? h('button.link', { onclick: () => go({ view: 'search' }) }, t('job.next'))
      : '';
  return [
    h('p', {}, t('job.done', added, changed, unchanged, skipped.length), ' ', next),
    reasons.length
      ? h('details', { open: true }, h('summary', {}, t('job.skipped')), h('ul', {}, reasons))
      : '',
  ];
}
