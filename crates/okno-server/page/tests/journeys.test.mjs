// What people do here, in both languages, against the real server.
import test from 'node:test';
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { broken, close, open, picture, serve, shared } from './world.mjs';
import { model } from './model.mjs';
import { speak, t } from '../words.js';

const LEAVE = 'How many days of annual leave do I get?';
const ONION = '番茄蛋花汤要几个鸡蛋？';

/** A PDF that nobody can read without its password. */
const LOCKED = fileURLToPath(
  new URL('../../../okno-load/tests/files/protected.pdf', import.meta.url),
);

const world = shared();

/** Runs a journey once per language. */
function journey(name, walk) {
  for (const [language, locale] of [
    ['en', 'en-US'],
    ['zh', 'zh-CN'],
  ]) {
    test(`${name} (${language})`, async () => {
      speak(language);
      const go = (path, options) =>
        open(world.chromium, world.server.base, path, { locale, ...options });
      await walk(go, language);
    });
  }
}

const field = (page) => page.getByRole('searchbox', { name: t('question') });
const button = (page, name) => page.getByRole('button', { name, exact: true });
const params = (page) => new URL(page.url()).searchParams;

/** Opens the settings that few people need. */
const advanced = (page) => page.locator('details.advanced > summary').click();

/** Opens a field of the filters. */
const unfold = (page, name) =>
  page.locator('.group > summary', { hasText: new RegExp(`^${name}$`) }).click();

/** Waits until nothing is being looked for. */
const settled = (page) => page.waitForSelector('.results[aria-busy="false"]');

journey(
  'search as you type: the hit is marked inside its window, and stale answers are dropped',
  async (go, language) => {
    const page = await go('/');
    await page.getByText(t('search.welcome')).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'question');
    // The first question is answered late; its answer must not replace the second's.
    let first = true;
    await page.route('**/api/v1/search*', async (route) => {
      if (first) {
        first = false;
        await new Promise((over) => setTimeout(over, 900));
      }
      await route.continue().catch(() => {});
    });
    await field(page).fill('lighthouse');
    await page.waitForTimeout(300);
    await field(page).fill(LEAVE);
    const card = page.locator('article.context').first();
    await card.getByText('28 days a year').waitFor();
    await page.waitForTimeout(1000);
    assert.match(await card.locator('.trail').innerText(), /2\. Leave › 2\.1 Annual leave/);
    assert.match(await card.locator('.where').innerText(), /en\/handbook\.md/);
    assert.match(await card.locator('mark.hit').first().innerText(), /28 days/);
    assert.equal(params(page).get('q'), LEAVE);
    await picture(page, `search-${language}`);
    await close(page);
  },
);

journey('the window, the recipe and the budget ask again at once', async (go) => {
  const page = await go(`/?q=${encodeURIComponent(LEAVE)}`);
  const card = page.locator('article.context').first();
  await card.waitFor();
  assert.equal(await page.getByRole('slider').count(), 0, 'they are folded');
  await advanced(page);
  const length = async () =>
    (await page.locator('article.context .reading').allInnerTexts()).join('').length;
  const slide = async (value) => {
    const answered = page.waitForResponse('**/api/v1/search*');
    await page.getByRole('slider', { name: t('window') }).fill(String(value));
    await answered;
    await settled(page);
    // The answer may have come before the page shows it.
    await page.locator('article.context .reading').first().waitFor();
    return length();
  };
  const [none, wide] = [await slide(0), await slide(8)];
  assert.ok(wide > 2 * none, `${none} → ${wide}`);
  assert.equal(params(page).get('expand'), 'window:8');
  await page.getByLabel(t('expand'), { exact: true }).selectOption('section');
  await page.waitForFunction(
    () => new URLSearchParams(location.search).get('expand') === 'section',
  );
  await settled(page);
  await page.getByLabel(t('recipe'), { exact: true }).selectOption('chunks');
  await page.waitForURL(/recipe=chunks/);
  await settled(page);
  const answered = page.waitForRequest(
    (request) => request.url().includes('/search') && request.postDataJSON().budget > 2000,
  );
  // What matches less comes before what a larger budget holds.
  const more = button(page, t('search.more'));
  if (!(await more.count())) await page.locator('.foot button').click();
  await more.click();
  await answered;
  await page.goBack();
  assert.equal(params(page).get('budget'), null);
  // What was chosen is remembered for an address that says nothing, and told where it is folded.
  await page.goto(`${world.server.base}/`);
  await page.waitForURL(/recipe=chunks&expand=section/);
  const told = await page.locator('details.advanced > summary').innerText();
  assert.match(told, new RegExp(t('expand.section')));
  await page.getByLabel(t('recipe'), { exact: true }).waitFor();
  await close(page);
});

