/** The page: a header, one view at a time, and the reader beside it. Everything follows the address. */

import { h, fill, confirmed } from './dom.js';
import { onKeyNeeded } from './api.js';
import { speak, spoken, t } from './words.js';
import { state, go, leads, link, onChange } from './state.js';
import { facts } from './facts.js';
import { language, chooseLanguage, keptSettings, theme, nextTheme } from './preferences.js';
import { listen, help } from './keys.js';
import { reader } from './reader.js';
import { search } from './search.js';
import { ask } from './ask.js';
import { compare } from './compare.js';
import { documents } from './documents.js';
import { evaluate } from './evaluate.js';

const VIEWS = { search, ask, compare, documents, evaluate };

const main = document.getElementById('main');
const document_ = reader(document.getElementById('reader'));
let view = null;
let shown = '';

function follow(now) {
  const name = VIEWS[now.view] ? now.view : 'search';
  const wanted = `${name}/${spoken()}/${now.index}`;
  if (wanted !== shown) {
    view?.leave?.();
    shown = wanted;
    view = VIEWS[name](main);
    header(name);
    document.title = `${t(`view.${name}`)} – ${t('name')}`;
    if (!matchMedia('(pointer: coarse)').matches && !now.doc)
      document.querySelector('input.question')?.focus({ preventScroll: true });
  }
  view.update(now);
  document_.update(now);
}

function header(current) {
  const tab = (name) =>
    h(
      'a',
      {
        ...leads({ view: name, doc: '', at: '' }),
        'aria-current': name === current ? 'page' : null,
      },
      t(`view.${name}`),
    );
  const other = spoken() === 'zh' ? 'en' : 'zh';
  const themed = h(
    'button.quiet',
    {
      'title': t('theme', t(`theme.${theme()}`)),
      'aria-label': t('theme', t(`theme.${theme()}`)),
      'onclick': () => {
        nextTheme();
        header(current);
        document.getElementById('theme').focus();
      },
      'id': 'theme',
    },
    { auto: '◐', light: '○', dark: '●' }[theme()],
  );
  const indexes = h('span');
  fill(
    document.getElementById('header'),
    h(
      'a.brand',
      { 'href': '/', 'aria-label': t('name') },
      h('img', { src: 'okno.svg', alt: '', width: 24, height: 24 }),
      h('span', {}, 'okno'),
    ),
    h('nav', { 'aria-label': t('views') }, Object.keys(VIEWS).map(tab)),
    h(
      'div.tools',
      {},
      indexes,
      h(
        'button.quiet',
        { 'lang': other, 'aria-label': t('language.switch'), 'onclick': () => turn(other) },
        t('language'),
      ),
      themed,
      h('button.quiet', { 'aria-label': t('keys'), 'title': t('keys'), 'onclick': help }, '?'),
    ),
  );
  offerIndexes(indexes);
}

/** A switch, where there is more than one index. */
async function offerIndexes(place) {
  const { indexes: names } = await facts().catch(() => ({ indexes: [] }));
  if (names.length < 2) return;
  const select = h(
    'select',
    {
      'aria-label': t('index'),
      'onchange': () => go({ index: select.value, doc: '', at: '', filter: [], run: '' }),
    },
    names.map((name) => h('option', { value: name }, name)),
  );
  select.value = state().index || names[0];
  fill(place, select);
}

function turn(to) {
  chooseLanguage(to);
  document_.forget();
  begin();
}

/** Asks for the key of the server; nothing when the person would rather not. */
async function askForKey() {
  const input = h('input', { type: 'password', id: 'key', autocomplete: 'off', required: true });
  const body = [
    h('p', {}, t('key.more')),
    h('label.field', { for: 'key' }, h('span.label', {}, t('key.label')), input),
  ];
  return (await confirmed(t('key.title'), body, t('key.use'), false)) ? input.value.trim() : null;
}

function begin() {
  speak(language());
  document.documentElement.lang = spoken() === 'zh' ? 'zh-Hans' : 'en';
  document.getElementById('skip').textContent = t('skip');
  follow(state());
}

onKeyNeeded(askForKey);
// An address that says nothing begins as it was left; one that was sent says all.
if (!location.search) history.replaceState(null, '', link(keptSettings()));
onChange(follow);
listen();
begin();
