/** A conversation on the page: its turns before the current one, and what can be done with it. */

import { h, confirmed, menu } from './dom.js';
import { t } from './words.js';
import { setText, sources } from './answers.js';
import { exported } from './conversations.js';

/** How long a file that is downloaded keeps its address: until the browser has begun to read it. */
const DOWNLOAD_MS = 10_000;

/** The turns but the one that is shown, the latest first, each folded. */
export function earlier(turns, question) {
  const others = turns.filter((turn) => turn.question !== question).reverse();
  if (!others.length) return '';
  return h(
    'section.earlier',
    {},
    h('h2', {}, t('ask.earlier')),
    others.map((turn) => folded(turn)),
  );
}

function folded({ asked, question, carried, answer, citations, model }) {
  const body = h('div.answer.reading');
  setText(body, answer, citations);
  return h(
    'details.turn',
    {},
    h('summary', {}, asked),
    carried && h('p.small', {}, t('ask.carried', question)),
    body,
    model && h('p.small', {}, t('ask.by', model)),
    sources(citations),
  );
}

/** Which conversation, a new one, its name, its text, its end. `changed` is called where another is current. */
export function tools(kept, changed) {
  const [all, now] = [kept.list(), kept.current()];
  if (!all.length) return '';
  const options = [['', t('talk.new')], ...all.map(({ id, name }) => [id, name])];
  const choice = menu(t('talk'), options, {
    onchange: (event) => {
      kept.choose(event.target.value);
      changed();
    },
  });
  choice.control.value = now.id;
  const button = (key, onclick) => h('button.quiet', { onclick }, t(key));
  const begin = () => {
    kept.choose();
    changed();
    document.getElementById('question')?.focus();
  };
  const own = [
    button('talk.new', begin),
    button('talk.rename', () => rename(kept, choice)),
    button('talk.export', () => download(kept.current())),
    button('talk.delete', () => remove(kept, changed)),
  ];
  return h('div.talk', {}, choice, now.id && own);
}

async function rename(kept, choice) {
  const now = kept.current();
  const input = h('input', { id: 'name', value: now.name, required: true, maxlength: '60' });
  const body = h('label.field', { for: 'name' }, h('span.label', {}, t('talk.name')), input);
  const answer = await confirmed(t('talk.rename'), body, t('talk.save'), false);
  const name = input.value.trim();
  if (!answer || !name) return;
  kept.rename(name);
  const option = [...choice.control.options].find(({ value }) => value === now.id);
  option.textContent = name;
}

async function remove(kept, changed) {
  const [title, more] = [t('talk.delete.ask', kept.current().name), t('talk.delete.more')];
  if (!(await confirmed(title, h('p', {}, more), t('talk.delete')))) return;
  kept.remove();
  changed();
  document.getElementById('question')?.focus();
}

/** A conversation as a file of Markdown. */
function download(conversation) {
  const file = new Blob([exported(conversation, t)], { type: 'text/markdown' });
  const address = URL.createObjectURL(file);
  const name = conversation.name.replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ').trim() || 'okno';
  h('a', { href: address, download: `${name}.md` }).click();
  setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_MS);
}
