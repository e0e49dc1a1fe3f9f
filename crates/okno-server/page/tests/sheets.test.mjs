// A PDF in the reader: its page as a picture, the passage marked on it, and how long that takes.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { close, leastOfFive, modules, open, picture, run, serve, shared } from './world.mjs';
import { pageOf } from '../spans.js';
import { speak, t } from '../words.js';

/** So many pages has a book. */
const PAGES = 2000;
/** Milliseconds: a page that is opened, a result that is shown. */
const [OPENS, SHOWS] = [1000, 150];

const world = shared(prepareFiles);
const axe = readFileSync(modules.resolve('axe-core/axe.min.js'), 'utf8');
let place;
let server;

/** A file with pages of these lines. */
function pdf(pages) {
  const kids = pages.map((_, at) => `${10 + 2 * at} 0 R`).join(' ');
  const objects = [
    '1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj',
    `2 0 obj <</Type/Pages/Kids[${kids}]/Count ${pages.length}>> endobj`,
    '3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj',
  ];
  pages.forEach((lines, at) => {
    const text = lines.map((line, n) => `BT /F 12 Tf 60 ${720 - 18 * n} Td (${line}) Tj ET`);
    const content = `0.9 0.95 1 rg 40 740 520 30 re f 0 g\n${text.join('\n')}`;
    objects.push(
      `${10 + 2 * at} 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents ${11 + 2 * at} 0 R` +
        '/Resources<</Font<</F 3 0 R>>>>>> endobj',
      `${11 + 2 * at} 0 obj <</Length ${content.length}>> stream\n${content}\nendstream endobj`,
    );
  });
  return `%PDF-1.7\n${objects.join('\n')}\ntrailer <</Root 1 0 R/Size ${12 + 2 * pages.length}>>\n%%EOF\n`;
}

const SAYS = (number) => `The keeper of lamp ${number} counts its oil by the barrel of tin`;

async function prepareFiles(world) {
  place = join(world.place.folder, 'papers');
  mkdirSync(place);
  const line = (at, number) =>
    number === 15
      ? `${SAYS(at)}.`
      : `Line ${number} of sheet ${at} tells of harbours, ropes and weather in plain words.`;
  const book = Array.from({ length: PAGES }, (_, at) =>
    Array.from({ length: 30 }, (_, number) => line(at, number)),
  );
  writeFileSync(join(place, 'book.pdf'), pdf(book));
  writeFileSync(
    join(place, 'tea.pdf'),
    pdf([
      ['Tea', 'Green tea is brewed at eighty degrees. Black tea', 'needs boiling water. Wait.'],
      ['Coffee', 'Coffee is brewed at ninety three degrees.'],
    ]),
  );
  const index = join(world.place.folder, 'papers-index');
  run('index', place, '--index', index);
  server = await serve(['--index', index]);
}

after(() => server?.stop());

/** Where a passage of a document is in its text. */
async function spanOf(document, words) {
  const response = await fetch(`${server.base}/api/v1/documents/${document}`);
  const { text } = await response.json();
  const start = text.indexOf(words);
  assert.ok(start >= 0, words);
  return `${start}-${start + words.length}`;
}

const ready = (page) => page.waitForSelector('.sheet[aria-busy="false"] img:not([hidden])');

test('the page of a place is the last one that begins before it', () => {
  const pages = [0, 10, 10, 20].map((start) => ({ start }));
  assert.deepEqual(
    [0, 9, 10, 19, 20, 99].map((start) => pageOf(pages, start)),
    [0, 0, 2, 2, 3, 3],
  );
});

