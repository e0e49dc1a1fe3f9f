/** What a person chose for this browser: language and theme – without a choice, the browser's own – and how to search. */

const THEMES = ['auto', 'light', 'dark'];

/** What is kept under a name, or null. */
export const kept = (name) => {
  try {
    return localStorage.getItem(`okno.${name}`);
  } catch {
    return null;
  }
};

/** Keeps a value under a name; `false` where the browser has no storage, or no room in it. */
export const keep = (name, value) => {
  try {
    localStorage.setItem(`okno.${name}`, value);
    return true;
  } catch {
    return false;
  }
};

/** `zh` or `en`: chosen, or the first of the browser's languages that is one of them. */
export function language() {
  const chosen = kept('language');
  if (chosen === 'zh' || chosen === 'en') return chosen;
  const first = (navigator.languages ?? [navigator.language]).find((tag) =>
    /^(zh|en)\b/i.test(tag),
  );
  return /^zh/i.test(first ?? '') ? 'zh' : 'en';
}

/** Chooses a language. */
export const chooseLanguage = (value) => keep('language', value);

/** `auto`, `light` or `dark`. */
export function theme() {
  const chosen = kept('theme');
  return THEMES.includes(chosen) ? chosen : 'auto';
}

/** The next theme, chosen and shown. */
export function nextTheme() {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  keep('theme', next);
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  return next;
}

/** Whether the advanced settings stand open. */
export const advancedOpen = () => kept('advanced') === 'open';

/** Remembers whether they do. */
export const keepAdvancedOpen = (open) => keep('advanced', open ? 'open' : '');

/** The settings that are remembered. */
const SETTINGS = ['recipe', 'expand', 'budget', 'model'];

/** Remembers how is searched. */
export const keepSettings = (now) =>
  keep('settings', JSON.stringify(SETTINGS.map((name) => now[name])));

/** How was searched the last time, as a part of a state: for an address that says nothing. */
export function keptSettings() {
  try {
    const values = JSON.parse(kept('settings') ?? '[]');
    return Object.fromEntries(SETTINGS.map((name, i) => [name, String(values[i] ?? '')]));
  } catch {
    return {};
  }
}
