import { describe, expect } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { runDriver, type OutcomesByServer } from './sdk-run.ts';

const SAID = 'Zürich, 北京 and 🚀 on one line';
const CALL = { name: 'get_weather' };
const TOOL_TEXT = expect.stringContaining('21') as string;
const COUNT = expect.any(Number) as number;

interface VendorSdk {
  readonly name: string;
  readonly sdk: string;
  readonly path: string;
  readonly key: string;
  readonly wrongKey: string;
  readonly model: string;
  /** What each step gives; an error is the vendor's own refusal, with its source. */
  readonly steps: Readonly<Record<string, unknown>>;
}

/** A step that the vendor refuses. */
const refusal = (status: number | null, message: string, _source: string): object => ({
  threw: { status, message: expect.stringContaining(message) as string },
});

const VENDOR_SDKS: readonly VendorSdk[] = [
  {
    name: 'openrouter',
    sdk: '@openrouter/sdk 1.3.19',
    path: '/openrouter/api/v1',
    key: 'sk-or-emulated',
    wrongKey: 'sk-or-wrong',
    model: 'z-ai/glm-5.3',
    steps: {
      models: expect.arrayContaining(['z-ai/glm-5.3', 'z-ai/glm-4.7-flash', 'moonshotai/kimi-k3']),
      mandatory: [['moonshotai/kimi-k3', ['max', 'high', 'low']]],
      key: expect.objectContaining({ limitRemaining: null, isFreeTier: false }),
      credits: { totalCredits: 100, totalUsage: COUNT },
      chat: { text: SAID, tokens: COUNT, cost: COUNT },
      stream: { text: SAID, tokens: COUNT },
      tools: { call: expect.objectContaining(CALL), text: TOOL_TEXT },
      wrongKey: refusal(401, 'User not found', 'openrouter.ai/docs, errors'),
      unknownModel: refusal(400, 'not a valid model ID', 'openrouter.ai/docs, errors'),
      mandatoryOff: refusal(400, 'Reasoning is mandatory', 'claude-code-router#1229'),
    },
  },
  {
    name: 'zhipuai',
    sdk: 'zhipuai 2.0.0',
    path: '/glm/api/paas/v4',
    key: 'emulated.secret',
    wrongKey: 'wrong.secret',
    model: 'glm-4.6',
    steps: {
      chat: { text: SAID, tokens: COUNT },
      stream: { text: SAID, tokens: COUNT },
      tools: { call: expect.objectContaining(CALL), text: TOOL_TEXT },
      embeddings: 2048,
      wrongKey: refusal(401, '', 'docs.z.ai, error codes'),
      unknownModel: refusal(400, '', 'docs.z.ai, error codes'),
    },
  },
  {
    name: 'ollama',
    sdk: 'ollama 0.6.4',
    path: '/ollama',
    key: '',
    wrongKey: '',
    model: 'llama3.2',
    steps: {
      models: expect.arrayContaining(['llama3.2:latest']),
      show: expect.arrayContaining(['completion', 'tools']),
      chat: SAID,
      stream: SAID,
      tools: { call: expect.objectContaining(CALL), text: TOOL_TEXT },
      generate: SAID,
      generateStream: SAID,
      embed: [768, 768],
      unknownModel: refusal(null, 'not found', 'ollama, server/routes.go'),
    },
  },
];

// `npm test` installs them.
describe('the SDKs of the vendors find in the emulator what they find there', () => {
  for (const { name, sdk, path, steps, ...server } of VENDOR_SDKS) {
    verifies(
      'emulator:clients',
      `${sdk}: every step passes, or is the vendor's own refusal`,
      async () => {
        const emulator = await startEmulator();
        try {
          const told = { ...server, name, baseURL: emulator.url + path, steps: Object.keys(steps) };
          const outcomes = (await runDriver('this', 'vendors', {
            servers: [told],
          })) as OutcomesByServer;
          const got = Object.entries(outcomes[name] ?? {}).map(([step, { value, threw }]) => [
            step,
            threw ? { threw } : value,
          ]);
          expect(Object.fromEntries(got)).toMatchObject(steps);
        } finally {
          await emulator.close();
        }
      },
    );
  }
});
