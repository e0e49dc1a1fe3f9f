/** An answer as it is shown: its text with chips where it cites, and the places that are cited. */

import { h, fill } from './dom.js';
import { t } from './words.js';
import { leads } from './state.js';
import { opened, place } from './passage.js';
import { script, units } from './spans.js';
import { oneLine } from './rendered.js';

/** Text with a chip where it cites. Each citation has its own place in the text and in its document; while the answer still comes (`null`), chips lead nowhere yet. */
export function setText(body, text, citations) {
  body.lang = script(text);
  const at = new Map(
    units(
      text,
      (citations ?? []).map((citation) => citation.at),
    ).map((unit, i) => [unit, citations[i]]),
  );
  const shown = [];
  let offset = 0;
  for (const part of text.split(/(\n{2,}|\n(?=- ))/)) {
    const isItem = part.startsWith('- ');
    const parts = [];
    let done = isItem ? 2 : 0;
    for (const match of part.matchAll(/\[(\d+)\]/g)) {
      const citation = at.get(offset + match.index);
      if (citations && !citation) continue;
      parts.push(
        part.slice(done, match.index),
        citation ? chip(citation) : h('span.cite', {}, match[1]),
      );
      done = match.index + match[0].length;
    }
    offset += part.length;
    parts.push(part.slice(done).trimEnd());
    if (isItem && shown.at(-1)?.tagName !== 'UL') shown.push(h('ul'));
    if (isItem) shown.at(-1).append(h('li', {}, parts));
    else if (part.trim()) shown.push(h('p.plain', {}, parts));
  }
  fill(body, shown);
}

function chip(citation) {
  return h(
    'a.cite',
    {
      ...leads(opened(citation)),
      'aria-label': t('ask.cite', citation.number, citation.doc_id),
      'title': citation.text,
    },
    String(citation.number),
  );
}

/** Every place that is cited, once; a citation has the `type` of its document. */
export function sources(citations) {
  if (!citations.length) return '';
  const places = new Map(
    citations.map((citation) => [`${citation.number}:${citation.start}-${citation.end}`, citation]),
  );
  const row = (citation) =>
    h(
      'li',
      {},
      chip(citation),
      h(
        'div',
        {},
        h('p.small', {}, citation.headings.join(' › ')),
        h('p.quote', { lang: script(citation.text) }, oneLine(citation.text, citation.type)),
        h('p.where', {}, place(citation)),
      ),
    );
  const ordered = [...places.values()].sort((a, b) => a.number - b.number || a.start - b.start);
  return h('section.sources', {}, h('h2', {}, t('ask.sources')), h('ol', {}, ordered.map(row)));
}
