// The world of the browser tests: an index of the sample documents and some hostile ones, a real server, a real browser.
//
// `OKNO_BIN` is the program, `OKNO_TEST_BROWSER` a folder whose `node_modules` has playwright-core and axe-core.
// Screenshots go to `OKNO_TEST_PICTURES` where that is set. With `OKNO_TEST_FILES` the files of the page are taken from their
// folder instead of the program, under the program's own policy: for working on them without compiling.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hostile } from './hostile.mjs';

export const modules = createRequire(join(process.env.OKNO_TEST_BROWSER ?? '.', 'package.json'));
const SAMPLE = fileURLToPath(new URL('../../../okno-cli/sample/', import.meta.url));
const PROGRAM = process.env.OKNO_BIN ?? 'okno';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** An image of one pixel. */
const KETTLE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** A browser. */
export function browser() {
  const executablePath = process.env.OKNO_TEST_CHROMIUM ?? '/usr/bin/chromium';
  return modules('playwright-core').chromium.launch({ executablePath, args: FLAGS });
}

/** Documents and an index in a folder of their own: the sample, and what is `strange` – hostile documents, an image. */
export function prepare({ strange = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'okno-page-'));
  const documents = join(folder, 'documents');
  cpSync(join(SAMPLE, 'documents'), documents, { recursive: true });
  if (strange) addStrange(documents);
  const index = join(folder, 'index');
  run('index', documents, '--index', index);
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'note.txt'), 'The home index speaks of saffron.\n');
  const other = join(folder, 'other');
  run('index', home, '--index', other);
  return {
    folder,
    documents,
    index,
    other,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function addStrange(documents) {
  mkdirSync(join(documents, 'hostile'));
  for (const [name, text] of Object.entries(hostile))
    writeFileSync(join(documents, 'hostile', name), text);
  writeFileSync(
    join(documents, 'kettle.md'),
    '# The vermilion kettle\n\nThe vermilion kettle stands on the left hob.\n\n![A vermilion kettle](kettle.png)\n',
  );
  writeFileSync(join(documents, 'kettle.png'), Buffer.from(KETTLE, 'base64'));
}

/** One browser, one index and one server for all tests of a file: there before the first of them, gone after the last. */
export function shared(andThen = async () => {}) {
  const world = {};
  before(async () => {
    [world.chromium, world.place] = [await browser(), prepare()];
    world.server = await serve(['--index', world.place.index]);
    // Hooks of a file are not run one after the other.
    await andThen(world);
  });
  after(async () => {
    await world.chromium?.close();
    await world.server?.stop();
    world.place?.remove();
  });
  return world;
}

/** How many times longer than on an idle machine everything takes now: wall time of 100 ms of work. */
export function slowness() {
  const [began, used] = [performance.now(), process.cpuUsage()];
  for (let work = 0; work < 100_000;) {
    const { user, system } = process.cpuUsage(used);
    work = user + system;
  }
  return Math.max(1, (performance.now() - began) / 100);
}

/** The least of five measurements of something, each as it would be on an idle machine, in milliseconds. */
export async function leastOfFive(measure) {
  const taken = [];
  for (const number of [0, 1, 2, 3, 4]) {
    const before = slowness();
    const wall = await measure(number);
    taken.push(Math.round(wall / ((before + slowness()) / 2)));
  }
  return { least: Math.min(...taken), taken };
}

/** Runs the program to its end. */
export function run(...args) {
  const done = spawnSync(PROGRAM, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`okno ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

/** Starts a server on a port of its own and waits until it says where it is. Without a model, unless `env` names one. */
export function serve(args, env = {}) {
  const child = spawn(PROGRAM, ['serve', '--port', '0', ...args], {
    env: { ...process.env, OKNO_MODEL_PROVIDER: 'none', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    const heard = (data) => {
      said += data;
      const base = said.match(/http:\/\/[\w.:[\]]+/)?.[0];
      if (!base) return;
      // A test that fails does not stop its server, and this process must end nonetheless.
      for (const handle of [child, child.stdout, child.stderr]) handle.unref();
      process.once('exit', () => child.kill('SIGKILL'));
      resolve({
        base,
        stop: () =>
          new Promise((over) => {
            child.ref();
            child.once('exit', over);
            child.kill('SIGTERM');
          }),
      });
    };
    child.stdout.on('data', heard);
    child.stderr.on('data', heard);
    child.once('exit', (code) => reject(new Error(`okno serve ended with ${code}: ${said}`)));
  });
}

/** A page in a language and theme that fails the test on any error of a script and remembers what the policy stopped. */
export async function open(
  chromium,
  base,
  path,
  { locale = 'en-US', width = 1280, height = 900, colorScheme = 'light' } = {},
) {
  const context = await chromium.newContext({
    locale,
    colorScheme,
    viewport: { width, height },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  // Long enough for a debug build on a busy machine, short enough to learn of a fault.
  page.setDefaultTimeout(Number(process.env.OKNO_TEST_WAIT ?? 15000));
  if (process.env.OKNO_TEST_FILES)
    await page.route((url) => /\.(js|css|svg)$|^\/$/.test(url.pathname), fromFolder);
  page.faults = [];
  page.stopped = [];
  page.on('pageerror', (fault) => page.faults.push(String(fault)));
  await page.exposeFunction('policyStopped', (what) => page.stopped.push(what));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      window.policyStopped(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  await page.goto(base + path);
  return page;
}

/** A file of each kind that every program has: what it is served with, a new file is served with too. */
const LIKE = { js: '/main.js', css: '/base.css', svg: '/okno.svg', html: '/' };

async function fromFolder(route) {
  const url = new URL(route.request().url());
  const name = url.pathname.slice(1) || 'index.html';
  try {
    const response = await route.fetch({ url: new URL(LIKE[name.split('.').at(-1)], url).href });
    await route.fulfill({ response, body: readFileSync(new URL(`../${name}`, import.meta.url)) });
  } catch {
    await route.abort().catch(() => {}); // the page, or the server, has gone meanwhile
  }
}

/** Closes a page; nothing may have gone wrong on it. */
export async function close(page) {
  await page.context().close();
  if (page.faults.length || page.stopped.length)
    throw new Error(`on the page: ${[...page.faults, ...page.stopped].join('; ')}`);
}

const axe = () => readFileSync(modules.resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with a page as it is now. */
export async function broken(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe());
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Keeps a picture for people to look at. */
export async function picture(page, name) {
  const folder = process.env.OKNO_TEST_PICTURES;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}
