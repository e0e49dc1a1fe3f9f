// Pictures of a report, as people will see it: desktop light and dark, and a phone of 360 pixels; English and Chinese.
//
//     node benches/look.mjs report.html OUT_DIR
//
// Needs the package `playwright-core` and a Chromium (CHROMIUM=/path, or /usr/bin/chromium). Says so and stops with status 2
// when one is absent. Fails when the page loads anything, runs a script, or is wider than the phone.

import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const absent = (what) => {
  console.log(`not looked at: ${what} is absent`);
  process.exit(2);
};
const [file, out] = process.argv.slice(2);
if (!file || !out) {
  console.error('usage: node look.mjs report.html OUT_DIR');
  process.exit(1);
}
const chromium = process.env.CHROMIUM || '/usr/bin/chromium';
if (!existsSync(chromium)) absent(`Chromium (${chromium})`);
const playwright = await import(process.env.PLAYWRIGHT || 'playwright-core').catch(() => absent('the package playwright-core'));
const { chromium: engine } = playwright.default ?? playwright;

const views = [
  { name: 'desktop-light', width: 1280, height: 900, colorScheme: 'light', lang: 'en' },
  { name: 'desktop-dark', width: 1280, height: 900, colorScheme: 'dark', lang: 'en' },
  { name: 'phone-light', width: 360, height: 800, colorScheme: 'light', lang: 'en' },
  { name: 'phone-dark-zh', width: 360, height: 800, colorScheme: 'dark', lang: 'zh' },
  { name: 'desktop-zh', width: 1280, height: 900, colorScheme: 'light', lang: 'zh' },
];

mkdirSync(out, { recursive: true });
const browser = await engine.launch({ executablePath: chromium, args: ['--no-sandbox'] });
let faults = 0;
for (const { name, width, height, colorScheme, lang } of views) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, deviceScaleFactor: 1 });
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && asked.push(message.text()));
  page.on('dialog', (dialog) => (asked.push(`dialog ${dialog.message()}`), dialog.dismiss()));
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.click(`label[for="${lang}"]`);
  const question = page.locator('details.q').first();
  if (await question.count()) await question.locator('summary').click();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await page.screenshot({ path: `${out}/${name}.png`, fullPage: true });
  const extra = asked.slice(1);
  console.log(`${name}: ${extra.length} requests besides the page, ${wide > 0 ? `${wide} pixels too wide` : 'fits'}`);
  faults += extra.length + (wide > 0 ? 1 : 0);
  await page.close();
}
await browser.close();
process.exit(faults ? 1 : 0);