for (const [language, locale] of [
  ['en', 'en-US'],
  ['zh', 'zh-CN'],
]) {
  test(`a PDF opens as its page with the passage marked, and as text (${language})`, async () => {
    speak(language);
    const at = await spanOf('tea.pdf', 'Black tea needs boiling water.');
    const page = await open(world.chromium, server.base, `/?doc=tea.pdf&at=${at}`, { locale });
    await ready(page);
    await page.waitForSelector('.sheet .marked');
    assert.equal(await page.locator('.sheet .marked').count(), 2, 'a box for each line');
    const image = page.locator('.sheet img');
    assert.equal(await image.getAttribute('alt'), t('page.alt', 1, 'tea'));
    const [sheet, mark] = [
      await image.boundingBox(),
      await page.locator('.marked').first().boundingBox(),
    ];
    assert.ok(mark.x > sheet.x + sheet.width / 3, 'the words stand at the end of their line');
    assert.ok(Math.abs((mark.y - sheet.y) / sheet.height - 0.11) < 0.03, 'near the top');
    await page.getByText(t('page.number', 1, 2)).waitFor();
    assert.ok(await page.getByRole('button', { name: t('page.previous') }).isDisabled());
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() =>
        Promise.allSettled(document.getAnimations().map((animation) => animation.finished)),
      );
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run());
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`),
        [],
      );
      await picture(page, `sheet-${colorScheme}-${language}`);
    }

    await page.getByRole('button', { name: t('page.next') }).click();
    await page.getByText(t('page.number', 2, 2)).waitFor();
    await ready(page);
    assert.equal(await page.locator('.marked').count(), 0, 'the passage is on the page before');
    await page.locator('#reader .pages').focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText(t('page.number', 1, 2)).waitFor();
    await page.waitForSelector('.sheet .marked');

    await page.getByRole('button', { name: t('reader.as.text') }).click();
    await page.locator('#reader mark').first().waitFor();
    assert.match(await page.locator('#reader mark').first().innerText(), /Black tea/);
    await page.getByRole('button', { name: t('reader.as.page') }).click();
    await page.waitForSelector('.sheet .marked');
    await close(page);

    const phone = await open(world.chromium, server.base, `/?doc=tea.pdf&at=${at}`, {
      locale,
      width: 360,
      height: 740,
    });
    await phone.waitForSelector('.sheet .marked');
    await ready(phone);
    const [wide, window] = await phone.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
    ]);
    assert.ok(wide <= window, `${wide} > ${window}`);
    await picture(phone, `sheet-phone-${language}`);
    await close(phone);
  });
}

test(`a PDF of ${PAGES} pages opens at the hit`, async (context) => {
  speak('en');
  const { least, taken } = await leastOfFive((number) =>
    openedAt([1203, 77, 1999, 400, 1555][number]),
  );
  context.diagnostic(`opened at the hit in ${taken.join(', ')} ms`);
  assert.ok(least < OPENS, `${taken} ms`);
});

/** Milliseconds until a page of the book is seen with its passage marked. */
async function openedAt(number) {
  const at = await spanOf('book.pdf', SAYS(number));
  const page = await open(world.chromium, server.base, '/?q=lamp');
  await page.waitForSelector('article.context');
  const begun = Date.now();
  await page.evaluate((at) => {
    history.pushState(null, '', `?q=lamp&doc=book.pdf&at=${at}`);
    dispatchEvent(new PopStateEvent('popstate'));
  }, at);
  await ready(page);
  await page.waitForSelector('.sheet .marked');
  const taken = Date.now() - begun;
  await page.getByText(t('page.number', number + 1, PAGES)).waitFor();
  const seen = await page.evaluate(() => {
    const mark = document.querySelector('.marked').getBoundingClientRect();
    const pages = document.querySelector('#reader .pages').getBoundingClientRect();
    return mark.top >= pages.top && mark.bottom <= pages.bottom;
  });
  assert.ok(seen, 'the passage is in view');
  await close(page);
  return taken;
}

test('a file that changed or is gone falls back to its text and says so', async () => {
  speak('en');
  const gone = join(place, 'gone.pdf');
  writeFileSync(gone, pdf([['Milk', 'Milk is kept at four degrees.']]));
  const index = join(world.place.folder, 'gone-index');
  run('index', gone, '--index', index);
  const own = await serve(['--index', index]);
  writeFileSync(gone, pdf([['Milk', 'Milk is kept at five degrees.']]));
  const page = await open(world.chromium, own.base, '/?doc=gone.pdf');
  await page.getByText('was changed after it was indexed').waitFor();
  await page.getByText('Milk is kept at four degrees.').waitFor();
  writeFileSync(gone, pdf([['Milk', 'Milk is kept at four degrees.']]));
  await page.reload();
  await ready(page);
  rmSync(gone);
  await page.reload();
  await page.getByText('Milk is kept at four degrees.').waitFor();
  assert.equal(await page.locator('.ways').count(), 0, 'there is nothing to switch to');
  await close(page);
  await own.stop();
});

test('forty contexts of 500 tokens: the first is visible soon after the answer arrives', async (context) => {
  speak('en');
  const { least, taken } = await leastOfFive(shownAfter);
  context.diagnostic(`the first result is visible ${taken.join(', ')} ms after the answer`);
  assert.ok(least < SHOWS, `${taken} ms`);
});

/** Milliseconds between the end of an answer and the first painted result. */
async function shownAfter() {
  const page = await open(world.chromium, world.server.base, '/');
  await page.route('**/api/v1/search*', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const [first] = answer.contexts;
    const text = `## Leave\n\n${'- Every **keeper** has `28 days` of [leave](https://x.example) a year.\n'.repeat(30)}`;
    answer.contexts = Array.from({ length: 40 }, (_, at) => ({
      ...first,
      text,
      hits: [],
      start: first.start + at * 3000,
      end: first.start + at * 3000 + text.length,
    }));
    await route.fulfill({ response, json: answer });
  });
  await page.evaluate(() => {
    window.shown = new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('article.context .reading')) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      }).observe(document.body, { childList: true, subtree: true });
    });
  });
  await page.getByRole('searchbox').fill('How many days of annual leave do I get?');
  const taken = await page.evaluate(async () => {
    const shown = await window.shown;
    const answers = performance
      .getEntriesByType('resource')
      .filter(({ name }) => /v1\/search/.test(name));
    return shown - answers.at(-1).responseEnd;
  });
  await page.waitForFunction(() => document.querySelectorAll('article.context').length === 40);
  await close(page);
  return taken;
}
