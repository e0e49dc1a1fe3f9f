/**
 * The state of the page is its address: what can be seen can be sent, kept and gone back to.
 *
 * In comes a patch of names and values, out goes a new address and one call to whoever listens.
 */

const LISTS = ['filter', 'help'];
const listeners = [];

/** The state that the address says. Every name is there, empty where the address does not have it. */
export function state() {
  const params = new URLSearchParams(location.search);
  const one = (name) => params.get(name) ?? '';
  return {
    view: one('view') || 'search',
    q: one('q'),
    index: one('index'),
    recipe: one('recipe'),
    expand: one('expand'),
    budget: one('budget'),
    model: one('model'),
    literal: one('literal'),
    left: one('left'),
    right: one('right'),
    doc: one('doc'),
    at: one('at'),
    run: one('run'),
    find: one('find'),
    filter: params.getAll('filter'),
    help: params.getAll('help'),
  };
}

/** The address of the current state with some of it changed. */
export function link(patch) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...state(), ...patch })) {
    if (LISTS.includes(name)) value.forEach((item) => params.append(name, item));
    else if (value && !(name === 'view' && value === 'search')) params.set(name, value);
  }
  const query = params.toString();
  return query ? `?${query}` : location.pathname;
}

/** Changes the state. `replace` for what nobody wants to step back through: letters typed, a slider moved. */
export function go(patch, { replace = false } = {}) {
  const address = link(patch);
  const here = location.search || location.pathname;
  if (address !== here) history[replace ? 'replaceState' : 'pushState'](null, '', address);
  changed();
}

/** What makes an element a link to a part of the state; with a key held it opens elsewhere, as any link does. */
export const leads = (patch) => ({
  href: link(patch),
  onclick: (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(patch);
  },
});

/** Calls back after each change, those by the back button too. */
export function onChange(listener) {
  listeners.push(listener);
}

function changed() {
  const now = state();
  listeners.forEach((listener) => listener(now));
}

addEventListener('popstate', changed);
