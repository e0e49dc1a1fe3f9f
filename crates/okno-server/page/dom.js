/**
 * Building the page: the only place that creates elements.
 *
 * Text goes in as text nodes, never as markup, so nothing a document says can become part of the page.
 */

import { t } from './words.js';

/** `h('p.note', {title: 'x', onclick: f}, 'text', child, …)`; false, null and undefined children are left out. A button with an `onclick` sends no form. */
export function h(kind, props = {}, ...children) {
  const [tag, ...classes] = kind.split('.');
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(' ');
  if (tag === 'button' && props.onclick) element.type = tag;
  for (const [name, value] of Object.entries(props)) set(element, name, value);
  fill(element, children);
  return element;
}

function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
  else if (name in element && typeof value !== 'string') element[name] = value;
  else if (name === 'value') element.value = value;
  else element.setAttribute(name, value === true ? '' : value);
}

/** Puts these children in place of what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== false && child != null),
  );
}

/** Words with what stands in backticks as code. */
export const rich = (text) =>
  text.split('`').map((part, i) => (i % 2 ? h('code', {}, part) : part));

/** A menu of `[value, label]`s; its `control` is the element with the value. */
export function menu(label, options, props = {}) {
  const select = h(
    'select',
    { 'aria-label': label, ...props },
    options.map(([value, text]) => h('option', { value }, text)),
  );
  return h('label.field', {}, h('span.label', {}, label), select);
}

/** Says something to those who listen instead of look. */
export function announce(text) {
  document.getElementById('status').textContent = text;
}

/** How long a message stays: long enough to read two lines twice. */
const TOAST_MS = 6000;

/** A message at the edge of the page that goes away by itself. */
export function toast(text, kind = 'note') {
  const element = h(`div.toast.${kind}`, {}, rich(text));
  document.getElementById('toasts').append(element);
  setTimeout(() => element.remove(), TOAST_MS);
}

/** A modal dialog; the promise gives what it was closed with, and the focus goes back to where it was. */
export function dialog(title, body, buttons) {
  const before = document.activeElement;
  const box = h('dialog.dialog', { 'aria-labelledby': 'dialog-title' });
  const form = h(
    'form',
    { method: 'dialog' },
    h('h2', { id: 'dialog-title' }, title),
    body,
    h('div.buttons', {}, buttons),
  );
  box.append(form);
  document.body.append(box);
  box.showModal();
  return new Promise((resolve) => {
    box.addEventListener('close', () => {
      box.remove();
      before?.focus?.();
      resolve(box.returnValue);
    });
  });
}

/** Whether a dialog was answered with `yes`. Where nothing is to be typed, `cancel` has the focus. */
export async function confirmed(title, body, yes, cancelFirst = true) {
  const cancel = { value: '', formnovalidate: true, autofocus: cancelFirst };
  const buttons = [h('button.main', { value: 'yes' }, yes), h('button', cancel, t('cancel'))];
  return (await dialog(title, body, buttons)) === 'yes';
}

/** Waits until nobody called for a while. */
export function debounced(work, ms) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), ms);
  };
}
