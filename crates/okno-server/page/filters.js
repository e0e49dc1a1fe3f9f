/**
 * Filters: offered from the index's own fields and values, kept in the address, shown as chips.
 *
 * Each chip is one condition in the filter language. Values of one field are alternatives, fields narrow each other.
 */

import { h } from './dom.js';
import { t } from './words.js';
import { state, go } from './state.js';
import { equals, quoted } from './conditions.js';

/** Values of a field shown before the rest is asked for. */
const VALUES_SHOWN = 5;

/** Fields that every file has and nobody asks by: they come last. */
const COMMON = [
  'type',
  'language',
  'modified',
  'created',
  'size',
  'file',
  'path',
  'title',
  'pages',
];

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
        {
          'type': 'button',
          'aria-label': t('filters.remove', text),
          'onclick': () => away(remove),
        },
        '×',
      ),
    );
  const row = now.filter.map((text) => chip(text, '', () => toggle(text)));
  if (understood?.filter)
    row.push(chip(understood.filter, t('filters.read'), () => go({ literal: '1' })));
  if (now.literal) {
    row.push(
      h(
        'span.chip',
        {},
        h('span.note', {}, t('filters.literal')),
        h(
          'button.x',
          {
            'type': 'button',
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
      h(
        'button.link',
        { type: 'button', onclick: () => toggle(filter) },
        h('code', {}, filter),
        '?',
      ),
    ),
  );
}

/** The panel that offers what the index has. */
export function panel(fields) {
  const wide = matchMedia('(min-width: 68rem)').matches;
  const body = h('div.fields', {}, offered(fields).map(group), ownFilter());
  return {
    element: h('details.filters', { open: wide }, h('summary', {}, t('filters')), body),
    update: (now) => follow(body, now.filter),
  };
}

/** Brings boxes and fields in step with the address; they stay where they are, and so does the focus. */
function follow(body, filter) {
  for (const box of body.querySelectorAll('[data-condition]')) {
    box.checked = filter.includes(box.dataset.condition);
    if (box.checked) box.closest('details.rest')?.setAttribute('open', '');
  }
  for (const input of body.querySelectorAll('[data-begins]')) {
    const given = filter.find((text) => text.startsWith(input.dataset.begins));
    if (input !== document.activeElement)
      input.value = given ? given.slice(input.dataset.begins.length).replaceAll('"', '') : '';
  }
}

/** Fields worth offering, the index's own first. */
function offered(fields) {
  const varied = ({ values, range }) => values.length > 1 || (range && range[0] < range[1]);
  const useful = fields.filter(
    (field) => field.kind === 'date' || (field.kind !== 'prose' && varied(field)),
  );
  return useful.sort(
    (a, b) => COMMON.indexOf(a.name) - COMMON.indexOf(b.name) || a.name.localeCompare(b.name),
  );
}

function group(field) {
  const content =
    field.kind === 'number' || field.kind === 'date'
      ? range(field)
      : choices(field.name, field.kind === 'truth' ? ['true', 'false'] : field.values);
  return h('fieldset', {}, h('legend', {}, field.name), content);
}

function choices(name, all) {
  const box = (value) => {
    const condition = equals(name, value);
    return h(
      'label.choice',
      {},
      h('input', {
        'type': 'checkbox',
        'data-condition': condition,
        'onchange': () => toggle(condition),
      }),
      h('span', {}, value),
    );
  };
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
        'aria-label': `${name} ${t(label)}`,
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
