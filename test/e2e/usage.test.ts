import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { createHome } from './exai.ts';

interface Report {
  readonly rows: readonly { readonly requests: number; readonly cost_usd: number }[];
  readonly total: { readonly requests: number; readonly cost_usd: number };
}

async function emulated() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const env = {
    KIMI_API_URL: `${emulator.url}/kimi/v1`,
    KIMI_API_KEY: 'sk-emulated-kimi-0001',
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
  };
  return { emulator, env };
}

test('usage is reported by model, client, tool and day, with its cost', async () => {
  const { env } = await emulated();
  const { exai, serve } = createHome();
  await serve([], { env });
  expect((await exai(['usage'])).stdout).toMatch(/^No model was asked from .* exai ask "/);
  expect((await exai(['ask', '--model', 'kimi-k3', 'Tell me a story'])).code).toBe(0);
  const report = async (...args: string[]) =>
    JSON.parse((await exai(['usage', '--json', ...args])).stdout) as Report;
  const { total } = await report();
  expect(total).toMatchObject({ requests: 1, unpriced: 0 });
  expect(total.cost_usd).toBeGreaterThan(0);
  for (const [by, name] of [
    ['model', 'kimi-k3'],
    ['client', 'exai-cli'],
    ['tool', 'chat'],
    ['day', expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
  ] as const) {
    expect((await report('--by', by)).rows).toMatchObject([{ [by]: name, ...total }]);
  }
  expect((await report('--to', '2020-01-01')).rows).toEqual([]);
  expect((await exai(['usage'])).stdout).toMatch(/^kimi-k3 +kimi +1 .*\$0\.\d+$/m);
  expect((await exai(['usage', '--by', 'modle'])).stderr).toContain('did you mean "model"?');
});

test('status tells today’s cost, what is left, and whose balance is used up', async () => {
  const { emulator, env } = await emulated();
  const { exai, serve } = createHome();
  await serve([], { env: { ...env, EXAI_CLIENT_DAILY_BUDGET_USD: '0.5' } });
  expect((await exai(['ask', '--model', 'glm-5.3', 'Tell me a story'])).code).toBe(0);
  emulator.fault({ id: 'F2', vendor: 'kimi', times: 0 });
  expect((await exai(['ask', '--model', 'kimi-k3', 'And another'])).code).toBe(0);
  const { stdout } = await exai(['status']);
  expect(stdout).toMatch(/today +\$0\.\d+ for \d+ requests to models/);
  expect(stdout).toMatch(/budget +\$0\.\d+ left; local has spent \$0\.\d+ of \$0\.50 today/);
  expect(stdout).toMatch(/balance +used up at kimi \(billing\)/);
});

test('what was spent before a restart counts against the budget after it', async () => {
  const { env } = await emulated();
  const { exai, serve } = createHome();
  const first = await serve([], { env });
  expect((await exai(['ask', '--model', 'kimi-k3', 'Tell me a story'])).code).toBe(0);
  first.kill('SIGTERM');
  await first.ended;
  const limits = { EXAI_DAILY_BUDGET_USD: '0.0001', EXAI_BUDGET_WHEN_SPENT: 'refuse' };
  await serve([], { env: { ...env, ...limits } });
  const refused = await exai(['ask', '--model', 'kimi-k3', 'Tell me another']);
  expect(refused.code).toBe(13);
  expect(refused.stderr).toMatch(/All clients together have spent .* \(budget\.dailyUsd\)/);
});
