import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { applyRecipe, readRecipe } from '../recipe.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['src', 'test', 'emulator', 'bench', 'bin', 'scripts', 'docs', 'package.json'];
const CONFIGURED = ['tsconfig.json', 'vitest.config.ts'];
const run = promisify(execFile);
const TIMEOUT_MS = 300_000;

let tree = '';
let home = '';

beforeAll(async () => {
  tree = mkdtempSync(join(tmpdir(), 'exai-recipes-'));
  home = mkdtempSync(join(tmpdir(), 'exai-recipes-home-'));
  for (const name of [...COPIED, ...CONFIGURED]) {
    // Not the packages that tests have installed, which take longer than all else.
    const filter = (path: string) => !path.endsWith('/node_modules');
    cpSync(join(ROOT, name), join(tree, name), { recursive: true, filter });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  const markdown = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  for (const heading of ['Add a tool', 'Add a provider', 'Add a feature']) {
    const steps = readRecipe(markdown, heading);
    applyRecipe(tree, steps);
  }
}, TIMEOUT_MS);

afterAll(() => {
  rmSync(tree, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
});

/** What runs in the copied tree, without the settings of whoever runs the tests. */
function options(env: Readonly<Record<string, string>> = {}) {
  return {
    cwd: tree,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, EXAI_HOME: home, ...env },
  };
}

const EXAI = 'bin/exai.cjs';

test(
  'a tree with the tool, the provider and the feature of the recipes type-checks',
  async () => {
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    const checked = await run(tsc, [], options()).catch((error: unknown) => error);
    expect((checked as { stdout: string }).stdout).toBe('');
  },
  TIMEOUT_MS,
);

/** Waits until the daemon says where it listens; what it said instead is in the error. */
async function listening(daemon: ChildProcessWithoutNullStreams): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: unknown) => {
      said += String(chunk);
      if (said.includes('listening on ')) resolve();
    };
    daemon.stdout.on('data', hear);
    daemon.stderr.on('data', hear);
    daemon.once('exit', () => reject(new Error(`The daemon ended: ${said}`)));
  });
}

/** A vendor that speaks OpenAI's format, and what it was asked. */
async function startVendor() {
  const asked: { authorization: string | undefined; body: { model?: string } }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      if (request.url === '/v1/models') {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ data: [{ id: 'acme-large' }] }));
        return;
      }
      const { authorization } = request.headers;
      asked.push({ authorization, body: JSON.parse(text) as { model?: string } });
      response.setHeader('content-type', 'text/event-stream');
      const chunk = (delta: object, finish: string | null) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      response.write(chunk({ content: 'Acme says ' }, null));
      response.write(chunk({ content: 'hello.' }, 'stop'));
      response.end('data: [DONE]\n\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, asked, close: () => server.close() };
}

verifies(
  'contributing:recipes',
  'the tool, the provider and the feature of the recipes work in a daemon of that tree',
  async () => {
    // The program starts a dozen times, so that building it once takes less than loading the sources.
    await run(process.execPath, ['scripts/build.mjs'], options());
    const vendor = await startVendor();
    const env = {
      EXAI_AUTH_REQUIRE_TOKEN: 'false',
      ACME_API_KEY: 'acme-0123456789abcdef',
      ACME_API_URL: vendor.url,
    };
    const exai = async (...args: string[]) => {
      const running = run(process.execPath, [EXAI, ...args], options(env));
      // Commands read what is piped in, until it ends.
      running.child.stdin?.end();
      const { stdout } = await running;
      return stdout;
    };
    const daemon = spawn(process.execPath, [EXAI, 'serve', '--port', '0'], options(env));
    try {
      await listening(daemon);

      expect(await exai('tools', '--all')).toContain('word_count');
      const counted = await exai('call', 'word_count', '--args', '{"text": "one two three"}');
      expect(counted).toContain('3 words');
      expect(await exai('call', 'add_note', '--args', '{"text": "milk"}')).toContain(
        'Note 1: milk',
      );

      expect(await exai('keys', 'list')).toMatch(/acme\s+Acme\s+\*{4}/);
      expect(await exai('keys', 'test', 'acme')).toMatch(/accepted\s+the key works/);
      expect(await exai('models')).toContain('acme-large');
      // No other provider is set up, so that the chain ends with this one.
      expect(await exai('ask', 'Say hello.')).toContain('Acme says hello.');
      expect(await exai('ask', '--model', 'acme-large', 'Say hello.')).toContain(
        'Acme says hello.',
      );
      expect(vendor.asked.at(-1)).toMatchObject({
        authorization: 'Bearer acme-0123456789abcdef',
        body: { model: 'acme-large' },
      });
      const doctor = JSON.parse(await exai('doctor', '--json')) as {
        checks: { id: string; status: string }[];
        next: string;
      };
      expect(doctor.checks).toContainEqual(
        expect.objectContaining({ id: 'key_acme', status: 'ok' }),
      );
      expect(doctor.next).not.toContain('keys add');
    } finally {
      if (daemon.exitCode === null) {
        const ended = once(daemon, 'exit');
        daemon.kill('SIGTERM');
        await ended;
      }
      vendor.close();
    }
  },
  TIMEOUT_MS,
);
