import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const SKEWED_CLOCK = fileURLToPath(new URL('../fixtures/skewed-clock.mjs', import.meta.url));

/** A daemon whose vendor is the emulator, and its clients, who come with their tokens. */
async function emulated() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const home = createHome();
  const env = {
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
  };
  await home.serve([], { env });
  const add = async (...args: readonly string[]) => {
    const { stdout, stderr, code } = await home.exai(['access', 'add', ...args]);
    return { code, token: stdout.trim(), told: stderr };
  };
  const call = (token: string, tool: string, args: object) =>
    home.exai(['call', tool, '--args', JSON.stringify(args)], { env: { EXAI_TOKEN: token } });
  return { ...home, emulator, add, call };
}

verifies(
  'security:client-identity',
  'a client that has the name of a removed one finds nothing of it, until it is restored',
  async () => {
    const { exai, add, call } = await emulated();
    const first = await add('ci', '--scope', '*');
    expect((await call(first.token, 'chat', { prompt: 'Say exactly: OLDSECRET' })).code).toBe(0);
    const list = { action: 'list' };
    expect((await call(first.token, 'threads', list)).stdout).toContain('OLDSECRET');
    await exai(['access', 'remove', 'ci']);

    const second = await add('ci', '--scope', '*');
    expect(second.told).toMatch(/^exai: ci was removed on \d{4}-\d\d-\d\d; its conversations, /m);
    expect(second.told).toContain('exai access add ci --restore');
    const seen = await call(second.token, 'threads', list);
    expect([seen.code, seen.stdout]).toEqual([0, expect.not.stringContaining('OLDSECRET')]);
    const found = await call(second.token, 'threads', { action: 'search', query: 'OLDSECRET' });
    expect(found.stdout).not.toContain('conv_');
    expect((await exai(['access', 'list'])).stdout).toMatch(
      /^ci +\* +since \S+ +its data is that of ci#\w{8}$/m,
    );
    expect((await exai(['access', 'list', '--all'])).stdout.split('\n')).toHaveLength(3);

    await call(second.token, 'chat', { prompt: 'Say exactly: new' });
    const usage = await exai(['usage', '--by', 'client']);
    expect(usage.stdout).toMatch(/^exai-cli +ci#\w{8} /m);
    expect(usage.stdout).toMatch(/^exai-cli +ci /m);

    expect((await add('ci', '--restore')).code).not.toBe(0);
    await exai(['access', 'remove', 'ci']);
    const lost = await add('ci', '--scope', '*');
    await exai(['access', 'remove', 'ci']);
    expect((await call(lost.token, 'threads', list)).code).not.toBe(0);
    // The last that left something is meant.
    const restored = await add('ci', '--restore');
    expect(restored.told).toMatch(/of the old client ci#\w{8}\./);
    expect((await call(restored.token, 'threads', list)).stdout).toContain('new');
  },
);

verifies(
  'security:free-scope',
  'a client of free:* reads and asks no model, and what other scopes cost is said',
  async () => {
    const { exai, add, call, emulator } = await emulated();
    const free = await add('panel', '--scope', 'free:*');
    expect(free.told).toMatch(/^panel may call \d+ tools: \d+ only read and cost nothing\.$/m);
    expect((await call(free.token, 'status', {})).code).toBe(0);
    for (const tool of ['chat', 'consensus', 'debug', 'kimi_intent_analysis']) {
      const refused = await call(free.token, tool, { prompt: 'x' });
      expect([tool, refused.code]).toEqual([tool, 5]);
      expect(refused.stderr).toContain('is for tools that cost nothing');
    }
    expect(emulator.requests()).toEqual([]);

    const read = await add('ci', '--scope', 'read:*');
    expect(read.told).toMatch(
      /^ci may call \d+ tools: \d+ only read and cost nothing; \d+ ask models and spend money \(.*\bchat\b.*\)\.$/m,
    );
    expect(read.told).toContain('Scopes do not limit how much ci spends');
    const asked = await add('desk', '--scope', 'ask:chat');
    expect(asked.told).toContain('ask: asks the program that has the token');
    const summed = await exai(['access', 'explain', '--client', 'ci']);
    expect(summed.stdout).toMatch(/^ci may call \d+ tools: .* ask models and spend money/);
    const explained = await exai(['access', 'explain', 'chat', '--client', 'ci']);
    expect([explained.code, explained.stdout]).toEqual([
      0,
      expect.stringContaining('chat asks models and spends money.'),
    ]);
    const help = await exai(['help', 'access', 'add']);
    expect(help.stdout).toContain('free:');
  },
);

verifies(
  'access:tokens-shared',
  'a removed client stays removed after a start with a clock that was set back',
  async () => {
    const home = createHome();
    const clockFile = home.path('clock');
    const env = { NODE_OPTIONS: `--import=${SKEWED_CLOCK}`, TEST_CLOCK_FILE: clockFile };
    writeFileSync(clockFile, '86400');
    const daemon = await home.serve([], { env });
    const { stdout } = await home.exai(['access', 'add', 'ci', '--scope', '*']);
    const call = () => home.exai(['call', 'status'], { env: { EXAI_TOKEN: stdout.trim() } });
    expect((await call()).code).toBe(0);
    expect((await home.exai(['access', 'remove', 'ci'])).code).toBe(0);
    daemon.kill('SIGTERM');
    await daemon.ended;
    writeFileSync(clockFile, '0');
    await home.serve([], { env });
    expect((await call()).code).toBe(4);
  },
);
