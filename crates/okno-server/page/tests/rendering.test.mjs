// Documents are rendered, and stay text: laws of the parser, and of the elements in a real browser over generated
// documents. `OKNO_TEST_HOSTILE=100000 node --test rendering.test.mjs` takes so many instead of some thousand.
import test from 'node:test';
import assert from 'node:assert/strict';
import { parse } from '../markdown.js';
import { inline, safe } from '../inline.js';
import { entityAt } from '../entities.js';
import { close, open, shared } from './world.mjs';
import { document as generated, numbers } from './generated.mjs';

const DOCUMENTS = Number(process.env.OKNO_TEST_HOSTILE ?? 3000);
const SEED = Number(process.env.OKNO_TEST_SEED ?? 20);

/** Documents given to the browser at once. */
const BATCH = 500;

const TYPES = ['markdown', 'html', 'text'];
const world = shared();

/** Every node below some. */
function* all(nodes) {
  for (const node of nodes) {
    yield node;
    const { parts, blocks, items, rows, cells } = node;
    for (const inner of [parts, blocks, items, rows, cells]) if (inner) yield* all(inner);
  }
}

test('every word has its place, in the order of the text', () => {
  const random = numbers(SEED);
  for (let i = 0; i < 3000; i += 1) {
    const text = generated(random);
    for (const dialect of ['markdown', 'structured']) {
      let last = 0;
      for (const node of all(parse(text, { dialect, whole: i % 2 === 0 }))) {
        assert.ok(node.from >= 0 && node.from <= node.to && node.to <= text.length, text);
        if (node.kind !== 'text') continue;
        assert.ok(node.from >= last, `${JSON.stringify(text)} goes back to ${node.from}`);
        last = node.to;
        const says = node.says ?? text.slice(node.from, node.to);
        if (!node.whole)
          assert.equal(says.trimEnd(), text.slice(node.from, node.to).trimEnd(), text);
      }
    }
  }
});

test('no document takes more than linear time', () => {
  const size = 100_000;
  const parts = [
    ...[
      '*a ',
      '**',
      '[',
      '![',
      ']',
      '](',
      '`',
      '`` ` ',
      '<b>',
      '<b',
      '&',
      '&#',
      '> ',
      '- ',
      '  - ',
      '1. ',
      '|',
      '| a ',
      '#',
      '# ',
      ' ',
      '\t',
    ],
    ...[
      '\n',
      ' \n',
      '_a',
      '~~',
      '\\',
      '***',
      '[a](',
      '[a](b ',
      'http://',
      '---\n',
      '- a\n\n',
      '> a\n\n',
      '**a _b ',
      '| a |\n',
      '=\n',
      '```\n',
      '( ',
      '<a ',
      '{{<',
      '{{< text="',
    ],
  ];
  for (const part of parts)
    for (const dialect of ['markdown', 'structured']) {
      const text = part.repeat(size / part.length);
      const began = process.cpuUsage();
      parse(text, { dialect, whole: true });
      const { user, system } = process.cpuUsage(began);
      const ms = (user + system) / 1000;
      assert.ok(ms < 1500, `${JSON.stringify(part)} as ${dialect}: ${ms.toFixed()} ms`);
    }
});

test('what a generator of web pages puts in is shown as its text', () => {
  const shown = (text) =>
    inline(text)
      .map((node) => node.says ?? text.slice(node.from, node.to))
      .join('');
  const cases = {
    'use {{<glossary_tooltip text="Pods" term_id="pod">}} now': 'use Pods now',
    'a {{< note >}} b': 'a  b',
    '{{% alert title="Beware" color="red" %}}': 'Beware',
    '{{ .Values.name }} and {{< open': '{{ .Values.name }} and {{< open',
  };
  for (const [written, read] of Object.entries(cases)) assert.equal(shown(written), read);
});

test('character references are characters; addresses that run something are none', () => {
  const decoded = {
    '&deg;': '°',
    '&#176;': '°',
    '&#xB0;': '°',
    '&eacute;': 'é',
    '&mdash;': '—',
    '&omega;': 'ω',
    '&yuml;': 'ÿ',
    '&#0;': '\ufffd',
  };
  for (const [written, character] of Object.entries(decoded))
    assert.deepEqual(entityAt(written, 0), { end: written.length, says: character });
  for (const written of ['&bogus;', '&deg', '& deg;', '&#;'])
    assert.equal(entityAt(written, 0), null);
  for (const address of ['https://example.org', 'http://x/y?z', 'mailto:a@b.c'])
    assert.ok(safe(address), address);
  for (const address of [
    'javascript:x',
    ' https://x',
    'data:x',
    '//x',
    '/x',
    'java\nscript:x',
    'https://x y',
    '',
  ])
    assert.ok(!safe(address), address);
});

