// The client against a real server: `OKNO_BIN` names the program.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Okno, OknoError, eventsOf } from '../okno.js';
import { typesOf } from '../schemas.mjs';

const OKNO = process.env.OKNO_BIN ?? 'okno';
const KEY = 'a-key-of-sixteen-letters';
const TEA = `---
kind: drink
---
# Tea

Green tea is brewed at 80 °C. Black tea needs boiling water. Leave it for four minutes.
`;

let folder;
let server;
let okno;

/** A server on a free port. */
async function serve(...args) {
  const child = spawn(OKNO, ['serve', '--port', '0', ...args], {
    cwd: folder,
    env: { ...process.env, OKNO_API_KEY: KEY, LANG: 'en_US.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const url = await new Promise((resolve, reject) => {
    const listen = (bytes) => {
      said += bytes;
      const found = /http:\/\/[\d.]+:\d+/.exec(said);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('exit', () => reject(new Error(said)));
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return {
    url,
    stop() {
      child.kill();
      return ended;
    },
  };
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'okno-client-'));
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'notes', 'tea.md'), TEA);
  writeFileSync(join(folder, 'notes', '茶.md'), '# 绿茶\n\n绿茶用八十度的水冲泡。红茶要用沸水。\n');
  execFileSync(OKNO, ['index', 'notes'], { cwd: folder, stdio: 'ignore' });
  server = await serve();
  okno = new Okno({ url: `${server.url}/`, key: KEY });
});

after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const refused = (code, status) => (fault) => {
  assert.ok(fault instanceof OknoError, String(fault));
  assert.deepEqual([fault.code, fault.status], [code, status], fault.message);
  assert.ok(fault.message);
  return true;
};

test('a search returns contexts with their places', async () => {
  const answer = await okno.search('How hot should water for black tea be?', {
    budget: 200,
    recipe: 'window',
  });
  const [first] = answer.contexts;
  assert.equal(first.doc_id, 'tea.md');
  assert.ok(first.text.includes('boiling water'));
  assert.equal(await okno.text(first.doc_id, first.start, first.end), first.text);
  const none = await okno.search('tea', { filter: 'kind = tool' });
  assert.deepEqual(none.contexts, []);
});

test('an answer in words comes whole or as it is written', async () => {
  const whole = await okno.ask('How hot should water for black tea be?');
  assert.ok(whole.found);
  assert.equal(whole.citations[0].doc_id, 'tea.md');
  const told = [];
  let text = '';
  for await (const { event, data } of okno.askStream('How hot should water for black tea be?')) {
    told.push(event);
    if (event === 'text') text += data.text;
    if (event === 'done') assert.equal(data.answer, text);
  }
  assert.equal(text, whole.answer);
  assert.deepEqual([told[0], told.at(-1)], ['contexts', 'done']);
  const next = await okno.ask('and how long?', {
    messages: [
      { role: 'user', content: 'How hot should water for black tea be?' },
      { role: 'assistant', content: whole.answer },
    ],
  });
  assert.equal(next.asked_as.asked, 'and how long?');
});

test('documents are put, listed, read, replaced and removed', async () => {
  const name = 'faq/壶 1?#%.md';
  const put = await okno.put(name, {
    text: 'A kettle holds two litres.',
    title: 'Kettles',
    metadata: { kind: 'tool' },
  });
  assert.deepEqual([put.doc_id, put.added], [name, true]);
  assert.equal((await okno.document(name)).title, 'Kettles');
  const found = await okno.search('How much does a kettle hold?', { filter: 'kind = tool' });
  assert.equal(found.contexts[0].doc_id, name);
  const names = [];
  for await (const { doc_id } of okno.documents()) names.push(doc_id);
  assert.deepEqual(names.sort(), [name, 'tea.md', '茶.md'].sort());
  const tools = [];
  for await (const { doc_id } of okno.documents({ filter: 'kind = tool' })) tools.push(doc_id);
  assert.deepEqual(tools, [name]);
  await okno.remove(name);
  await assert.rejects(okno.document(name), refused('no_document', 404));
});

test('more documents than are asked for at once are all listed', async () => {
  for (let at = 0; at < 201; at++)
    await okno.put(`many-${at}`, { text: `Number ${at} is one of many.` });
  const names = new Set();
  for await (const { doc_id } of okno.documents()) names.add(doc_id);
  assert.equal(names.size, 203);
  for (let at = 0; at < 201; at++) await okno.remove(`many-${at}`);
});

test('an upload is found when its job has ended', async () => {
  const { files, job } = await okno.upload([
    new File(['Coffee is brewed at 93 °C.'], 'coffee.txt'),
    { name: 'cocoa.txt', blob: new Blob(['Cocoa is stirred into warm milk.']) },
  ]);
  assert.deepEqual(files, ['coffee.txt', 'cocoa.txt']);
  const done = await okno.wait(job);
  assert.equal(done.state, 'done');
  assert.equal((await okno.job(job.id)).state, 'done');
  assert.ok((await okno.jobs()).some(({ id }) => id === job.id));
  assert.equal((await okno.search('How hot is coffee brewed?')).contexts[0].doc_id, 'coffee.txt');
  assert.equal((await okno.search('What is cocoa stirred into?')).contexts[0].doc_id, 'cocoa.txt');
  const again = await okno.wait((await okno.index()).id);
  assert.equal(again.result.added, 0);
});

