import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../scripts/system-programs.ts';
import { get } from '../http-get.ts';
import { verifies } from '../verifies.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';

const executablePath = findChromium();
/** A folder for pictures of the page, for people who look at them. */
const pictures = process.env['EXAI_TEST_PICTURES'];
const OWNER_TOKEN = 'Ow7Kd2Xm9Qv4Tz8Rb1Nc6Lp3Hs5-owner';

let harness: GatewayHarness;
let browser: Browser;
/** Has a program `xdg-open` that writes down what it was given. */
let desktop: string;

beforeAll(async () => {
  if (!executablePath) return;
  desktop = mkdtempSync(join(tmpdir(), 'exai-desktop-'));
  const opener = `#!/bin/sh\nprintf %s "$1" > "${desktop}/new" && mv "${desktop}/new" "${desktop}/opened"\n`;
  writeFileSync(join(desktop, 'xdg-open'), opener, { mode: 0o755 });
  harness = await openGatewayHarness({
    env: {
      EXAI_AUTH_REQUIRE_TOKEN: 'true',
      EXAI_TOKEN: OWNER_TOKEN,
      DISPLAY: ':99',
      PATH: [desktop, process.env['PATH'] ?? ''].join(delimiter),
    },
  });
  await harness.exai('ask', 'Say exactly: first');
  await harness.exai('ask', '--model', 'glm-5.2', 'Say exactly: second');
  harness.emulator.fault({ id: 'F16', vendor: 'kimi', times: 0 });
  await harness.exai('ask', '--model', 'kimi-k3', 'Say exactly: third');
  harness.emulator.reset();
  await harness.exai('call', 'chat', '--args', '{"prompt":"Say: fourth","model":"no-such-model"}');
  await harness.exai('call', 'version');
  browser = await chromium.launch({ executablePath });
});

afterAll(async () => {
  await browser?.close();
  await harness?.close();
  if (desktop) rmSync(desktop, { recursive: true, force: true });
});

/** Runs `exai open` and returns the address of the file that it gave to the desktop. */
async function openedFile(): Promise<{ readonly file: string; readonly code: string }> {
  const opened = join(desktop, 'opened');
  rmSync(opened, { force: true });
  const { stdout, stderr, code } = await harness.exai('open', '--json');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ opened: true, url: `${harness.url}/` });
  await expect.poll(() => existsSync(opened)).toBe(true);
  return {
    file: readFileSync(opened, 'utf8'),
    code: (JSON.parse(stdout) as { code: string }).code,
  };
}

interface Watched {
  readonly page: Page;
  /** Errors and warnings of the console, and exceptions. */
  readonly complaints: string[];
  readonly requested: string[];
}

async function watchedPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage();
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  return { page, complaints, requested };
}

/** Logs a new browser profile in, as `exai open` does. */
async function loggedIn(options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext(options);
  const watched = await watchedPage(context);
  const { file, code } = await openedFile();
  await watched.page.goto(pathToFileURL(file).href);
  await watched.page.waitForURL(`${harness.url}/`);
  await watched.page.getByRole('heading', { name: 'Last calls' }).waitFor();
  return { ...watched, context, file, code };
}

