import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { BIN, createPlainHome } from './exai.ts';
import { CHAT, post } from './gateway-post.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/home-0.1/', import.meta.url));
/** Stands in the fixture for the folder of its user. */
const USER_FOLDER = '/home/user';
/** Each of these tests starts the program a dozen times. */
const TEST_TIMEOUT_MS = 180_000;
const TIMEOUT_EXIT = 15;
const NOT_FOUND_EXIT = 6;

/** What differs between the homes of the two versions. */
const HOMES = [
  {
    version: '0.1.0',
    clientToken: 'exai_r535nnUjTBHK9xtlXadbjk8CmJvjtnc__uiP3qjViJk',
    resultId: 'res_1m7k984hw001kjy776373j',
    auditHead: '030e6558ab3c0b6af3c92da18b86cc8e913638be39a22dc09fed39f6bb17bf56',
    // It had no audit key: the first row after its fifteen has one.
    provenFromSeq: 16,
    ownerToken: /^exai-owner-[\w-]{43}\n$/,
    // Nothing was stored of when it began, so that it has all of its time.
    jobUnderWay: { code: 0, stdout: expect.stringMatching(/^This was under way\.\n/) },
    backups: [expect.stringMatching(/^before-schema-5-\d+\.db$/)],
  },
  {
    version: '0.1.1',
    clientToken: 'exai_CviUcD6JBFNNfZwsCCRG7vO5505PhWuCk59W2LWuDdw',
    resultId: 'res_1m7k97gzj001jykqgwpfvr',
    auditHead: 'c80ef530c42688cf45a1aef52caf7a9d2445d3ed1dc4900ba6903c5de546900c',
    provenFromSeq: 1,
    ownerToken: /^exai-owner-fixture-token-of-a-home-made-by-0-1-1\n$/,
    jobUnderWay: { code: TIMEOUT_EXIT, stdout: '' },
    backups: [expect.stringMatching(/^before-schema-7-\d+\.db$/)],
  },
] as const;

/** Copies files of the fixture, private as the program leaves them. */
function copyFixture(name: string, to: string, userFolder: string): void {
  const from = join(FIXTURES, name);
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(to, source.slice(from.length))
      .replace(/\.gz$/, '')
      .replace(/\/env$/, '/.env');
    const bytes = readFileSync(source);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, contentOf(entry.name, bytes, userFolder), { mode: 0o600 });
  }
}

function contentOf(name: string, bytes: Buffer, userFolder: string): Buffer | string {
  if (name.endsWith('.gz')) return gunzipSync(bytes);
  return name === 'records.json' ? bytes.toString().replaceAll(USER_FOLDER, userFolder) : bytes;
}

/**
 * A daemon of this version on a home of an older one. Kimi is the emulator; of GLM only what is
 * stored is used.
 */
async function openOldHome(version: string) {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const { root, path, exai, serve } = createPlainHome();
  copyFixture(version, path('.exai'), root);
  const env = { EXAI_HOME: path('.exai') };
  const { url } = await serve([], { env: { ...env, KIMI_API_URL: `${emulator.url}/kimi/v1` } });
  const run = (...args: string[]) => exai(args, { env });
  const data = async (...args: string[]) =>
    JSON.parse((await run(...args, '--json')).stdout) as unknown;
  return { url, path, run, data };
}