test('recipes are compared and measured, and verdicts are kept', async () => {
  const compared = await okno.compare('How long is tea left?', {
    recipes: ['chunks', 'window'],
    gold: 'four minutes',
  });
  assert.deepEqual(
    compared.recipes.map(({ recipe }) => recipe),
    ['chunks', 'window'],
  );
  const job = await okno.evaluate({
    questions: [{ question: 'How long is tea left?', doc_id: 'tea.md', answers: ['four minutes'] }],
    recipes: ['auto', 'chunks'],
    budgets: [200],
    name: 'first',
  });
  assert.equal((await okno.wait(job)).state, 'done');
  const verdict = {
    question: 'black tea?',
    doc_id: 'tea.md',
    start: 60,
    end: 70,
    verdict: 'useful',
  };
  assert.equal((await okno.feedback(verdict)).recorded, 1);
});

test('the server tells what it has', async () => {
  const { indexes } = await okno.status();
  assert.equal(indexes.length, 1);
  assert.ok((await okno.fields()).some(({ name }) => name === 'kind'));
  assert.ok((await okno.recipes()).auto);
  assert.ok((await okno.models()).embedder);
  const same = await okno.with(indexes[0].name).search('black tea');
  assert.equal(same.contexts[0].doc_id, 'tea.md');
  await assert.rejects(okno.with('nowhere').search('tea'), refused('no_index', 404));
});

test('what is refused is an error with its code, in the language that was asked for', async () => {
  await assert.rejects(okno.search('tea', { filter: 'kind ==' }), refused('bad_filter', 400));
  await assert.rejects(new Okno(server.url).status(), refused('no_key', 401));
  const chinese = new Okno({ url: server.url, key: KEY, language: 'zh' });
  await assert.rejects(chinese.document('none.md'), ({ message }) =>
    /[\u4e00-\u9fff]/.test(message),
  );
  await assert.rejects(okno.image('00'), OknoError);
  await assert.rejects(new Okno('http://127.0.0.1:1').status(), refused('unreachable', 0));
});

test('a call can be called off', async () => {
  const stop = AbortSignal.abort();
  await assert.rejects(okno.search('tea', { signal: stop }), { name: 'AbortError' });
  const quiet = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => quiet.on('listening', resolve));
  const waiting = new Okno(`http://127.0.0.1:${quiet.address().port}`);
  await assert.rejects(waiting.status({ signal: AbortSignal.timeout(50) }), {
    name: 'TimeoutError',
  });
  quiet.closeAllConnections();
  quiet.close();
});

test('whoever is told to wait is told how long', async () => {
  const busy = createServer((_, answer) => {
    answer.writeHead(429, { 'Retry-After': '7', 'Content-Type': 'application/json' });
    answer.end('{"error": {"code": "rate_limited", "message": "slower", "hint": "wait"}}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => busy.on('listening', resolve));
  const asking = new Okno(`http://127.0.0.1:${busy.address().port}`).search('tea');
  await assert.rejects(
    asking,
    (fault) => refused('rate_limited', 429)(fault) && fault.retryAfter === 7,
  );
  busy.close();
});

test('events are the same however their bytes are cut', async () => {
  const bytes = new TextEncoder().encode(
    'event: text\r\ndata: {"text": "茶 tea"}\r\n\r\n: a comment\n\ndata: one\ndata:two\n\nevent: done\rdata: {}\r\r',
  );
  const expected = [
    { event: 'text', data: '{"text": "茶 tea"}' },
    { event: 'message', data: 'one\ntwo' },
    { event: 'done', data: '{}' },
  ];
  for (let size = 1; size <= bytes.length; size++) {
    const cut = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size)
          controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const told = [];
    for await (const event of eventsOf(cut)) told.push(event);
    assert.deepEqual(told, expected, `in pieces of ${size}`);
  }
});

test('whoever stops listening ends the request', async () => {
  let closed = false;
  const talking = createServer((request, answer) => {
    answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const timer = setInterval(() => answer.write('event: text\ndata: {"text": "on"}\n\n'), 5);
    request.on('close', () => {
      clearInterval(timer);
      closed = true;
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => talking.on('listening', resolve));
  const asking = new Okno(`http://127.0.0.1:${talking.address().port}`);
  for await (const { event } of asking.askStream('tea')) {
    assert.equal(event, 'text');
    break;
  }
  for (let waited = 0; !closed && waited < 100; waited++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(closed);
  talking.close();
});

test('the types are those that the server describes', async () => {
  const description = await (
    await fetch(`${server.url}/api/v1/openapi.json`, { headers: { 'X-API-Key': KEY } })
  ).json();
  const kept = readFileSync(new URL('../schemas.d.ts', import.meta.url), 'utf8');
  assert.equal(kept, typesOf(description), 'run `npm run schemas` with a server');
});
