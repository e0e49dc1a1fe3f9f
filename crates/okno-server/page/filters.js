/**
 * Filters: offered from the index's own fields and values, kept in the address, shown as chips.
 *
 * Each chip is one condition in the filter language. Values of one field are alternatives, fields narrow each other.
 */

import { h, fill } from './dom.js';
import { call } from './api.js';
import { t, known } from './words.js';
import { state, go } from './state.js';
import { below, equals, quoted } from './conditions.js';

/** Values of a field shown before the rest is asked for. */
const VALUES_SHOWN = 5;

/** Fields that are offered first, in this order. */
const FIRST = ['type', 'language', 'date'];

/** Fields that every file has and few people ask by: they come last, folded. */
const TECHNICAL = ['modified', 'created', 'created_by', 'size', 'file', 'path', 'title', 'pages'];

/** Own fields shown before the rest is folded. */
const OWN_SHOWN = 6;

/** Documents that are looked at for their folders. */
const FOLDER_DOCUMENTS = 1000;

/** Adds a condition, or takes it away when it is there. */
export function toggle(condition) {
  const { filter } = state();
  const there = filter.includes(condition);
  go({ filter: there ? filter.filter((other) => other !== condition) : [...filter, condition] });
}

/** The chips of what is filtered, and of what was read from the question. */
export function chips(understood, now = state()) {
  const chip = (text, note, remove) =>
    h(
      'span.chip',
      {},
      h('code', {}, text),
      note && h('span.note', {}, note),
      h(
        'button.x',
        { 'aria-label': t('filters.remove', text), 'onclick': () => away(remove) },
        '×',
      ),
    );
  const row = now.filter.map((text) => chip(text, '', () => toggle(text)));
  if (understood?.filter)
    row.push(chip(understood.filter, t('filters.read'), () => go({ literal: '1' })));
  for (const { written, read } of understood?.spelled ?? []) {
    const quoted = () => go({ q: now.q.replaceAll(written, `"${written}"`) });
    row.push(chip(read, t('filters.spelled', written), quoted));
  }
  if (now.literal) {
    row.push(
      h(
        'span.chip',
        {},
        h('span.note', {}, t('filters.literal')),
        h(
          'button.x',
          {
            'aria-label': t('filters.literal.off'),
            'onclick': () => away(() => go({ literal: '' })),
          },
          '×',
        ),
      ),
    );
  }
  return h('div.chips', {}, row, offers(understood));
}

/** Takes a chip away; the focus goes to the results, for its button is gone. */
function away(remove) {
  remove();
  document.getElementById('main').focus({ preventScroll: true });
}

/** What the question might have meant, one click away. */
function offers(understood) {
  if (understood?.withdrawn) {
    const texts = understood.offered.map((reading) => reading.filter).filter(Boolean);
    return h('span.small', {}, t('filters.withdrawn', texts.join(', ')));
  }
  const meant = (understood?.offered ?? [])
    .filter((reading) => reading.filter && reading.why !== 'negated')
    .slice(0, 2);
  if (!meant.length) return '';
  return h(
    'span.small.offers',
    {},
    t('filters.offer'),
    ' ',
    meant.map(({ filter }) =>
      h('button.link', { onclick: () => toggle(filter) }, h('code', {}, filter), '?'),
    ),
  );
}

/** The panel that offers what the index has: each field is folded until it is wanted. */
export function panel(fields) {
  const wide = matchMedia('(min-width: 68rem)').matches;
  const { first, own, technical } = offered(fields);
  const others = [...own.slice(OWN_SHOWN), ...technical];
  const body = h(
    'div.fields',
    {},
    folders(),
    [...first, ...own.slice(0, OWN_SHOWN)].map(group),
    h(
      'details.group.others',
      {},
      h('summary', {}, t('filters.others')),
      others.map(group),
      ownFilter(),
    ),
  );
  return {
    element: h('details.filters', { open: wide }, h('summary', {}, t('filters')), body),
    update: (now) => follow(body, now.filter),
  };
}

/** The folders of the documents, asked for when they are wanted. */
function folders() {
  const list = h('div');
  let asked = false;
  const load = async () => {
    if (asked) return;
    asked = true;
    try {
      const { documents } = await call('documents', { query: { limit: FOLDER_DOCUMENTS } });
      const names = new Set(documents.map(folderOf).filter(Boolean));
      const boxes = choices([...names].sort(), below);
      fill(list, names.size ? boxes : h('p.small', {}, t('filters.none')));
      follow(list, state().filter);
    } catch (problem) {
      asked = false;
      fill(list, h('p.small', {}, problem.message));
    }
  };
  const given = state().filter.some((text) => text.startsWith(FOLDER));
  if (given) load();
  return h(
    'details.group',
    { open: given, ontoggle: load },
    h('summary', {}, t('field.folder')),
    list,
  );
}