/** Runs in the page: renders documents and gives what is wrong with them. */
async function faultsOf({ documents, types }) {
  const { ELEMENTS, reading } = await import('/rendered.js');
  const ATTRIBUTES = ['class', 'data-start', 'lang', 'tabindex', 'start', 'scope'];
  const OF_LINKS = ['href', 'rel', 'target', 'title'];
  const faults = [];
  const stage = document.getElementById('main');
  const judge = (element, text) => {
    const tag = element.localName;
    if (!ELEMENTS.includes(tag) || element.namespaceURI !== 'http://www.w3.org/1999/xhtml')
      faults.push(`<${tag}> of ${JSON.stringify(text)}`);
    for (const { name, value } of element.attributes) {
      const known = ATTRIBUTES.includes(name) || (tag === 'a' && OF_LINKS.includes(name));
      const runs = name === 'href' && !['http:', 'https:', 'mailto:'].includes(element.protocol);
      if (!known || runs) faults.push(`${name}=${value} of ${JSON.stringify(text)}`);
    }
    if (tag === 'a' && element.rel !== 'noopener noreferrer nofollow')
      faults.push(`a link of ${JSON.stringify(text)}`);
  };
  for (const { text, start, end, word } of documents)
    for (const type of types) {
      const marks = word ? [{ start: start + 5, end: end + 5, kind: 'hit' }] : [];
      const body = reading(text, 5, marks, { type });
      stage.replaceChildren(body);
      judge(body, text);
      for (const element of body.querySelectorAll('*')) judge(element, text);
      const marked = [...body.querySelectorAll('mark')].map((mark) => mark.textContent).join('');
      const shown = word && body.textContent.includes(word);
      if (shown && !marked.includes(word)) faults.push(`${word} is not marked in ${text}`);
      if (marked && !body.querySelector('mark .image, .image mark') && marked !== word)
        faults.push(`marked ${marked} instead of ${word} in ${JSON.stringify(text)}`);
    }
  return { faults: faults.slice(0, 5), owned: window.owned };
}

/** A document with one of its words, in code points. */
function withWord(random) {
  const text = generated(random);
  const words = text.match(/w\d+w/g) ?? [];
  const word = words[random(words.length)];
  const start = word ? [...text.slice(0, text.indexOf(word))].length : 0;
  return { text, word, start, end: start + (word?.length ?? 0) };
}

test(`${DOCUMENTS} generated documents: allowed elements only, and each word is marked where it stands`, async () => {
  const page = await open(world.chromium, world.server.base, '/');
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.waitForSelector('.welcome');
  const random = numbers(SEED);
  for (let done = 0; done < DOCUMENTS; done += BATCH) {
    const count = Math.min(BATCH, DOCUMENTS - done);
    const documents = Array.from({ length: count }, () => withWord(random));
    const { faults, owned } = await page.evaluate(faultsOf, { documents, types: TYPES });
    assert.deepEqual(faults, []);
    assert.equal(owned, undefined);
  }
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(world.server.base)),
    [],
  );
  await close(page);
});

test('a passage and its document are set as documents; what is copied is the source', async () => {
  const question = encodeURIComponent('Which command sets the clock, and since which version?');
  const page = await open(world.chromium, world.server.base, `/?q=${question}&budget=2000`);
  const card = page.locator('article.context', { has: page.locator('table') }).first();
  await card.locator('td', { hasText: 'SET_CLOCK' }).first().waitFor();
  const text = await card.locator('.reading').innerText();
  assert.doesNotMatch(text, /\|---|^\| |^#+ |```/m, 'signs of Markdown are not shown');
  await card.getByRole('button', { name: 'Copy' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /\| 0x40 \| SET_CLOCK \| time stamp \| v1\.00 \|/);
  assert.match(copied, /— en\/qx-link-spec\.md · lines \d+–\d+ \[\d+–\d+\]$/);
  await card.locator('a.title').click();
  const reader = page.locator('#reader .reading');
  await reader.locator('mark').first().waitFor();
  for (const kind of ['table thead th', 'pre', 'h3.heading', 'h4.heading'])
    assert.ok((await reader.locator(kind).count()) > 0, kind);
  assert.doesNotMatch(await reader.innerText(), /^## |\|---/m);
  assert.ok(
    await page.evaluate(() => {
      const box = document.querySelector('#reader mark').getBoundingClientRect();
      return box.top > 0 && box.bottom < innerHeight;
    }),
  );
  await close(page);
});