journey(
  'simple first: few tab stops, relevance as a word, what matches less behind more',
  async (go) => {
    const page = await go(`/?q=${encodeURIComponent(LEAVE)}&budget=2000`);
    const cards = page.locator('article.context');
    await cards.first().waitFor();
    await settled(page);
    const words = await page.locator('article.context .relevance').allInnerTexts();
    assert.equal(words[0], t('relevance.strong'));
    assert.ok(!words.includes(t('relevance.weak')), words.join());
    await page.evaluate(() => document.activeElement.blur());
    let stops = 0;
    do {
      await page.keyboard.press('Tab');
      stops += 1;
    } while (stops < 60 && !(await page.evaluate(() => document.activeElement.matches('article'))));
    assert.ok(stops <= 25, `${stops} tab stops before the first result`);
    await page.locator('.foot button').click();
    const all = await page.locator('article.context .relevance').allInnerTexts();
    assert.ok(all.length > words.length && all.includes(t('relevance.weak')));
    assert.equal(
      await page.evaluate(() =>
        [...document.querySelectorAll('article.context')].indexOf(document.activeElement),
      ),
      words.length,
    );
    await close(page);
  },
);

journey('a query over rows stands above the passages it rests on', async (go, language) => {
  const page = await go(`/?q=${encodeURIComponent('How many commands are there?')}`);
  const result = page.locator('.computed');
  await result.waitFor();
  assert.equal(await result.innerText(), 'count\n7');
  const above = await page.locator('.results > p.small').first().innerText();
  assert.ok(above.startsWith(t('rows.rule').trim()) && above.includes('SELECT count('), above);
  const card = page.locator('article.context').first();
  await card.getByRole('button', { name: t('why') }).click();
  assert.match(await card.locator('.why').innerText(), /sql/);
  await picture(page, `rows-${language}`);
  await field(page).fill(LEAVE);
  await page.locator('article.context').first().getByText('28 days a year').waitFor();
  assert.equal(await result.count(), 0);
  await close(page);
});

journey('why: legs, ranks and shares of each hit', async (go, language) => {
  const page = await go(`/?q=${encodeURIComponent(language === 'zh' ? ONION : LEAVE)}`);
  const card = page.locator('article.context').first();
  const why = card.getByRole('button', { name: t('why') });
  await why.click();
  assert.equal(await why.getAttribute('aria-expanded'), 'true');
  const sentences = await card.locator('.why .reasons').innerText();
  assert.ok(sentences.includes(t('why.strong', '…').split('…')[0]), sentences);
  assert.ok(sentences.includes(t('why.around')), sentences);
  assert.ok(sentences.includes(t('why.pieces', language === 'zh' ? '番茄' : 'days')), sentences);
  await card.getByText(t('why.figures'), { exact: true }).click();
  const text = await card.locator('.why').innerText();
  for (const word of [t('why.leg.lexical'), t('why.leg.dense'), 'sentence', 'window:2'])
    assert.ok(text.includes(word), word);
  await picture(page, `why-${language}`);
  await close(page);
});

