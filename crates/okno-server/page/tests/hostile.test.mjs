// Text of documents is text: nothing of it runs, and nothing of it leaves.
import test from 'node:test';
import assert from 'node:assert/strict';
import { close, open, shared } from './world.mjs';
import { hostile } from './hostile.mjs';

const world = shared();

async function visited(path, until) {
  const page = await open(world.chromium, world.server.base, path);
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.waitForSelector(until);
  await page.hover('#main');
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.owned), undefined, path);
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(world.server.base) && !url.startsWith('blob:')),
    [],
  );
  return page;
}

test('hostile documents are shown in results as they are written, and nothing runs', async () => {
  const page = await visited('/?q=zanzibar+kettle&budget=4000', 'article.context');
  const text = await page.locator('#main').innerText();
  assert.match(text, /<script>window\.owned='md script'<\/script>/);
  assert.equal(
    await page.locator('#main article :is(script, iframe, svg, object, style, base)').count(),
    0,
  );
  // The only images are those the server keeps, and they come as bytes, never from an address a document names.
  assert.equal(await page.locator('#main article .reading img').count(), 0);
  for (const image of await page.locator('#main article img').all())
    assert.match((await image.getAttribute('src')) ?? 'blob:', /^blob:/);
  for (const button of await page.locator('article.context footer button[aria-expanded]').all())
    await button.click();
  assert.equal(await page.evaluate(() => window.owned), undefined);
  await close(page);
});

test('hostile documents are read, asked and compared without running', async () => {
  for (const view of ['ask', 'compare'])
    await close(
      await visited(
        `/?view=${view}&q=zanzibar+kettle`,
        view === 'ask' ? '.answer :is(p, li)' : 'article.context',
      ),
    );
  await close(await visited('/?view=documents', 'table.documents a'));
  for (const name of Object.keys(hostile)) {
    const page = await visited(
      `/?doc=${encodeURIComponent(`hostile/${name}`)}&at=0-20`,
      '#reader .reading p',
    );
    assert.equal(
      await page.locator('#reader :is(script, iframe, svg, img, object, style, base, a)').count(),
      0,
      name,
    );
    await close(page);
  }
});

test('a hostile address is text too', async () => {
  const evil = encodeURIComponent(`<img src=x onerror="window.owned='address'">`);
  for (const name of [
    'q',
    'filter',
    'recipe',
    'expand',
    'doc',
    'run',
    'find',
    'view',
    'index',
    'at',
    'help',
  ]) {
    const page = await open(world.chromium, world.server.base, `/?${name}=${evil}`);
    await page.waitForTimeout(400);
    assert.equal(await page.evaluate(() => window.owned), undefined, name);
    assert.equal(await page.locator('main img').count(), 0, name);
    await close(page);
  }
});

test('were markup to get in, the policy would stop it', async () => {
  const page = await open(world.chromium, world.server.base, '/');
  await page.waitForSelector('.welcome');
  await page.evaluate(() => {
    const script = document.createElement('script');
    try {
      script.textContent = "window.owned='inline'";
      document.body.append(script);
    } catch {
      /* trusted types say no earlier */
    }
    const image = document.createElement('img');
    try {
      image.setAttribute('onerror', "window.owned='handler'");
    } catch {
      /* the same */
    }
    image.src = 'https://evil.example/x.png';
    document.body.append(image);
  });
  await page.waitForTimeout(400);
  assert.equal(await page.evaluate(() => window.owned), undefined);
  assert.ok(page.stopped.length >= 2, `the policy stopped ${page.stopped.length}`);
  page.stopped.length = 0;
  await close(page);
});
