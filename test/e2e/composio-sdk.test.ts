import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { runDriver } from './sdk-run.ts';

const STEPS = fileURLToPath(new URL('../tools/composio/steps', import.meta.url));

// `npm test` installs it, and both versions of Node.js.
describe.each(['Node 22', 'newest'] as const)("Composio's own SDK, 0.17.0, on %s", (node) => {
  verifies(
    'composio:sdk',
    'it makes sessions, runs tools and batches, lists and links, unchanged, against the emulator',
    async () => {
      const emulator = await startEmulator();
      try {
        const outcomes = await runDriver(node, STEPS, { baseURL: `${emulator.url}/composio` });
        const sent = { labelIds: ['SENT'] };
        expect(outcomes).toMatchObject({
          session: { type: 'http', headers: { 'x-api-key': 'ak_emulated' } },
          use: true,
          tools: expect.arrayContaining(['COMPOSIO_MULTI_EXECUTE_TOOL']) as string[],
          execute: { data: sent, error: null },
          failed: { error: expect.stringContaining('recipient_email') as string },
          batch: {
            data: { success_count: 1, error_count: 1 },
            error: '1 out of 2 tools failed',
          },
          search: 'GMAIL_SEND_EMAIL',
          toolkits: expect.arrayContaining([['gmail', true]]) as string[],
          authorize: expect.stringContaining('/link/lk_') as string,
          direct: { successful: true, data: sent },
          version: { threw: 'ComposioError' },
          list: ['GMAIL_FETCH_EMAILS', 'GMAIL_SEND_EMAIL'],
          unknownTool: { threw: 'ComposioToolNotFoundError', cause: '404' },
          wrongKey: { threw: expect.stringContaining('Error') as string },
          upload: { threw: 'ComposioBlockedInternalUrlError' },
        });
      } finally {
        await emulator.close();
      }
    },
  );
});
