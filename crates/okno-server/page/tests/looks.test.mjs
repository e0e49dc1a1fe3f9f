// Every view in both themes and both languages, wide and narrow: accessible (axe-core), and never wider than the window.
import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { browser, close, modules, open, picture, prepare, serve } from './world.mjs';

const LEAVE = encodeURIComponent('How many days of annual leave do I get?');
const SOUP = encodeURIComponent('番茄蛋花汤怎么做');
const VIEWS = {
  welcome: ['/', '.welcome'],
  search: [`/?q=${LEAVE}`, 'article.context'],
  soup: [`/?q=${SOUP}`, 'article.context'],
  nothing: ['/?q=quantum+chromodynamics+lagrangian+gauge', '.welcome'],
  fault: [`/?q=${LEAVE}&filter=%3D%3D`, '.fault'],
  why: [`/?q=${LEAVE}`, 'article.context', (page) => page.locator('article.context footer button').first().click()],
  reader: [`/?q=${LEAVE}&doc=en%2Fhandbook.md&at=1641-1709`, '#reader mark', (page) => page.locator('#reader summary').first().click()],
  compare: [`/?view=compare&q=${LEAVE}`, '.side-by article'],
  ask: [`/?view=ask&q=${LEAVE}`, '.sources li', (page) => page.locator('.setup summary').click()],
  documents: ['/?view=documents', 'table.documents tr'],
  evaluate: ['/?view=evaluate', 'form.eval'],
  keys: ['/', '.welcome', (page) => page.getByRole('button', { name: /Keyboard|快捷键/ }).click()],
};

let chromium;
let place;
let server;
let axe;

before(async () => {
  [chromium, place] = [await browser(), prepare()];
  server = await serve(['--index', place.index]);
  axe = readFileSync(modules.resolve('axe-core/axe.min.js'), 'utf8');
});

after(async () => {
  await chromium?.close();
  await server?.stop();
  place?.remove();
});

async function shown([path, until, then], options) {
  const page = await open(chromium, server.base, path, options);
  await page.waitForSelector(until);
  await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
  await then?.(page);
  return page;
}

for (const [name, view] of Object.entries(VIEWS)) {
  for (const [colorScheme, locale] of [['light', 'en-US'], ['dark', 'zh-CN']]) {
    test(`${name}, ${colorScheme}, ${locale}: accessible`, async () => {
      const page = await shown(view, { colorScheme, locale });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`), []);
      await picture(page, `wide-${name}-${colorScheme}-${locale}`);
      await close(page);
    });
  }

  test(`${name}: fits 360 pixels`, async () => {
    for (const locale of ['en-US', 'zh-CN']) {
      const page = await shown(view, { width: 360, height: 740, locale });
      const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= window, `${locale}: ${wide} > ${window}`);
      const beyond = await page.evaluate(() => [...document.querySelectorAll('button, a, input, select, h2')].filter((element) => {
        const box = element.getBoundingClientRect();
        return box.width > 1 && !element.closest('.scroll, nav') && (box.right > innerWidth + 1 || box.left < -1);
      }).map((element) => element.outerHTML));
      assert.deepEqual(beyond, [], locale);
      await picture(page, `narrow-${name}-${locale}`);
      await close(page);
    }
  });
}
