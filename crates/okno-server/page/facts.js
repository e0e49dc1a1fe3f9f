/** What the index is: its status, its recipes, its fields, and the language model where there is one. Asked once per index, and again after it has changed. */

import { call } from './api.js';
import { state } from './state.js';
import { t, known } from './words.js';

let kept = null;

/** `{status, indexes, recipes, fields, model, models}` of the index that is looked at; `indexes` are the names of all, `models` those that may be picked. */
export async function facts() {
  const { index } = state();
  if (kept?.index !== index) kept = { index, found: ask() };
  const mine = kept;
  try {
    return await mine.found;
  } catch (fault) {
    if (kept === mine) kept = null;
    throw fault;
  }
}

/** Forgets them: the index has changed. */
export function stale() {
  kept = null;
}

async function ask() {
  const [{ indexes }, recipes, { fields }, { generator, generators }] = await Promise.all(
    ['status', 'recipes', 'fields', 'models'].map((path) => call(path)),
  );
  const { index } = state();
  return {
    status: indexes.find(({ name }) => name === index) ?? indexes[0],
    indexes: indexes.map(({ name }) => name),
    recipes,
    fields,
    model: generator,
    models: generators,
  };
}

/** What a recipe is called. */
export const recipeName = (name) => (known(`recipe.${name}`) ? t(`recipe.${name}`) : name);

/** The recipes as options of a menu; those that lack their units say which. */
export function recipeOptions(recipes) {
  return Object.entries(recipes).map(([name, { missing }]) => {
    const label = recipeName(name);
    return [name, missing?.length ? t('recipe.missing', label, missing.join(', ')) : label];
  });
}
