import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { NEWEST_NODE, runDriver, VENDOR_CLIENTS, type OutcomesByServer } from './sdk-run.ts';

const SAID = 'Zürich, 北京 and 🚀 on one line';
const COUNT = expect.any(Number) as number;
const ANSWER = { text: SAID, tokens: COUNT };
const TOOL_TEXT = expect.stringContaining('"celsius":21') as string;
const TOOLS = { call: { name: 'get_weather', input: { city: 'Paris' } }, text: TOOL_TEXT };
const NO_THOUGHTS = { thinking: { type: 'disabled' } };

/** A step that the vendor refuses, or answers as the client does not expect, with the source. */
const refusal = (status: number | null, message: string, _source: string): object => ({
  threw: { status, message: expect.stringContaining(message) as string },
});

const KIMI = {
  path: '/kimi/v1',
  key: 'sk-emulated',
  wrongKey: 'sk-wrong-one',
  model: 'kimi-k2.6',
  refusals: {
    wrongKey: refusal(401, 'Incorrect API key', 'platform.kimi.ai, errors'),
    unknownModel: refusal(404, 'Not found the model', 'platform.kimi.ai, errors'),
  },
};
const GLM = {
  path: '/glm/api/paas/v4',
  key: 'emulated.secret',
  wrongKey: 'wrong.secret',
  model: 'glm-4.6',
  refusals: {
    wrongKey: refusal(401, '', 'docs.z.ai, error codes'),
    unknownModel: refusal(400, '', 'docs.z.ai, error codes'),
  },
};
const OPENROUTER = {
  path: '/openrouter/api/v1',
  key: 'sk-or-emulated',
  wrongKey: 'sk-or-wrong',
  model: 'z-ai/glm-4.5-air',
  refusals: {
    wrongKey: refusal(401, 'User not found', 'openrouter.ai/docs, errors'),
    unknownModel: refusal(400, 'not a valid model ID', 'openrouter.ai/docs, errors'),
  },
};
const WITH_USAGE = { chat: ANSWER, stream: ANSWER, tools: TOOLS };
const TEXT_ALONE = { chat: SAID, stream: SAID, tools: TOOLS };
/** Its arguments are the text that the model wrote. */
const LLAMAINDEX = {
  chat: SAID,
  stream: SAID,
  tools: { call: { name: 'get_weather', input: '{"city":"Paris"}' }, text: TOOL_TEXT },
};
const THOUGHTS_LOST = refusal(
  400,
  'reasoning_content is missing',
  'platform.kimi.ai, thinking models; the SDK does not send it back',
);
const SCHEMA_IGNORED = refusal(
  null,
  'is not valid JSON',
  'docs.z.ai, chat completion: response_format is text or json_object',
);

const CLIENTS = [
  { name: 'ai 7, zhipu-ai-provider 0.2.2', client: 'zhipu', at: GLM, steps: WITH_USAGE },
  {
    name: 'ai 7, @openrouter/ai-sdk-provider 3.1.0',
    client: 'openrouter',
    at: OPENROUTER,
    steps: WITH_USAGE,
  },
  {
    name: '@langchain/openai 1.6.0, Kimi',
    client: 'langchain',
    at: { ...KIMI, body: NO_THOUGHTS },
    steps: { ...WITH_USAGE, structured: { name: 'Oslo', people: 709_037 } },
  },
  {
    name: '@langchain/openai 1.6.0, GLM',
    client: 'langchain',
    at: { ...GLM, body: NO_THOUGHTS },
    steps: { ...WITH_USAGE, structured: SCHEMA_IGNORED },
  },
  {
    name: '@langchain/openai 1.6.0, OpenRouter',
    client: 'langchain',
    at: OPENROUTER,
    steps: WITH_USAGE,
  },
  {
    name: '@llamaindex/openai 0.4.23, Kimi',
    client: 'llamaindex',
    at: { ...KIMI, body: NO_THOUGHTS },
    steps: LLAMAINDEX,
  },
  {
    name: '@llamaindex/openai 0.4.23, GLM',
    client: 'llamaindex',
    at: { ...GLM, body: NO_THOUGHTS },
    steps: LLAMAINDEX,
  },
  { name: '@openai/agents 0.20.0, GLM', client: 'agents', at: GLM, steps: TEXT_ALONE },
  {
    name: '@openai/agents 0.20.0, Kimi K2.6',
    client: 'agents',
    at: KIMI,
    steps: { ...TEXT_ALONE, tools: THOUGHTS_LOST },
  },
  {
    name: '@openai/agents 0.20.0, Kimi K3',
    client: 'agents',
    at: { ...KIMI, model: 'kimi-k3' },
    steps: { ...TEXT_ALONE, tools: THOUGHTS_LOST },
  },
];