journey('filters: offered from the index, read from the question, removable', async (go) => {
  const page = await go(`/?q=${encodeURIComponent('2023年的素菜怎么做')}`);
  await page.getByText(t('filters.read')).waitFor();
  await page.getByRole('button', { name: t('filters.remove', 'category = 素菜') }).click();
  await page.waitForURL(/literal=1/);
  await page.getByText(t('filters.literal')).waitFor();
  await page.getByRole('button', { name: t('filters.literal.off') }).click();
  await page.getByText(t('filters.read')).waitFor();
  await unfold(page, t('field.type'));
  await page.getByRole('checkbox', { name: 'markdown' }).check();
  await page.waitForURL(/filter=type/);
  await settled(page);
  for (const where of await page.locator('article.context .where').allInnerTexts())
    assert.match(where, /\.md/);
  await unfold(page, t('field.folder'));
  await page.getByRole('checkbox', { name: 'zh', exact: true }).check();
  await page.waitForURL(/filter=path\+starts/);
  await settled(page);
  for (const where of await page.locator('article.context .where').allInnerTexts())
    assert.match(where, /^zh\//);
  // An own filter that cannot be read is told, not swallowed.
  await unfold(page, t('filters.others'));
  await page.getByRole('textbox', { name: t('filters.own') }).fill('category = = x');
  await button(page, t('filters.add')).click();
  await page.getByRole('alert').waitFor();
  await page.goBack();
  await page.locator('article.context').first().waitFor();
  await close(page);
});

journey(
  'nothing relevant is said kindly, and what came nearest is one press away',
  async (go, language) => {
    const page = await go('/?q=quantum+chromodynamics+lagrangian+gauge');
    await page.getByText(t('search.none'), { exact: true }).first().waitFor();
    assert.equal(await page.locator('article.context').count(), 0);
    await picture(page, `nothing-${language}`);
    await button(page, t('search.nearest')).click();
    assert.ok((await page.locator('article.context').count()) > 0);
    await close(page);
  },
);

journey('keyboard: / j k Enter Esc ? and the window', async (go) => {
  const page = await go(`/?q=${encodeURIComponent(LEAVE)}`);
  await page.locator('article.context').nth(1).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const focused = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('article.context')].indexOf(document.activeElement),
    );
  assert.equal(await focused(), 1);
  await page.keyboard.press('k');
  assert.equal(await focused(), 0);
  await page.keyboard.press('w');
  await page.locator('article.context .why').first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('#reader mark').first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H2');
  await page.keyboard.press('Escape');
  await page.locator('#reader').waitFor({ state: 'hidden' });
  assert.equal(await focused(), 0);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: t('keys') }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press(']');
  await page.waitForURL(/expand=window%3A4/);
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'question');
  await page.keyboard.press('Escape');
  await page.keyboard.press('4');
  await page.waitForURL(/view=documents/);
  await close(page);
});

journey(
  'a passage opens its document at the exact span; the address can be sent',
  async (go, language) => {
    const page = await go(`/?q=${encodeURIComponent(LEAVE)}`);
    await page.locator('article.context a.title').first().click();
    const mark = page.locator('#reader mark.hit');
    await mark.waitFor();
    const words = await mark.textContent();
    assert.match(words, /28 days a year/);
    assert.ok(await mark.isVisible());
    const there = page.url();
    await picture(page, `reader-${language}`);
    await page.locator('#reader summary', { hasText: t('reader.outline') }).click();
    await page.locator('#reader .outline').getByRole('button', { name: '2.4 Study days' }).click();
    await page.goBack();
    await page.locator('#reader').waitFor({ state: 'hidden' });
    await close(page);
    const other = await go(there.slice(world.server.base.length));
    assert.equal(await other.locator('#reader mark.hit').textContent(), words);
    assert.ok(
      await other.evaluate(() => {
        const box = document.querySelector('#reader mark').getBoundingClientRect();
        return box.top > 0 && box.bottom < innerHeight;
      }),
    );
    await close(other);
  },
);

journey('an image comes with the passage it stands in', async (go) => {
  const page = await go('/?q=vermilion+kettle');
  const image = page.locator('article.context img').first();
  await image.waitFor();
  assert.equal(await image.getAttribute('alt'), 'A vermilion kettle');
  assert.equal(await image.evaluate((element) => element.naturalWidth), 1);
  await close(page);
});

