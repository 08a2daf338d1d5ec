import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS, runClient, valueOf, type GatewayClient } from './gateway-driver.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';
import type { StepOutcome } from './sdk-run.ts';

const CLIENTS: readonly GatewayClient[] = [
  { name: 'openai 6', driver: 'openai', packages: { sdk: 'openai' }, node: 'this', path: '/v1' },
  {
    name: 'the Anthropic SDK 1.8',
    driver: 'anthropic',
    packages: { sdk: '@anthropic-ai/sdk' },
    node: 'this',
    path: '',
  },
];

const SAID = 'Zürich, 北京 and 🚀 on one line';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await openGatewayHarness({
    config: {
      gateway: { headHoldMs: 200 },
      listener: { sseKeepaliveMs: 100 },
      timeouts: { firstTokenMs: 1_000 },
    },
  });
}, CLIENT_MS);
afterAll(() => harness?.close());

describe.each(CLIENTS)('a stream that began with signs of life, read by $name', (client) => {
  let told: Readonly<Record<string, StepOutcome>> = {};
  beforeAll(async () => {
    told = await runClient(client, harness, ['late', 'lateFailure']);
  }, CLIENT_MS);
  const value = (step: string) => valueOf(told, step) as Record<string, unknown>;

  verifies('gateway:late-head', 'is the answer, and nothing else', () => {
    expect(value('late')).toMatchObject({ text: SAID });
  });

  verifies('gateway:late-head', 'fails within the stream when nobody answers in the end', () => {
    const { told: heard, threw } = value('lateFailure');
    expect(heard).toMatchObject({ text: '', calls: '' });
    expect(threw).toMatchObject({ name: 'APIError', status: null });
    expect(JSON.stringify(threw)).toContain('timeout');
  });
});
