import { describe, expect, test } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { judgeSdk } from './sdk-judge.ts';
import { tryClient } from './sdk-report.ts';
import { SDK_CLIENTS, type StepOutcome } from './sdk-run.ts';
import { SDK_SERVERS, type Step } from './sdk-servers.ts';
import { runZaiServer } from './sdk-zai.ts';

const SAID = 'Zürich, 北京 and 🚀 on one line';
const USAGE = { prompt_tokens: 1, completion_tokens: 1 };

// `npm test` installs them.
describe('clients of others find in the emulator what they find at the vendors', () => {
  for (const client of SDK_CLIENTS) {
    verifies(
      'emulator:clients',
      `${client.name}: chat, streams, tools, formats, files and errors mean what they mean there`,
      async () => {
        const judged = await tryClient(client);
        expect(judged.filter(({ problem }) => problem !== undefined)).toEqual([]);
        expect(judged.length).toBeGreaterThan(10);
      },
    );
  }

  verifies(
    'emulator:clients',
    "Z.ai's MCP server looks at a picture with the model that its API has by default",
    async () => {
      const emulator = await startEmulator();
      try {
        const { tools, text, isError } = await runZaiServer(emulator.url, 'emulated.secret');
        expect(tools).toContain('analyze_image');
        expect({ isError, text }).toEqual({
          isError: false,
          text: expect.stringContaining('1 image (image/png, 74 bytes, 2 x 3 pixels)') as string,
        });
        const [request] = emulator.requests({ vendor: 'glm', last: 1 });
        expect(request).toMatchObject({
          method: 'POST',
          body: { model: 'glm-5.3-flash', thinking: { type: 'enabled' }, stream: false },
        });
      } finally {
        await emulator.close();
      }
    },
  );
});

describe('the judge of those clients', () => {
  const [client] = SDK_CLIENTS;
  const [server] = SDK_SERVERS;
  const error = { name: 'BadRequestError', status: 400, message: 'no' };
  const wrong: readonly (readonly [Step, StepOutcome])[] = [
    ['chat', { value: { text: 'Zurich', finish: 'stop', usage: USAGE }, ms: 1 }],
    ['chat', { value: { text: SAID, finish: 'stop', usage: null }, ms: 1 }],
    ['stream', { value: { text: SAID, finish: 'stop', usage: USAGE, pieces: 1 }, ms: 1 }],
    ['tools', { value: { text: '"celsius":21', calls: [], usage: USAGE }, ms: 1 }],
    ['structured', { value: { name: 'Oslo' }, ms: 1 }],
    ['chat', { threw: error, ms: 1 }],
    ['wrongKey', { threw: error, ms: 1 }],
    ['wrongKey', { value: {}, ms: 1 }],
    ['toolThoughtsLost', { threw: error, ms: 1 }],
    ['cutStream', { value: { text: 'Zü' }, ms: 1 }],
  ];
  test.each(wrong)('finds fault with a wrong outcome of %s: %j', (step, told) => {
    if (!client || !server) throw new Error('there are no clients');
    expect(judgeSdk(client, server, step, told).problem).toEqual(expect.any(String));
  });
});
