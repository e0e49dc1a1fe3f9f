// Every view in both themes and both languages, wide and narrow: accessible (axe-core), and never wider than the window.
import test from 'node:test';
import assert from 'node:assert/strict';
import { broken, close, open, picture, shared } from './world.mjs';

const LEAVE = encodeURIComponent('How many days of annual leave do I get?');
const SOUP = encodeURIComponent('番茄蛋花汤怎么做');
const VIEWS = {
  welcome: ['/', '.welcome'],
  search: [`/?q=${LEAVE}`, 'article.context'],
  soup: [`/?q=${SOUP}`, 'article.context'],
  nothing: ['/?q=quantum+chromodynamics+lagrangian+gauge', '.welcome'],
  fault: [`/?q=${LEAVE}&filter=%3D%3D`, '.fault'],
  why: [
    `/?q=${LEAVE}`,
    'article.context',
    async (page) => {
      await page.locator('article.context footer button').first().click();
      await page.locator('.figures summary').click();
    },
  ],
  folded: [
    `/?q=${LEAVE}`,
    'article.context',
    async (page) => {
      await page.locator('details.advanced > summary').click();
      if (!(await page.locator('.filters[open]').count()))
        await page.locator('.filters > summary').click();
      for (const summary of await page.locator('.fields > .group > summary').all())
        await summary.click();
    },
  ],
  tables: [`/?q=QX+Link+commands+HELLO+READ_REG&budget=2000`, 'article.context table'],
  reader: [
    `/?q=${LEAVE}&doc=en%2Fhandbook.md&at=1641-1709`,
    '#reader mark',
    (page) => page.locator('#reader summary').first().click(),
  ],
  compare: [`/?view=compare&q=${LEAVE}`, '.side-by article'],
  ask: [`/?view=ask&q=${LEAVE}`, '.sources li', (page) => page.locator('.setup summary').click()],
  documents: ['/?view=documents', 'table.documents tr'],
  evaluate: ['/?view=evaluate', 'form.eval'],
  keys: ['/', '.welcome', (page) => page.getByRole('button', { name: /Keyboard|快捷键/ }).click()],
};

const world = shared();

async function shown([path, until, then], options) {
  const page = await open(world.chromium, world.server.base, path, options);
  await page.waitForSelector(until);
  await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
  await then?.(page);
  return page;
}

for (const [name, view] of Object.entries(VIEWS)) {
  for (const locale of ['en-US', 'zh-CN']) {
    test(`${name}, ${locale}, light and dark: accessible`, async () => {
      const page = await shown(view, { locale, colorScheme: 'light' });
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        // Colours fade over; what is judged is where they end.
        await page.evaluate(() =>
          Promise.allSettled(document.getAnimations().map((animation) => animation.finished)),
        );
        assert.deepEqual(await broken(page), [], colorScheme);
        await picture(page, `wide-${name}-${colorScheme}-${locale}`);
      }
      await close(page);
    });
  }

  test(`${name}: fits 360 pixels`, async () => {
    for (const locale of ['en-US', 'zh-CN']) {
      const page = await shown(view, { width: 360, height: 740, locale });
      const [wide, window] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        innerWidth,
      ]);
      assert.ok(wide <= window, `${locale}: ${wide} > ${window}`);
      const beyond = await page.evaluate(() =>
        [...document.querySelectorAll('button, a, input, select, h2')]
          .filter((element) => {
            const box = element.getBoundingClientRect();
            return (
              box.width > 1 &&
              !element.closest('.scroll, nav') &&
              (box.right > innerWidth + 1 || box.left < -1)
            );
          })
          .map((element) => element.outerHTML),
      );
      assert.deepEqual(beyond, [], locale);
      await picture(page, `narrow-${name}-${locale}`);
      await close(page);
    }
  });
}