journey('compare: two recipes side by side, what only one has marked', async (go, language) => {
  const page = await go(`/?view=compare&q=${encodeURIComponent(LEAVE)}`);
  await page.locator('.side-by').nth(1).waitFor();
  assert.ok((await page.locator('mark.only').count()) > 0);
  await picture(page, `compare-${language}`);
  // A recipe beside itself has no differences.
  await page.getByLabel(t('compare.left')).selectOption('auto');
  await page.waitForURL(/left=auto/);
  await page.getByText(t('compare.same')).nth(1).waitFor();
  assert.equal(await page.locator('mark.only').count(), 0);
  await close(page);
});

journey(
  'a mistyped word is searched for as the documents spell it, and can be taken back',
  async (go) => {
    const page = await go('/?q=anual+leave+per+year');
    await settled(page);
    const chip = page.locator('.chip', { hasText: t('filters.spelled', 'anual') });
    assert.match(await chip.innerText(), /^annual/);
    await chip.locator('button.x').click();
    await settled(page);
    assert.equal(params(page).get('q'), '"anual" leave per year');
    assert.equal(await page.locator('.chip').count(), 0);
    await close(page);
  },
);

journey(
  'ask: an answer with chips that open the exact span; without a model, how to set one up',
  async (go, language) => {
    const page = await go('/?view=ask');
    await field(page).fill(LEAVE);
    await button(page, t('ask.button')).click();
    const chip = page.locator('.answer a.cite').first();
    await chip.waitFor();
    await page.getByText(t('ask.extractive')).waitFor();
    await page.getByText(t('ask.setup'), { exact: true }).click();
    assert.match(await page.locator('.setup pre').innerText(), /\[model\]/);
    await picture(page, `ask-${language}`);
    const plain = (text) => text.replace(/[\s*-]+/g, ' ').trim();
    const cited = await page.locator('.sources .quote').first().innerText();
    await chip.click();
    const marks = page.locator('#reader mark.hit');
    await marks.first().waitFor();
    assert.equal(plain((await marks.allTextContents()).join(' ')), plain(cited));
    await close(page);
  },
);

journey(
  'ask with a model: words stream in, citations are checked, markup stays text, stopping stops',
  async (go, language) => {
    const says = `Full-time staff have 28 days a year [1]. More after three years [1][97]. <img src=x onerror="window.owned=1"> ${'and so on '.repeat(40)}`;
    const service = await model(says);
    const wordy = await serve(['--index', world.place.index], service.env);
    const page = await open(
      world.chromium,
      wordy.base,
      `/?view=ask&q=${encodeURIComponent(LEAVE)}`,
      { locale: language === 'zh' ? 'zh-CN' : 'en-US' },
    );
    const answer = page.locator('.now .answer');
    await answer.getByText('28 days').waitFor();
    assert.ok(
      !(await answer.innerText()).includes('and so on and so on'),
      'the words come one by one',
    );
    await page.locator('.now .answer span.cite').first().waitFor();
    await page
      .locator('#main')
      .getByText(/scripted/)
      .waitFor();
    await page.getByText(t('ask.removed', 1)).waitFor();
    assert.equal(await page.locator('.now .answer img').count(), 0);
    assert.equal(await page.evaluate(() => window.owned), undefined);
    await page.locator('.now .answer a.cite').first().click();
    assert.match(await page.locator('#reader mark.hit').textContent(), /28 days/);
    await page.keyboard.press('Escape');
    await field(page).fill('What about study days?');
    await button(page, t('ask.button')).click();
    await answer.getByText('28 days').waitFor();
    await button(page, t('stop')).click();
    await page.getByText(t('ask.stopped')).waitFor();
    await close(page);
    await wordy.stop();
    service.stop();
  },
);

