// The pictures of the documentation: the sample documents in the real page, made again with
// `OKNO_BIN=… OKNO_TEST_BROWSER=… node pictures.mjs FOLDER`. Look at each before it is kept.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, close, open, prepare, run, serve } from './world.mjs';

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
for (const [name, [path, until, locale]] of Object.entries(PICTURES))
  await take(name, server, path, until, locale);
const printed = await serve(['--index', await print(join(place.documents, 'en/handbook.md'))]);
await take('pdf', printed, `/?q=${LEAVE}`, 'article.context', 'en-US', async (page) => {
  await page.locator('article.context .title').first().click();
  await page.waitForSelector('.sheet .marked');
});
await chromium.close();
await server.stop();
await printed.stop();
place.remove();

async function take(name, { base }, path, until, locale, then = async () => {}) {
  const page = await open(chromium, base, path, { locale, width: 1200, height: 760 });
  await page.waitForSelector(until);
  await then(page);
  await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
  await page.evaluate(() => document.activeElement.blur());
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await close(page);
}

/** An index of a Markdown file as the browser prints it: headings, paragraphs, lists and tables. */
async function print(file) {
  const [papers, index] = [join(place.folder, 'papers'), join(place.folder, 'papers-index')];
  mkdirSync(papers);
  const page = await chromium.newPage();
  await page.evaluate(
    (source) => {
      document.title = 'Staff Handbook';
      document.body.style.font = '11pt/1.5 serif';
      const add = (within, name, text = '') => {
        const element = within.appendChild(document.createElement(name));
        element.textContent = text.replaceAll('**', '');
        return element;
      };
      for (const block of source.replace(/^---\n[^]*?\n---\n/, '').split(/\n{2,}/)) {
        const [, marks, text] = /^(#*) *([^]*)$/.exec(block.trim());
        if (marks) add(document.body, `h${marks.length}`, text);
        else if (text.startsWith('- ')) {
          const list = add(document.body, 'ul');
          for (const item of text.split(/^- /m).slice(1)) add(list, 'li', item);
        } else if (text.startsWith('|')) {
          const table = add(document.body, 'table');
          for (const line of text.split('\n').filter((line) => !line.startsWith('|-'))) {
            const row = add(table, 'tr');
            for (const cell of line.split('|').slice(1, -1)) add(row, 'td', cell);
          }
        } else add(document.body, 'p', text);
      }
    },
    readFileSync(file, 'utf8'),
  );
  const margin = { top: '2cm', bottom: '2cm', left: '2cm', right: '2cm' };
  await page.pdf({ path: join(papers, 'handbook.pdf'), format: 'A4', margin });
  await page.close();
  run('index', papers, '--index', index);
  return index;
}
