/** What a person chose for this browser: language and theme. Without a choice, the browser's own. */

const THEMES = ['auto', 'light', 'dark'];

const kept = (name) => {
  try {
    return localStorage.getItem(`okno.${name}`);
  } catch {
    return null;
  }
};

const keep = (name, value) => {
  try {
    localStorage.setItem(`okno.${name}`, value);
  } catch {
    /* a browser without storage forgets, that is all */
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