// `npm test` installs them.
describe('libraries and programs of others find in the emulator what they find at the vendors', () => {
  verifies(
    'emulator:clients',
    "every step of every library passes, or is the vendor's own refusal",
    async () => {
      const emulator = await startEmulator();
      try {
        const servers = CLIENTS.map(({ name, client, at: { path, refusals, ...at }, steps }) => ({
          ...at,
          name,
          client,
          baseURL: emulator.url + path,
          steps: Object.keys({ ...steps, ...refusals }),
        }));
        const all = (await runDriver('newest', VENDOR_CLIENTS, { servers })) as OutcomesByServer;
        const got = Object.entries(all).map(([name, outcomes]) => [
          name,
          Object.fromEntries(
            Object.entries(outcomes).map(([step, { value, threw }]) => [
              step,
              threw ? { threw } : value,
            ]),
          ),
        ]);
        expect(Object.fromEntries(got)).toMatchObject(
          Object.fromEntries(
            CLIENTS.map(({ name, at, steps }) => [name, { ...steps, ...at.refusals }]),
          ),
        );
      } finally {
        await emulator.close();
      }
    },
  );

  verifies(
    'emulator:clients',
    "Moonshot's own CLI, kimi-code 2.1.0, answers with tools, and none of its requests is refused",
    async () => {
      const emulator = await startEmulator();
      const home = mkdtempSync(join(tmpdir(), 'exai-kimi-code-'));
      try {
        writeFileSync(join(home, 'config.toml'), kimiCodeConfig(`${emulator.url}/kimi/v1`));
        const { code, stdout } = await runKimiCode(home, 'Say exactly: hello there');
        expect(code).toBe(0);
        expect(stdout).not.toBe('');
        const sent = emulator.requests({ vendor: 'kimi' });
        expect(sent.length).toBeGreaterThan(1);
        expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
      } finally {
        await emulator.close();
        rmSync(home, { recursive: true, force: true });
      }
    },
    120_000,
  );
});

function kimiCodeConfig(baseUrl: string): string {
  return `default_model = "k26"
telemetry = false

[providers.moonshot]
type = "kimi"
base_url = "${baseUrl}"
api_key = "sk-emulated"

[models.k26]
provider = "moonshot"
model = "kimi-k2.6"
max_context_size = 262144
`;
}

async function runKimiCode(home: string, prompt: string) {
  const work = join(home, 'work');
  mkdirSync(work);
  const program = join(VENDOR_CLIENTS, '../node_modules/@moonshot-ai/kimi-code/dist/main.mjs');
  const child = spawn(NEWEST_NODE, [program, '-p', prompt], {
    cwd: work,
    // Nothing but the emulator can be reached: the proxy of all other addresses does not exist.
    env: {
      HOME: home,
      KIMI_CODE_HOME: home,
      KIMI_CODE_NO_AUTO_UPDATE: '1',
      KIMI_DISABLE_TELEMETRY: '1',
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1',
      PATH: process.env['PATH'] ?? '',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 100_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout };
}