describe.skipIf(!executablePath)('the page in Chromium', () => {
  const looks = [400, 1200].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  );

  for (const { width, colorScheme } of looks) {
    verifies(
      'page:browser',
      `is complete, quiet and fits at ${width} px, ${colorScheme}`,
      async () => {
        const viewport = { width, height: 900 };
        const { page, context, complaints, requested, file, code } = await loggedIn({
          viewport,
          colorScheme,
        });
        for (const name of ['Address', 'Providers', 'Last calls', 'Connect a client'])
          expect(await page.getByRole('heading', { name, exact: true }).count()).toBe(1);
        const text = await page.locator('main').innerText();
        expect(text).toContain(`${harness.url}/mcp`);
        expect(text).toContain(`${harness.url}/v1`);
        expect(text).toContain('glm/glm-5.2');
        expect(text).toContain('its key was refused');
        expect(text).toContain('$(exai token show)');
        expect(await page.content()).not.toContain(OWNER_TOKEN);
        expect(await page.getByRole('table').count()).toBe(2);
        expect(await page.getByRole('row').count()).toBeGreaterThan(6);

        expect(complaints).toEqual([]);
        expect(await page.locator('script').count()).toBe(0);
        const others = requested.filter(
          (url) => !url.startsWith(`${harness.url}/`) && !/^(?:file|data):/.test(url),
        );
        expect(others).toEqual([]);
        expect(requested.join(' ')).not.toContain(code);
        const root = 'document.documentElement';
        expect(await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)).toBe(0);
        const back = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect(back).toBe(colorScheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(17, 22, 28)');
        expect(existsSync(file)).toBe(false);
        expect(text).toContain('exai code claude');
        expect(text).not.toMatch(/Breaker|closed|success/);
        // Two lines per call on a phone, three with a long name, and one on a desktop.
        const rows = page.locator('table.calls tbody tr');
        const heights = await rows.evaluateAll((found) =>
          found.map((row) => row.getBoundingClientRect().height),
        );
        expect(Math.max(...heights)).toBeLessThan(width === 400 ? 100 : 50);
        if (pictures !== undefined) {
          const path = join(pictures, `page-${width}-${colorScheme}.png`);
          await page.screenshot({ path, fullPage: true });
        }
        await context.close();
      },
    );
  }

  verifies(
    'page:login',
    'a cookie of this host alone opens the page, until the log-out',
    async () => {
      const { page, context } = await loggedIn();
      const [cookie, ...more] = await context.cookies();
      expect(more).toEqual([]);
      expect(cookie).toMatchObject({
        name: `exai-page-${new URL(harness.url).port}`,
        httpOnly: true,
        sameSite: 'Strict',
        path: '/',
        domain: '127.0.0.1',
      });
      await page.reload();
      expect(await page.getByRole('heading', { name: 'Providers' }).count()).toBe(1);
      await page.getByRole('link', { name: 'Reload' }).click();
      expect(await page.getByRole('heading', { name: 'Providers' }).count()).toBe(1);
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.waitForURL(`${harness.url}/`);
      expect(await page.locator('body').innerText()).toBe('EX-AI is running');
      expect(await context.cookies()).toEqual([]);
      const sent = { cookie: `${cookie?.name}=${cookie?.value}` };
      expect((await get(`${harness.url}/`, sent)).body).not.toContain('Providers');
      await context.close();
    },
  );

  verifies('page:login', 'a code can be typed at /login, and works one time', async () => {
    const context = await browser.newContext();
    const { page, complaints } = await watchedPage(context);
    const { stdout } = await harness.exai('open', '--print', '--json');
    const { code } = JSON.parse(stdout) as { code: string };
    const enter = async (typed: string) => {
      await page.goto(`${harness.url}/login`);
      await page.getByLabel('Code of exai open').fill(typed);
      await page.getByRole('button', { name: 'Log in' }).click();
    };
    await enter(code.toLowerCase().replaceAll('-', ' '));
    await page.getByRole('heading', { name: 'Providers' }).waitFor();
    expect(complaints).toEqual([]);
    await enter(code);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('was used already');
    if (pictures !== undefined)
      await page.screenshot({ path: join(pictures, 'login.png'), fullPage: true });
    await context.close();
  });

  verifies('page:strangers', 'a stranger sees one sentence', async () => {
    const context = await browser.newContext();
    const { page, complaints } = await watchedPage(context);
    await page.goto(`${harness.url}/`);
    expect(await page.locator('body').innerText()).toBe('EX-AI is running');
    await page.goto(`${harness.url}/?x=<script>alert(1)</script>`);
    expect(await page.locator('body').innerText()).toBe('EX-AI is running');
    expect(complaints).toEqual([]);
    await context.close();
  });

  // Ports share cookies and a site, so a server of this machine is the closest stranger there is.
  for (const host of ['127.0.0.1', 'localhost']) {
    verifies('page:strangers', `a page of another server on ${host} gets nothing`, async () => {
      const other = await startOther();
      try {
        const { context, page: own } = await loggedIn();
        const { page } = await watchedPage(context);
        const origin = `http://${host}:${(other.address() as AddressInfo).port}`;
        const markers = 'Last calls';

        await page.goto(`${origin}/frame?${harness.url}/`);
        const framed = await Promise.all(
          page.frames().map((each) => each.content().catch(() => '')),
        );
        expect(framed.slice(1).join(' ')).not.toContain(markers);

        await page.goto(`${origin}/`);
        const read = await page.evaluate(async (url) => {
          const texts: string[] = [];
          for (const mode of ['cors', 'no-cors'] as const) {
            try {
              const answer = await fetch(url, { mode, credentials: 'include' });
              texts.push(await answer.text());
            } catch {
              texts.push('refused');
            }
          }
          return texts;
        }, `${harness.url}/`);
        expect(read.join(' ')).not.toContain(markers);

        await page.goto(`${origin}/link?${harness.url}/`);
        await page.getByRole('link').click();
        await page.waitForURL(`${harness.url}/`);
        expect(await page.content()).not.toContain(markers);

        await page.goto(`${origin}/form?${harness.url}/logout`);
        await page.getByRole('button').click();
        await page.waitForURL(`${harness.url}/logout`);
        expect(await page.locator('h1').innerText()).toBe('EX-AI refused this request');
        await own.reload();
        expect(await own.getByRole('heading', { name: 'Providers' }).count()).toBe(1);
        await context.close();
      } finally {
        other.closeAllConnections();
        other.close();
      }
    });
  }

  verifies('page:login', '`exai open --logout` logs every browser out', async () => {
    const { page, context } = await loggedIn();
    const { stdout } = await harness.exai('open', '--logout');
    expect(stdout).toMatch(/logged out\.\n$/);
    await page.reload();
    expect(await page.locator('body').innerText()).toBe('EX-AI is running');
    await context.close();
  });

  test('codes that are not used leave no file', async () => {
    await openedFile();
    await harness.exai('open', '--logout');
    expect(readdirSync(join(harness.home, 'cache', 'open'))).toEqual([]);
  });
});

/** A server whose pages frame, link to, or post to the address in their query. */
async function startOther(): Promise<Server> {
  const server = createServer((request, response) => {
    const [path, target = ''] = (request.url ?? '').split('?');
    const bodies: Record<string, string> = {
      '/frame': `<iframe src="${target}"></iframe>`,
      '/link': `<a href="${target}">a</a>`,
      '/form': `<form method="post" action="${target}"><button>b</button></form>`,
    };
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><link rel="icon" href="data:,">${bodies[path ?? ''] ?? ''}`);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return server;
}
