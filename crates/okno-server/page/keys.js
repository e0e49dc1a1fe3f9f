/** The keyboard: every view can be used without a pointer, and `?` says how. */

import { h, dialog } from './dom.js';
import { t } from './words.js';
import { state, go } from './state.js';
import { stepWindow } from './controls.js';

const VIEWS = ['search', 'ask', 'compare', 'documents', 'evaluate'];
const HELP = ['/', 'j', 'k', 'Enter', 'w', '[ ]', '1 … 5', '← →', 'Esc', '?'];

/** Shows what the keys do. */
export function help() {
  const rows = HELP.map((name) => [
    h(
      'dt',
      {},
      name.split(' ').map((part) => (part === '…' ? ' … ' : h('kbd', {}, part))),
    ),
    h('dd', {}, t(`keys.${name}`)),
  ]);
  return dialog(t('keys'), h('dl.keys', {}, rows), h('button.main', { value: '' }, t('close')));
}

/** Moves among the passages. */
function move(by) {
  const all = [...document.querySelectorAll('#main article.context')].filter(
    (article) => article.offsetParent,
  );
  const at = all.indexOf(document.activeElement?.closest('article.context'));
  const next = all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

const tell = (name) =>
  document.activeElement?.closest('article.context')?.dispatchEvent(new Event(name));

function focusQuestion() {
  const field = document.getElementById('question');
  field?.focus();
  field?.select();
}

const ACTIONS = {
  '/': focusQuestion,
  '?': help,
  'j': () => move(1),
  'k': () => move(-1),
  'w': () => tell('why'),
  '[': () => stepWindow(-1),
  ']': () => stepWindow(1),
};

/** Listens to the keyboard. */
export function listen() {
  addEventListener('keydown', (event) => {
    if (
      event.metaKey ||
      event.ctrlKey ||
      event.altKey ||
      event.isComposing ||
      document.querySelector('dialog[open]')
    )
      return;
    const typing = event.target.matches(
      'input:not([type=range]):not([type=checkbox]), select, textarea',
    );
    if (event.key === 'Escape') return leave(event, typing);
    if (typing) return;
    if (event.key === 'Enter' && event.target.matches('article.context')) tell('open');
    else if (event.key >= '1' && event.key <= '5')
      go({ view: VIEWS[event.key - 1], doc: '', at: '' });
    else if (ACTIONS[event.key]) ACTIONS[event.key]();
    else return;
    event.preventDefault();
  });
}

/** Escape closes the document, or leaves the field for the results. */
function leave(event, typing) {
  if (state().doc) go({ doc: '', at: '' });
  else if (typing) event.target.blur();
  else return;
  event.preventDefault();
}
