/** What a query over rows gave, above the passages that it rests on. */

import { h } from './dom.js';
import { t, number } from './words.js';

/** Rows that are shown; a query may give a hundred. */
const SHOWN = 20;

/** The query, who wrote it, and its rows; nothing where there is none. */
export function computed(rows) {
  if (!rows) return '';
  const by = rows.by === 'model' ? t('rows.model') : t('rows.rule');
  const left = (rows.total ?? rows.rows.length) - SHOWN;
  return h(
    'section.computed',
    {},
    h('p.small', {}, by, ' ', h('code', {}, rows.sql)),
    h(
      'div.scroll',
      { 'tabindex': '0', 'role': 'region', 'aria-label': t('rows') },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            rows.columns.map((name) => h('th', { scope: 'col' }, name)),
          ),
        ),
        h('tbody', {}, rows.rows.slice(0, SHOWN).map(row)),
      ),
    ),
    left > 0 ? h('p.small', {}, t('rows.more', number(left))) : '',
    rows.missing ? h('p.small', {}, t('rows.missing', number(rows.missing))) : '',
  );
}

function row(cells) {
  return h(
    'tr',
    {},
    cells.map((cell) => h('td', {}, cell === null ? '' : String(cell))),
  );
}
