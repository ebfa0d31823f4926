// `npm run screenshots`: the pictures of the README, taken of the first minute in a real browser. Each page at 390 and 1440 pixels, light and
// dark; those that the README shows go into docs/pictures, and with --all FOLDER every one into that folder.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { pages } from './screenshots/pages.mjs';
import { findChromium } from './servers/chromium.mjs';
import { createGuard, endGuards } from './servers/guard.mjs';
import { stopOnSignals } from './servers/stop-on-signals.mjs';

/** Name in docs/pictures, by what is taken. */
const shown = {
  'home 1440 light': 'home.png',
  'home 390 dark': 'home-phone.png',
  'delivery 1440 light': 'delivery.png',
  'inbox 1440 dark': 'inbox.png',
};
const tellingMs = 40_000;

const isInterrupted = stopOnSignals();
const all = process.argv[2] === '--all' ? resolve(process.argv[3] ?? '.') : undefined;
prepare();
const chromium = findChromium({ mayInstall: true });
if (chromium.missing) {
  console.error(`There is no browser to take pictures with. ${chromium.missing}`);
  process.exit(1);
}
const guard = createGuard();
try {
  const url = await startServer();
  console.log(`Tidings at ${url}; ${tellingMs / 1000} s, so that there is something to see …`);
  await post(url, 'newsletter');
  await post(url, 'review');
  await planOne(url);
  const lockedUrl =
    all && (await startServer({ OPERATOR_API_KEY: 'for-the-picture-of-signing-in-0123456789' }));
  await new Promise((done) => setTimeout(done, tellingMs));
  await takeAll({ url, lockedUrl });
} finally {
  await endGuards();
}
if (isInterrupted()) process.exitCode = 1;

async function startServer(variables = {}) {
  const folder = guard.folder(mkdtempSync(join(tmpdir(), 'tidings-screenshots-')));
  const args = [join(root, 'scripts/tidings.mjs'), 'serve', '--samples', '--json'];
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'error', ...variables };
  const server = guard.spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  while (!out.includes('"url"')) out += String((await once(server.stdout, 'data'))[0]);
  return /"url": ?"([^"]+)"/.exec(out)[1];
}

async function post(url, verb) {
  await fetch(`${url}/api/v1/samples/${verb}`, { method: 'POST' });
}

/** A plan that nobody applies. */
async function planOne(url) {
  await fetch(`${url}/api/v1/notifications/plans`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ notificationType: 'newsletter_entity_monthly', force: true }),
  });
}

function apiOf(url) {
  return async (path) => (await fetch(`${url}/api/v1${path}`)).json();
}

/** Where a page is: the console's own, unless it says otherwise. */
async function addressOf(page, { url, lockedUrl }) {
  const { path, isLocked, isOfStudents } = typeof page === 'object' ? page : { path: page };
  const place = typeof path === 'string' ? path : await path(apiOf(url));
  return `${isLocked ? lockedUrl : url}${isOfStudents ? '' : '/console'}${place}`;
}

async function takeAll(servers) {
  const { chromium: playwright } = await import('playwright-core');
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await playwright.launch({ executablePath: chromium.path, args });
  const pictures = join(root, 'docs/pictures');
  for (const folder of [pictures, ...(all ? [all] : [])]) mkdirSync(folder, { recursive: true });
  try {
    for (const width of [390, 1440])
      for (const colorScheme of ['light', 'dark']) {
        const size = { width, height: width === 390 ? 844 : 900 };
        const context = await browser.newContext({
          viewport: size,
          colorScheme,
          locale: 'en-GB',
        });
        const page = await context.newPage();
        for (const [name, place] of Object.entries(pages)) {
          const picture = shown[`${name} ${width} ${colorScheme}`];
          if (!all && !picture) continue;
          await page.goto(await addressOf(place, servers));
          await page.locator('h1').first().waitFor();
          await page.waitForTimeout(1_500);
          if (picture) {
            // As much of it as has the whole map.
            if (name === 'home' && width === 1440) await page.setViewportSize({ width, height: 1_100 });
            await page.screenshot({ path: join(pictures, picture) });
            await page.setViewportSize(size);
          }
          if (!all) continue;
          // A frame is painted where it can be seen, so the whole page has to be.
          const height = await page.evaluate('document.documentElement.scrollHeight');
          await page.setViewportSize({ width, height });
          await page.waitForTimeout(300);
          await page.screenshot({ path: join(all, `${name}-${width}-${colorScheme}.png`), fullPage: true });
          await page.setViewportSize(size);
        }
        await context.close();
      }
  } finally {
    await browser.close();
  }
}