journey(
  'a model is picked from those that are set up, by the keyboard too, remembered, and told with each turn',
  async (go, language) => {
    const services = [
      await model('The usual one: 28 days [1].'),
      await model('28 days: the other.'),
    ];
    const [usual, other] = services;
    const file = join(world.place.folder, 'okno.toml');
    writeFileSync(file, `[models.other]\nbase_url = "${other.base}"\nname = "second"\n`);
    const both = await serve(['--index', world.place.index], usual.env);
    rmSync(file);
    const locale = language === 'zh' ? 'zh-CN' : 'en-US';
    const page = await open(world.chromium, both.base, '/?view=ask', { locale });
    const [answer, menu] = [
      page.locator('.now .answer'),
      page.getByLabel(t('model'), { exact: true }),
    ];
    await field(page).fill(LEAVE);
    await button(page, t('ask.button')).click();
    await answer.getByText('The usual one').waitFor();
    assert.match(await menu.locator('option:checked').innerText(), /scripted/);
    await settled(page);
    // From the question to the menu, and to its other entry.
    await field(page).focus();
    do await page.keyboard.press('Tab');
    while (!(await menu.evaluate((element) => element === document.activeElement)));
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(/model=other/);
    await answer.getByText('the other').waitFor();
    await page
      .locator('.now')
      .getByText(/\/second/)
      .waitFor();
    assert.deepEqual(await broken(page), []);
    await picture(page, `model-${language}`);
    await menu.selectOption('default');
    await answer.getByText('The usual one').waitFor();
    await settled(page);
    await menu.selectOption('other');
    await settled(page);
    await field(page).fill('What about study days?');
    await button(page, t('ask.button')).click();
    await page.locator('.earlier summary').click();
    await page
      .locator('.earlier')
      .getByText(/\/second/)
      .waitFor();
    await page.goto(`${both.base}/`);
    await page.getByRole('link', { name: t('view.ask') }).click();
    await page.waitForURL(/model=other/);
    assert.equal(await menu.inputValue(), 'other');
    await close(page);
    await both.stop();
    services.forEach((service) => service.stop());
    // Where it is not set up any more, the usual one answers, and there is nothing to pick.
    const plain = await go(`/?view=ask&model=other&q=${encodeURIComponent(LEAVE)}`);
    await plain.locator('.sources li').first().waitFor();
    assert.equal(await plain.getByLabel(t('model'), { exact: true }).count(), 0);
    await close(plain);
  },
);

journey(
  'a conversation: a follow-up is made whole and says so, turns are kept, named, exported, deleted',
  async (go, language) => {
    const [first, next, asked] =
      language === 'zh'
        ? [ONION, '那要煮多久？', '番茄蛋花汤，要煮多久？']
        : [
            LEAVE,
            'And what about part-time staff?',
            'what about part-time staff – days of annual leave?',
          ];
    const page = await go('/?view=ask');
    const answered = (question) =>
      page
        .locator('.results[aria-busy="false"]', {
          has: page.locator('h2.asked', { hasText: question }),
        })
        .waitFor();
    const put = async (question) => {
      await field(page).fill(question);
      await button(page, t('ask.button')).click();
      await answered(question);
    };
    await put(first);
    assert.equal(await field(page).inputValue(), '');
    assert.equal(await page.locator('.carried').count(), 0);
    await put(next);
    assert.match(await page.locator('.carried').innerText(), new RegExp(t('ask.carried', '')));
    assert.equal(params(page).get('q'), asked);
    assert.deepEqual(await page.locator('.earlier summary').allInnerTexts(), [first]);
    await picture(page, `conversation-${language}`);
    await page.reload();
    await answered(next);
    assert.deepEqual(await page.locator('.earlier summary').allInnerTexts(), [first]);
    await page.locator('.earlier summary').click();
    await page.locator('.earlier a.cite').first().click();
    await page.locator('#reader mark.hit').first().waitFor();
    await page.keyboard.press('Escape');

    await button(page, t('talk.rename')).click();
    await page.getByRole('dialog').getByLabel(t('talk.name')).fill('Tea/time');
    await button(page, t('talk.save')).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      button(page, t('talk.export')).click(),
    ]);
    assert.equal(file.suggestedFilename(), 'Tea time.md');
    const text = readFileSync(await file.path(), 'utf8');
    const order = ['# Tea/time', `## ${first}`, '- [1] ', `## ${next}`, asked];
    const places = order.map((words) => text.indexOf(words));
    assert.ok(
      places.every((at, i) => at >= 0 && (!i || at > places[i - 1])),
      `${places}: ${text}`,
    );

    await button(page, t('ask.literal')).click();
    await page.locator('.carried').waitFor({ state: 'detached' });
    await answered(next);
    assert.equal(params(page).get('q'), next);
    assert.equal(await page.locator('.earlier .turn').count(), 1);

    await button(page, t('talk.new')).click();
    await page.getByText(t('ask.welcome')).waitFor();
    assert.equal(await page.locator('.earlier').count(), 0);
    await page.getByLabel(t('talk'), { exact: true }).selectOption({ label: 'Tea/time' });
    await answered(next);
    await button(page, t('talk.delete')).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('talk.delete') })
      .click();
    await page.getByText(t('ask.welcome')).waitFor();
    assert.equal(await page.locator('.talk').count(), 0);
    await close(page);
  },
);

