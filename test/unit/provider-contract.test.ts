import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import {
  runContract,
  showContract,
  type ContractOptions,
  type ContractResult,
} from '../cases/provider-contract.ts';
import { verifies } from '../verifies.ts';

let emulator: Emulator;
let home: string;
beforeAll(async () => {
  emulator = await startEmulator();
  home = mkdtempSync(join(tmpdir(), 'exai-contract-'));
});
afterAll(async () => {
  await emulator.close();
  rmSync(home, { recursive: true });
});

const run = (env: Record<string, string>, options: ContractOptions = {}) =>
  runContract(loadConfig({ env: { EXAI_HOME: home, ...env } }), options);

const outcomes = (results: readonly ContractResult[], provider: string, is: ContractResult['is']) =>
  results.filter((each) => each.provider === provider && each.is === is).map((each) => each.case);

const EMULATED = () => ({
  KIMI_API_KEY: 'sk-contract-0123456789',
  KIMI_API_URL: `${emulator.url}/kimi/v1`,
  GLM_API_KEY: 'contract.secret-0123456789',
  GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
  OPENROUTER_API_KEY: 'sk-or-contract-0123456789',
  OPENROUTER_API_URL: `${emulator.url}/openrouter/api/v1`,
  CUSTOM_API_URL: `${emulator.url}/lmstudio/v1`,
  CUSTOM_MODEL: 'qwen3-4b',
});

verifies('emulator:facts', 'the contract tests hold for the emulator', async () => {
  const cost: string[] = [];
  const asked = emulator.requests().length;
  const results = await run(EMULATED(), {
    onCost(lines) {
      expect(emulator.requests()).toHaveLength(asked);
      cost.push(...lines);
    },
  });
  expect(cost[0]).toMatch(/^This costs at most \$\d\.\d\d, and what models without/);
  expect(cost).toContain('  kimi/kimi-k3: 5 chats, at most $0.16');
  expect(cost).toContain('  custom/qwen3-4b: 6 chats, price unknown');
  expect(results.filter(({ is }) => is === 'failed')).toEqual([]);
  const chat = [
    'check',
    'models',
    'chat, whole',
    'chat, stream',
    'tool call and its result',
    'JSON by a schema',
  ];
  const file = 'file: upload, list, read, delete';
  const thoughts = (model: string) => `three turns with the thoughts of each (${model})`;
  const required = (model: string) => `a tool that is required is called (${model})`;
  expect(outcomes(results, 'kimi', 'ok')).toEqual([
    ...chat,
    file,
    thoughts('kimi-k3'),
    thoughts('kimi-k2.6'),
    required('kimi-k3'),
    'an output limit above 32,768 is taken',
    'the ids of K3.1 are in the list',
  ]);
  expect(outcomes(results, 'glm', 'ok')).toEqual([
    ...chat,
    file,
    'embed',
    'search',
    'read a page',
    thoughts('glm-5.3'),
    required('glm-4.6'),
  ]);
  expect(outcomes(results, 'openrouter', 'ok')).toEqual([
    ...chat,
    'search',
    'reasoning that is mandatory is not turned off',
    "Kimi's rules for schemas behind OpenRouter",
  ]);
  expect(outcomes(results, 'custom', 'ok')).toEqual([...chat, 'embed']);
});

verifies('emulator:facts', 'what is not configured is reported as not run, and why', async () => {
  const before = emulator.requests().length;
  const cost: string[] = [];
  const results = await run({}, { onCost: (lines) => cost.push(...lines) });
  expect(cost).toEqual(['No provider is set up, so nothing is asked and it costs nothing.']);
  expect(results.filter(({ is }) => is !== 'not run')).toEqual([]);
  const shown = showContract(results);
  for (const name of ['KIMI_API_KEY', 'GLM_API_KEY', 'OPENROUTER_API_KEY', 'CUSTOM_API_URL'])
    expect(shown).toContain(`not run: ${name} is not set`);
  expect(shown).toContain('0 ok, 0 failed, 49 not run');
  expect(emulator.requests()).toHaveLength(before);
});

verifies('emulator:facts', 'what fails is shown with its class', async () => {
  emulator.reset();
  const results = await run({
    KIMI_API_KEY: 'sk-wrong-0123456789',
    KIMI_API_URL: `${emulator.url}/kimi/v1`,
  });
  expect(outcomes(results, 'kimi', 'ok')).toEqual([]);
  expect(showContract(results)).toContain(
    '| kimi | check | failed: auth Kimi does not accept the key',
  );
});
