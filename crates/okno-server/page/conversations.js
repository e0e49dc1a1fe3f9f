/**
 * Conversations: the turns of Ask, kept in this browser and nowhere else.
 *
 * A conversation is `{id, index, name, turns}`, a turn `{asked, question, carried, answer, citations,
 * model}`. They are
 * bounded in number and length, and where the browser has no room the oldest go.
 */

import { keep, kept } from './preferences.js';
import { place } from './passage.js';

/** Conversations that are kept, of all indexes together. */
const KEPT = 30;

/** Turns that a conversation keeps. */
const TURNS = 50;

/** Letters of a name. */
const NAME = 60;

const isTurn = (turn) => typeof turn?.question === 'string' && Array.isArray(turn.citations);

/** What is stored, the latest first; what cannot be read counts as nothing. */
function load() {
  try {
    const all = JSON.parse(kept('conversations') ?? '[]');
    return all.filter(({ id, turns }) => id && Array.isArray(turns) && turns.every(isTurn));
  } catch {
    return [];
  }
}

function save(all) {
  const some = all.slice(0, KEPT);
  while (some.length && !keep('conversations', JSON.stringify(some))) some.pop();
  if (!some.length) keep('conversations', '[]');
}

/** The conversations about an index, one of which is current. Its changes are stored at once. */
export function conversations(index) {
  const chosen = `conversation.${index}`;
  const list = () => load().filter((one) => one.index === index);
  const current = () =>
    list().find(({ id }) => id === kept(chosen)) ?? { id: '', index, name: '', turns: [] };
  const store = (one) => save([one, ...load().filter(({ id }) => id !== one.id)]);

  return {
    list,
    current,
    /** Makes another the current one; none begins a new one. */
    choose: (id = '') => keep(chosen, id),
    /** Adds a turn, in place of the one with the same question where there is one. */
    put(turn) {
      const one = current();
      const at = one.turns.findIndex(({ question }) => question === turn.question);
      const turns = at < 0 ? [...one.turns, turn] : one.turns.with(at, turn);
      const id = one.id || `${Date.now()}-${Math.random().toString(36).slice(2)}`;
      const name = one.name || [...turn.asked].slice(0, NAME).join('');
      store({ id, index, name, turns: turns.slice(-TURNS) });
      keep(chosen, id);
    },
    /** Takes a turn out. */
    drop(question) {
      const one = current();
      if (one.id) store({ ...one, turns: one.turns.filter((turn) => turn.question !== question) });
    },
    rename: (name) => store({ ...current(), name }),
    /** Deletes the current one. */
    remove() {
      const { id } = current();
      save(load().filter((one) => one.id !== id));
      keep(chosen, '');
    },
  };
}

/** A conversation as Markdown: questions as headings, answers, and below each the places it cites. */
export function exported({ name, turns }, words) {
  const parts = turns.map(({ asked, question, carried, answer, citations, model }) => {
    const lines = [`## ${asked}`];
    if (carried) lines.push(`*${words('ask.carried', question)}*`);
    lines.push(answer.trim());
    if (model) lines.push(`*${words('ask.by', model)}*`);
    const places = new Map(citations.map((one) => [`${one.number}:${one.start}`, one]));
    const sources = [...places.values()].sort((a, b) => a.number - b.number || a.start - b.start);
    if (sources.length) lines.push(sources.map(source).join('\n'));
    return lines.join('\n\n');
  });
  return `${[`# ${name}`, ...parts].join('\n\n')}\n`;
}

const source = (citation) =>
  `- [${citation.number}] ${place(citation)} [${citation.start}–${citation.end}]`;