journey(
  'the model helps to search: offered where there is one, told what it did, asked by Enter',
  async (go, language) => {
    const plain = await go(`/?q=${encodeURIComponent(LEAVE)}`);
    await plain.locator('article.context').first().waitFor();
    assert.equal(
      await plain.locator('details.help').count(),
      0,
      'without a model there is nothing to offer',
    );
    await close(plain);
    const service = await model('never said', {
      question: 'days of annual leave of full-time staff',
      route: 'lexical',
    });
    const helpful = await serve(['--index', world.place.index], service.env);
    const page = await open(world.chromium, helpful.base, '/', {
      locale: language === 'zh' ? 'zh-CN' : 'en-US',
    });
    await advanced(page);
    await page.locator('details.help summary').click();
    await page.getByRole('checkbox', { name: t('help.rewrite') }).check();
    await page.getByRole('checkbox', { name: t('help.route') }).check();
    await page.waitForURL(/help=rewrite&help=route/);
    let asked = 0;
    page.on('request', (request) => (asked += request.url().includes('/search') ? 1 : 0));
    await field(page).fill(LEAVE);
    await page.waitForTimeout(500);
    assert.equal(asked, 0, 'typing asks no model');
    await page.keyboard.press('Enter');
    await page.locator('article.context').first().getByText('28 days a year').waitFor();
    await page.locator('.column > div > details.helped summary').click();
    await page
      .locator('details.helped')
      .first()
      .getByText('days of annual leave of full-time staff')
      .waitFor();
    await page
      .locator('article.context')
      .first()
      .getByRole('button', { name: t('why') })
      .click();
    assert.match(
      await page.locator('article.context .why').first().innerText(),
      new RegExp(t('because.model')),
    );
    await picture(page, `help-${language}`);
    await close(page);
    await helpful.stop();
    service.stop();
  },
);

journey(
  'documents: files are added with progress, the unreadable are named with their reasons, one is taken out',
  async (go, language) => {
    const page = await go('/?view=documents');
    await page.locator('table.documents a').first().waitFor();
    const good = join(world.place.folder, `tulips-${language}.md`);
    const bad = join(world.place.folder, `locked-${language}.pdf`);
    writeFileSync(good, `# Tulips ${language}\n\nThe vermilion tulip blooms in week nineteen.\n`);
    copyFileSync(LOCKED, bad);
    await page.locator('#files').setInputFiles([good, bad]);
    await page
      .locator('.job li', {
        hasText: `locked-${language}.pdf – ${language === 'zh' ? '有密码保护' : 'password'}`,
      })
      .waitFor();
    await page.getByRole('searchbox', { name: t('documents.find') }).fill(`tulips-${language}`);
    const row = page.locator('table.documents tbody tr');
    await page.waitForFunction(
      () => document.querySelectorAll('table.documents tbody tr').length === 1,
    );
    await picture(page, `documents-${language}`);
    await row.getByRole('button').click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('cancel') })
      .click();
    assert.equal(await row.count(), 1);
    await row.getByRole('button').click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('documents.delete') })
      .click();
    await page.getByText(t('documents.nomatch')).waitFor();
    await close(page);
  },
);

