// What the source of the page must never contain, and what its words must always have.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { all } from '../words.js';
import { equals, joined } from '../conditions.js';
import { apart, batches, filesOf } from '../dropping.js';

const HERE = new URL('../', import.meta.url);
const files = readdirSync(HERE).filter((name) => /\.(js|html|css|svg)$/.test(name));
const sources = files.map((name) => [name, readFileSync(new URL(name, HERE), 'utf8')]);
const scripts = sources.filter(([name]) => name.endsWith('.js'));

test('no source turns text into markup or code', () => {
  const ways =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|setHTMLUnsafe|srcdoc|\beval\(|new Function/;
  for (const [name, text] of scripts) assert.doesNotMatch(text, ways, name);
});

test('nothing comes from elsewhere, and nothing is inline', () => {
  for (const [name, text] of sources)
    assert.doesNotMatch(
      text.replaceAll('http://www.w3.org/2000/svg', ''),
      /https?:\/\/|@import|url\(/,
      name,
    );
  const page = sources.find(([name]) => name === 'index.html')[1];
  assert.doesNotMatch(page, /<style|style=|\son\w+=|<script(?![^>]*src=)/);
});

test('every file of the page is asked for by another', () => {
  const asked = sources.map(([, text]) => text).join('\n');
  for (const name of files)
    if (name !== 'index.html') assert.ok(asked.includes(name), `${name} is used by nobody`);
});

test('the server carries every file of the page', () => {
  const server = readFileSync(new URL('../src/page.rs', HERE), 'utf8');
  for (const name of files)
    assert.ok(server.includes(`"${name}"`), `src/page.rs does not name ${name}`);
});

test('every word has two languages with the same places in them', () => {
  for (const [key, words] of Object.entries(all)) {
    assert.equal(words.length, 2, key);
    const [en, zh] = words.map((text) => [...new Set(text.match(/\{\d\}/g) ?? [])].sort());
    assert.deepEqual(en, zh, key);
    if (key !== 'filters.own.hint')
      assert.doesNotMatch(
        words[1],
        /[\u4e00-\u9fff][,:;?!()]/,
        `${key}: Chinese is set with full-width marks`,
      );
  }
});

test('every word that is asked for exists, and every one is asked for', () => {
  const text = scripts
    .filter(([name]) => name !== 'words.js')
    .map(([, source]) => source)
    .join('\n');
  for (const [, key] of text.matchAll(/\bt\('([^']+)'/g)) assert.ok(key in all, key);
  const starts = [...text.matchAll(/`([\w.]+\.)\$\{/g)].map(([, start]) => start);
  for (const key of Object.keys(all)) {
    const whole = text.includes(`'${key}'`);
    assert.ok(whole || starts.some((start) => key.startsWith(start)), `nobody says ${key}`);
  }
});

test('values of one field are alternatives, fields narrow each other', () => {
  assert.equal(joined([]), '');
  assert.equal(joined([equals('category', '素菜')]), 'category = 素菜');
  assert.equal(
    joined([equals('category', '素菜'), 'year >= 2023', equals('category', '汤')]),
    '(category = 素菜 or category = 汤) and (year >= 2023)',
  );
  assert.equal(equals('Header 2', 'say "hi" \\ there'), '"Header 2" = "say \\"hi\\" \\\\ there"');
  assert.equal(joined(['a = 1 or b = 2', 'c = 3']), '(a = 1 or b = 2) and c = 3');
  assert.equal(joined(['a = 1 and b = 2', 'a = 3']), '(a = 1 and b = 2) and a = 3');
});

/** An entry of a drop, as browsers give it: folders tell two of what they hold at a time. */
function entry(name, holds) {
  if (!Array.isArray(holds))
    return { name, isDirectory: false, file: (done) => done({ name, size: holds }) };
  return {
    name,
    isDirectory: true,
    createReader: () => {
      const left = [...holds];
      return { readEntries: (done) => done(left.splice(0, 2)) };
    },
  };
}

test('a dropped folder is all its files, hidden ones left out, each under a name of its own', async () => {
  const folder = entry('notes', [
    entry('a.md', 1),
    entry('.git', [entry('config', 1)]),
    entry('tea', [entry('README.md', 1), entry('b.md', 1)]),
    entry('README.md', 1),
    entry('.DS_Store', 1),
  ]);
  const files = await filesOf([folder, entry('c.md', 1)]);
  assert.deepEqual(
    files.map(({ path }) => path),
    ['notes/a.md', 'notes/tea/README.md', 'notes/tea/b.md', 'notes/README.md', 'c.md'],
  );
  assert.deepEqual(
    apart(files).map(({ name }) => name),
    ['a.md', 'notes – tea – README.md', 'b.md', 'notes – README.md', 'c.md'],
  );
});

test('files are sent in batches that fit into a request', () => {
  const files = (count, size) =>
    Array.from({ length: count }, () => ({ name: 'x', file: { size } }));
  assert.deepEqual(batches([]), []);
  assert.deepEqual(
    batches(files(1201, 1)).map((batch) => batch.length),
    [500, 500, 201],
  );
  assert.deepEqual(
    batches(files(5, 40 << 20)).map((batch) => batch.length),
    [2, 2, 1],
  );
  assert.deepEqual(
    batches(files(2, 300 << 20)).map((batch) => batch.length),
    [1, 1],
  );
});
