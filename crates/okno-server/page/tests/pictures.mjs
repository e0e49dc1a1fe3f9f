// The pictures of the documentation: the sample documents in the real page, made again with
// `OKNO_BIN=… OKNO_TEST_BROWSER=… node pictures.mjs FOLDER`. Look at each before it is kept.
import { join } from 'node:path';
import { browser, close, open, prepare, serve } from './world.mjs';

const LEAVE = encodeURIComponent('How many days of annual leave do I get?');
const POTATO = encodeURIComponent('素菜土豆丝怎么炒才脆');

const PICTURES = {
  'search': [`/?q=${LEAVE}&doc=en%2Fhandbook.md&at=1641-1709`, '#reader mark', 'en-US'],
  'search-zh': [`/?q=${POTATO}`, 'article.context', 'zh-CN'],
  'ask': [`/?view=ask&q=${LEAVE}`, '.sources li', 'en-US'],
  'compare': [`/?view=compare&q=${LEAVE}&budget=250`, '.side-by article', 'en-US'],
};

const folder = process.argv[2] ?? '.';
const [chromium, place] = [await browser(), prepare({ strange: false })];
const server = await serve(['--index', place.index]);
for (const [name, [path, until, locale]] of Object.entries(PICTURES)) {
  const page = await open(chromium, server.base, path, { locale, width: 1200, height: 760 });
  await page.waitForSelector(until);
  await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
  await page.evaluate(() => document.activeElement.blur());
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await close(page);
}
await chromium.close();
await server.stop();
place.remove();