journey('files can be dropped', async (go, language) => {
  const page = await go('/?view=documents');
  await page.locator('table.documents').waitFor();
  const data = await page.evaluateHandle((name) => {
    const transfer = new DataTransfer();
    transfer.items.add(
      new File(['The dropped note speaks of saffron.'], name, { type: 'text/plain' }),
    );
    return transfer;
  }, `dropped-${language}.txt`);
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: data });
  await page.locator('table.documents').getByText(`dropped-${language}.txt`).waitFor();
  await close(page);
});

journey('a folder can be chosen: its files come in, two of one name both', async (go, language) => {
  const folder = join(world.place.folder, `papers-${language}`);
  mkdirSync(join(folder, 'old'), { recursive: true });
  for (const name of ['note.txt', 'old/note.txt', '.hidden.txt'])
    writeFileSync(join(folder, name), `The papers-${language} note ${name} speaks of marzipan.\n`);
  const page = await go('/?view=documents');
  await page.locator('#folder').setInputFiles(folder);
  // Uploads of the tests before are there too, unchanged.
  await page
    .locator('.job')
    .getByText(t('job.done', 2, 0, '…', 0).split('…')[0])
    .waitFor();
  await page
    .locator('.job')
    .getByRole('button', { name: t('job.next') })
    .click();
  await field(page).fill('marzipan');
  await page
    .locator('article.context .where', { hasText: `papers-${language} – old – note.txt` })
    .first()
    .waitFor();
  await close(page);
});

test('an index without documents says so wherever something would be asked', async () => {
  speak('en');
  const bare = await serve(['--index', join(world.place.folder, 'bare')]);
  for (const view of ['search', 'ask', 'compare', 'evaluate']) {
    const page = await open(world.chromium, bare.base, `/?view=${view}&q=tea`);
    await page.getByText(t('search.empty')).waitFor();
    await button(page, t('search.empty.more')).click();
    await page.locator('.drop').waitFor();
    await close(page);
  }
  await bare.stop();
});