for (const home of HOMES) {
  verifies(
    'store:old-homes',
    `what a home of ${home.version} stored is there, and its jobs and conversations go on`,
    async () => {
      const { path, run, data } = await openOldHome(home.version);

      const { jobs } = (await data('jobs')) as Jobs;
      expect(jobs.map(({ title }) => title)).toEqual([
        'Say exactly: The waiting job is done.',
        'Say exactly: This was under way.',
        'Say exactly: This was cancelled.',
        'Say exactly: The job is done.',
        'Say exactly: Nobody answers.',
      ]);
      const [waiting = '', underWay = '', cancelled = '', done = '', failed = ''] = jobs.map(
        ({ id }) => id,
      );
      expect(await run('jobs', 'result', done)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^The job is done\.\n/),
      });
      expect(await data('jobs', 'result', failed)).toMatchObject({
        error_class: 'not_found',
        detail: expect.stringContaining('exai models lists them'),
      });
      expect(await run('jobs', 'result', failed)).toMatchObject({ code: NOT_FOUND_EXIT });
      expect(await data('jobs', 'show', cancelled)).toMatchObject({ status: 'cancelled' });
      expect(await run('jobs', 'result', waiting, '--wait')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^The waiting job is done\.\n/),
      });
      expect(await run('jobs', 'result', underWay, '--wait')).toMatchObject(home.jobUnderWay);

      const long = await run('results', 'read', home.resultId);
      expect([long.code, long.stdout.trim().split(/\s+/)]).toEqual([
        0,
        expect.objectContaining({ length: 1500, 0: 'amber', 1499: 'jade' }),
      ]);

      const { threads } = (await data('threads', 'list')) as Threads;
      expect(threads.slice(-4)).toMatchObject([
        { title: 'Say exactly: The job is done.', turns: 2, model: 'kimi-k3' },
        { title: 'Long [[tokens 1500]]', turns: 2, model: 'kimi-k3' },
        { title: 'Say exactly: Bread rises because of yeast.', turns: 2, model: 'kimi-k3' },
        { title: 'Lighthouse', turns: 4, model: 'glm-5.3' },
      ]);
      const id = threads.at(-1)?.id ?? '';
      expect((await run('threads', 'search', 'yeast')).stdout).toContain('Bread rises');
      const args = { prompt: 'Say exactly: Goodbye.', model: 'kimi-k3', continuation_id: id };
      expect((await run('call', 'chat', '--args', JSON.stringify(args))).code).toBe(0);
      expect(await data('threads', 'show', id)).toMatchObject({
        thread: { title: 'Lighthouse', turns: 6 },
        turns: [
          { text: 'Say exactly: A lighthouse keeper counts ships.' },
          { text: 'A lighthouse keeper counts ships.', provider: 'kimi', usage: { input: 228 } },
          { text: 'Say exactly: Forty ships passed today.' },
          { text: 'Forty ships passed today.', provider: 'glm', usage: { input: 252 } },
          { text: 'Say exactly: Goodbye.' },
          { text: 'Goodbye.', provider: 'kimi' },
        ],
      });

      expect(await data('audit', 'verify', '--head', home.auditHead)).toMatchObject({
        ok: true,
        chains: [{ from_seq: 0, proof: { by: 'key', from_seq: home.provenFromSeq } }],
        heads: [{ is: 'found', seq: 14 }],
      });
      const backups = existsSync(path('.exai/backups')) ? readdirSync(path('.exai/backups')) : [];
      expect(backups).toEqual(home.backups);
    },
    TEST_TIMEOUT_MS,
  );

  verifies(
    'store:old-homes',
    `clients, usage, models, keys and settings of a home of ${home.version} are as they were`,
    async () => {
      const { url, run, data } = await openOldHome(home.version);

      const range = ['--from', '2026-11-15', '--to', '2026-11-17'];
      const byModel = (await data('usage', ...range)) as Usage;
      expect(byModel.rows).toContainEqual(
        expect.objectContaining({ model: 'glm-5.3', requests: 2, input: 264, output: 34 }),
      );
      const kimi = byModel.rows.find(({ model }) => model === 'kimi-k3');
      // What goes on today is counted, too, while today is one of these days.
      expect(kimi?.requests).toBeGreaterThanOrEqual(4);
      const byClient = (await data('usage', '--by', 'client', ...range)) as Usage;
      expect(byClient.rows).toContainEqual(
        expect.objectContaining({ principal: 'laptop', requests: 1, cost_usd: 0.000088 }),
      );

      expect(await data('access', 'list')).toMatchObject({
        clients: [{ name: 'laptop', principal: 'laptop', scopes: ['read:*', 'chat'] }],
      });
      const messages = [{ role: 'user', content: 'Say exactly: Still known.' }];
      const body = JSON.stringify({ model: 'kimi-k3', messages });
      const ask = (token: string) =>
        post(`${url}${CHAT}`, { body, headers: { authorization: `Bearer ${token}` } });
      const answer = await ask(home.clientToken);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Still known.')]);
      expect((await ask(`${home.clientToken}x`)).status).toBe(401);
      const shown = (await run('token', 'show')).stdout;
      expect(shown).toMatch(home.ownerToken);
      expect((await ask(shown.trim())).status).toBe(200);

      const { models } = (await data('models', '--provider', 'glm')) as Models;
      expect(models).toContainEqual(expect.objectContaining({ unlisted_since: '2026-11-16' }));
      const { keys } = (await data('keys', 'list')) as Keys;
      expect(keys.filter(({ set }) => set).map(({ name }) => name)).toEqual(['kimi', 'glm']);
      const { settings } = (await data('config', 'show')) as Settings;
      const values = new Map(settings.map(({ path, value }) => [path, value]));
      expect([
        values.get('retention.jobsDays'),
        values.get('providers.glm.baseUrl'),
        values.get('providers.kimi.explicitCache'),
        values.get('budget.clientDailyUsd'),
        values.get('budget.clients'),
        values.get('jobs.running'),
        values.get('results.maxTokens'),
      ]).toEqual([
        0,
        expect.stringMatching(/^http:\/\/127\.0\.0\.1:1877\d\/glm\/api\/paas\/v4$/),
        true,
        2.5,
        ['laptop=0.50'],
        1,
        1000,
      ]);
    },
    TEST_TIMEOUT_MS,
  );
}