/** How a condition about a folder begins. */
const FOLDER = 'path starts with ';

const folderOf = ({ doc_id: name, metadata }) => {
  const path = String(metadata?.path ?? name);
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
};

/** Brings boxes and fields in step with the address; they stay where they are, and so does the focus. */
function follow(body, filter) {
  for (const box of body.querySelectorAll('[data-condition]')) {
    box.checked = filter.includes(box.dataset.condition);
    if (box.checked) unfold(box);
  }
  for (const input of body.querySelectorAll('[data-begins]')) {
    const given = filter.find((text) => text.startsWith(input.dataset.begins));
    if (input !== document.activeElement)
      input.value = given ? given.slice(input.dataset.begins.length).replaceAll('"', '') : '';
    if (given) unfold(input);
  }
}

/** What is chosen can be seen. */
function unfold(element) {
  for (let at = element.parentElement; at && !at.matches('.fields'); at = at.parentElement)
    if (at.matches('details')) at.open = true;
}

/** Fields worth offering: what everybody asks by, people's own, and what is technical. */
function offered(fields) {
  const varied = ({ values, range }) => values.length > 1 || (range && range[0] < range[1]);
  const useful = fields.filter(
    (field) => field.kind === 'date' || (field.kind !== 'prose' && varied(field)),
  );
  const dated = useful.some(({ name }) => name === 'date');
  const early = dated ? FIRST : [...FIRST, 'modified'];
  const technical = TECHNICAL.filter((name) => !early.includes(name));
  const ordered = (names) => names.flatMap((name) => useful.filter((one) => one.name === name));
  const own = useful.filter(({ name }) => !early.includes(name) && !technical.includes(name));
  own.sort((a, b) => a.name.localeCompare(b.name));
  return { first: ordered(early), own, technical: ordered(technical) };
}

/** What a field is called: those that every file has by a word of ours. */
const fieldName = (name) => (known(`field.${name}`) ? t(`field.${name}`) : name);

function group(field) {
  const content =
    field.kind === 'number' || field.kind === 'date'
      ? range(field)
      : choices(field.kind === 'truth' ? ['true', 'false'] : field.values, (value) =>
          equals(field.name, value),
        );
  return h('details.group', {}, h('summary', {}, fieldName(field.name)), content);
}

/** A box for each value; `condition` says what it means. */
function choices(all, condition) {
  const box = (value) =>
    h(
      'label.choice',
      {},
      h('input', {
        'type': 'checkbox',
        'data-condition': condition(value),
        'onchange': () => toggle(condition(value)),
      }),
      h('span', {}, value),
    );
  const first = all.slice(0, VALUES_SHOWN).map(box);
  const rest = all.slice(VALUES_SHOWN);
  if (!rest.length) return first;
  return [
    first,
    h('details.rest', {}, h('summary', {}, t('filters.more', rest.length)), rest.map(box)),
  ];
}

/** From and to, for numbers and days. */
function range({ name, kind, range: known }) {
  const type = kind === 'date' ? 'date' : 'number';
  const input = (sign, label, at) => {
    const begins = `${quoted(name)} ${sign} `;
    return h(
      'label',
      {},
      h('span.small', {}, t(label)),
      h('input', {
        type,
        'data-begins': begins,
        'placeholder': known && type === 'number' ? String(known[at]) : '',
        'aria-label': `${fieldName(name)} ${t(label)}`,
        'step': 'any',
        'onchange': (event) =>
          go({
            filter: [
              ...state().filter.filter((text) => !text.startsWith(begins)),
              ...(event.target.value ? [begins + event.target.value] : []),
            ],
          }),
      }),
    );
  };
  return h(`div.range.${type}`, {}, input('>=', 'filters.from', 0), input('<=', 'filters.to', 1));
}

/** For those who know the filter language. */
function ownFilter() {
  const input = h('input', {
    'type': 'text',
    'aria-label': t('filters.own'),
    'placeholder': t('filters.own.hint'),
    'autocomplete': 'off',
    'spellcheck': 'false',
  });
  return h(
    'form.own',
    {
      onsubmit: (event) => {
        event.preventDefault();
        if (input.value.trim()) toggle(input.value.trim());
      },
    },
    input,
    h('button.quiet', { type: 'submit' }, t('filters.add')),
  );
}