journey(
  'evaluate: a set is measured, the leaderboard names the run, its report is in a frame that runs nothing',
  async (go, language) => {
    const set = join(world.place.folder, 'questions.jsonl');
    writeFileSync(
      set,
      [
        {
          qid: '1',
          question: 'How many days of leave?',
          doc_id: 'en/handbook.md',
          answers: ['28 days a year'],
        },
        {
          qid: '2',
          question: 'How much money for training?',
          doc_id: 'en/handbook.md',
          answers: ['600 pounds'],
        },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );
    const page = await go('/?view=evaluate');
    await page.getByLabel(t('eval.set')).setInputFiles(set);
    await page.getByLabel(t('eval.name')).fill(`run-${language}`);
    await button(page, t('eval.start')).click();
    await page
      .getByRole('button', { name: t('eval.report.of', `run-${language}`) })
      .first()
      .waitFor();
    const frame = page.locator('iframe.report');
    await frame.waitFor();
    assert.equal(await frame.getAttribute('sandbox'), '');
    await page
      .frameLocator('iframe.report')
      .locator('code:visible', { hasText: 'auto' })
      .first()
      .waitFor();
    await picture(page, `evaluate-${language}`);
    await close(page);
  },
);

journey(
  'an evaluation can be stopped, also after the page was opened again',
  async (go, language) => {
    const lines = Array.from({ length: 2000 }, (_, i) =>
      JSON.stringify({
        qid: `${i}`,
        question: `How many days of leave in year ${i}?`,
        doc_id: 'en/handbook.md',
        answers: ['28 days a year'],
      }),
    );
    const set = join(world.place.folder, 'many.jsonl');
    writeFileSync(set, lines.join('\n'));
    const page = await go('/?view=evaluate');
    await page.getByLabel(t('eval.set')).setInputFiles(set);
    await page.getByLabel(t('eval.name')).fill(`stopped-${language}`);
    await button(page, t('eval.start')).click();
    await button(page, t('stop')).waitFor();
    await page.reload();
    await button(page, t('stop')).click();
    await page.getByText(t('job.cancelled.eval')).waitFor();
    await page.getByRole('heading', { name: t('eval.runs') }).waitFor();
    assert.equal(await page.getByText(`stopped-${language}`).count(), 0);
    await close(page);
  },
);

test('a report is there again after the server was', async () => {
  speak('en');
  const again = await serve(['--index', world.place.index]);
  const page = await open(world.chromium, again.base, '/?view=evaluate&run=run-en');
  await page
    .frameLocator('iframe.report')
    .locator('code:visible', { hasText: 'auto' })
    .first()
    .waitFor();
  await close(page);
  await again.stop();
});

journey('what the server says is told in the language of the page', async (go, language) => {
  const page = await go(`/?q=${encodeURIComponent(LEAVE)}&filter=nofield+%3D+1`);
  const told = page.getByRole('alert').locator('p').first();
  await told.getByText('nofield').waitFor();
  assert.equal(/[\u4e00-\u9fff]/.test(await told.innerText()), language === 'zh');
  await close(page);
});

journey('feedback: useful and not useful', async (go) => {
  const page = await go(`/?q=${encodeURIComponent(LEAVE)}`);
  const card = page.locator('article.context').first();
  for (const verdict of ['useful', 'not-useful']) {
    const said = page.waitForRequest('**/api/v1/feedback*');
    const pressed = card.getByRole('button', { name: t(`feedback.${verdict}`), exact: true });
    await pressed.click();
    const body = (await said).postDataJSON();
    assert.equal(body.verdict ?? body.opinions?.[0]?.verdict, verdict);
    await card
      .getByRole('button', { name: t(`feedback.${verdict}`), exact: true, pressed: true })
      .waitFor();
    await page.locator('.toast').first().waitFor();
  }
  await close(page);
});

journey('language and theme can be switched and stay', async (go, language) => {
  const page = await go('/');
  assert.match(
    await page.evaluate(() => document.documentElement.lang),
    new RegExp(`^${language}`),
  );
  await page.getByRole('button', { name: t('language.switch') }).click();
  speak(language === 'zh' ? 'en' : 'zh');
  await page.getByText(t('search.welcome')).waitFor();
  await page.getByRole('button', { name: t('theme', t('theme.auto')) }).click();
  await page.getByRole('button', { name: t('theme', t('theme.light')) }).click();
  const wall = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await wall();
  await page.reload();
  await page.getByText(t('search.welcome')).waitFor();
  assert.equal(await wall(), dark);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await close(page);
});

journey('where a key is wanted it is asked for once', async (go, language) => {
  const guarded = await serve(['--index', world.place.index], {
    OKNO_API_KEY: 'correct horse battery staple',
  });
  const page = await open(world.chromium, guarded.base, `/?q=${encodeURIComponent(LEAVE)}`, {
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
  });
  const dialog = page.getByRole('dialog', { name: t('key.title') });
  await dialog.getByLabel(t('key.label')).fill('wrong');
  await page.keyboard.press('Enter');
  await dialog.getByLabel(t('key.label')).fill('correct horse battery staple');
  await dialog.getByRole('button', { name: t('key.use') }).click();
  await page.locator('article.context').first().waitFor();
  await page.reload();
  await page.locator('article.context').first().waitFor();
  await close(page);
  await guarded.stop();
});

journey('several indexes: a switch', async (go, language) => {
  const both = await serve([
    '--index',
    `work=${world.place.index}`,
    '--index',
    `home=${world.place.other}`,
  ]);
  const page = await open(world.chromium, both.base, '/?q=saffron', {
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
  });
  await page.getByLabel(t('index'), { exact: true }).selectOption('home');
  await page.waitForURL(/index=home/);
  await page.locator('article.context').getByText('The home index').waitFor();
  await close(page);
  await both.stop();
});

test('a server that is gone is told, and asking again works', async () => {
  speak('en');
  const short = await serve(['--index', world.place.index]);
  const page = await open(world.chromium, short.base, '/');
  await page.getByText(t('search.welcome')).waitFor();
  await short.stop();
  await page.getByRole('searchbox').fill(LEAVE);
  await page.getByRole('alert').getByText('okno serve').waitFor();
  await close(page);
});