/** The folder of a user whose clients 0.1 has connected, and what their settings were before. */
function connectedUser() {
  const { root, path, exai } = createPlainHome();
  copyFixture('init', root, root);
  const { records } = JSON.parse(
    readFileSync(path('.exai/backups/clients/records.json'), 'utf8'),
  ) as Records;
  const before = new Map(
    records.map(({ file, before: { backup } }) => [
      file,
      backup === undefined ? undefined : readFileSync(backup, 'utf8'),
    ]),
  );
  const read = () =>
    new Map(
      records.map(({ file }) => [file, existsSync(file) ? readFileSync(file, 'utf8') : undefined]),
    );
  const env = { EXAI_HOME: path('.exai'), PATH: '/usr/bin:/bin' };
  const init = (...args: string[]) => exai(['init', ...args, '--json'], { env });
  return { path, before, read, init };
}

verifies('init:undo', 'what init of 0.1 wrote is undone to the byte', async () => {
  const { before, read, init } = connectedUser();
  expect([...before.values()].filter((text) => text === undefined)).toHaveLength(1);
  const undone = await init('--undo', '--yes');
  expect([undone.code, JSON.parse(undone.stdout)]).toEqual([
    0,
    expect.objectContaining({ action: 'undo', written: 6 }),
  ]);
  expect(read()).toEqual(before);
  expect(JSON.parse((await init('--undo', '--yes')).stdout)).toMatchObject({ written: 0 });
});

verifies(
  'init:undo',
  'only the entry of 0.1 is taken out of files that were changed since',
  async () => {
    const { path, before, read, init } = connectedUser();
    const changes: readonly (readonly [string, (text: string) => string])[] = [
      // What init had put into an empty object leaves it on two lines.
      ['.claude.json', (text) => text.replace('3', '4').replace('{}\n}', '{\n  }\n}')],
      ['.cursor/mcp.json', (text) => text.replace('// team', '// our team')],
      ['.codex/config.toml', (text) => `${text}\n[mcp_servers.later]\ncommand = "npx"\n`],
      ['.config/opencode/opencode.json', (text) => text.replace('"system"', '"dark"')],
      ['.config/zed/settings.json', (text) => text.replace('15', '16')],
    ];
    const expected = new Map(before);
    for (const [name, change] of changes) {
      const file = path(name);
      writeFileSync(file, change(readFileSync(file, 'utf8')));
      expected.set(file, change(before.get(file) ?? ''));
    }
    expect((await init('--undo', '--yes')).code).toBe(0);
    expect(read()).toEqual(expected);
  },
);

verifies('init:undo', 'an entry of 0.1 is renewed by init, and then undone', async () => {
  const { path, before, read, init } = connectedUser();
  const renewed = await init('--yes');
  expect([renewed.code, JSON.parse(renewed.stdout)]).toEqual([
    0,
    expect.objectContaining({ written: 6 }),
  ]);
  expect(JSON.parse(readFileSync(path('.claude.json'), 'utf8'))).toMatchObject({
    mcpServers: { exai: { command: process.execPath, args: [BIN, 'stdio'] } },
  });
  expect((await init('--undo', '--yes')).code).toBe(0);
  expect(read()).toEqual(before);
});

interface Jobs {
  readonly jobs: readonly { readonly id: string; readonly title: string }[];
}

interface Threads {
  readonly threads: readonly { readonly id: string }[];
}

interface Usage {
  readonly rows: readonly { readonly model?: string; readonly requests: number }[];
}

interface Models {
  readonly models: readonly unknown[];
}

interface Keys {
  readonly keys: readonly { readonly name: string; readonly set: boolean }[];
}

interface Settings {
  readonly settings: readonly { readonly path: string; readonly value: unknown }[];
}

interface Records {
  readonly records: readonly {
    readonly file: string;
    readonly before: { readonly backup?: string };
  }[];
}
