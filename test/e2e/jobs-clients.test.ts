import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { openClient, type ToolClient } from '../cases/tools-client.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { envelopeOf } from '../read-envelope.ts';
import { verifies } from '../verifies.ts';
import { chatsWith, fetchResult, jobIdOf } from './job-helpers.ts';

const ASK = { prompt: 'Say exactly: It was worth the wait', model: 'glm-5.3' };

let harness: ToolsHarness;
let closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  harness = await openToolsHarness({ env: { EXAI_INLINE_WAIT_MS: '1000' } });
});
afterEach(async () => {
  for (const close of closers) await close().catch(() => undefined);
  closers = [];
  harness.emulator.reset();
});
afterAll(() => harness.close());

async function sdkClient(name = 'somebody'): Promise<Client> {
  const client = new Client({ name, version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${harness.ownerToken}` } };
  const url = new URL(`${harness.url()}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  closers.push(() => client.close());
  return client;
}

async function toolClient(
  transport: Parameters<typeof openClient>[1],
  token?: string,
): Promise<ToolClient> {
  const client = await openClient(harness, transport, token);
  closers.push(() => client.close());
  return client;
}

function slow(times: { readonly firstMs?: number; readonly chunkMs?: number }): void {
  for (const vendor of ['kimi', 'glm', 'openrouter']) {
    harness.emulator.fault({ id: 'slow', vendor, path: 'chat', times: 0, with: times });
  }
}

describe('a client made with the SDK', () => {
  verifies(
    'jobs:handed-off',
    'that hears of no progress gets the id before its limit, and the answer after',
    async () => {
      slow({ firstMs: 3000 });
      const client = await sdkClient();
      const limit = { timeout: 60_000 };
      const told = envelopeOf(await client.callTool({ name: 'chat', arguments: ASK }, limit));
      expect(told).toMatchObject({ status: 'running', tool: 'chat', job: { status: 'running' } });
      const again = { name: 'job_result', arguments: { job_id: told.job?.id, wait_seconds: 3 } };
      let result = envelopeOf(await client.callTool(again, limit));
      while (result.status === 'running') result = envelopeOf(await client.callTool(again, limit));
      expect(result).toMatchObject({ status: 'success', content: 'It was worth the wait' });
      expect(chatsWith(harness, 'glm')).toHaveLength(1);
    },
  );

  verifies(
    'jobs:handed-off',
    'that begins anew with progress gets the answer inline, though it takes longer than its limit',
    async () => {
      // Nine seconds at least, as there is a piece for every word.
      slow({ chunkMs: 100 });
      const client = await sdkClient();
      const heard: object[] = [];
      const words = Array.from({ length: 90 }, (_, word) => `word${word}`).join(' ');
      const result = await client.callTool(
        { name: 'chat', arguments: { ...ASK, prompt: `Say exactly: ${words}` } },
        {
          timeout: 8000,
          resetTimeoutOnProgress: true,
          onprogress: (progress) => void heard.push(progress),
        },
      );
      expect(envelopeOf(result)).toMatchObject({ status: 'success', content: words });
      expect(heard.length).toBeGreaterThan(1);
    },
  );

  verifies(
    'jobs:given-up',
    'that gave up at its own limit finds its job in the list of a new session',
    async () => {
      slow({ firstMs: 4000 });
      const client = await sdkClient();
      const calling = client.callTool({ name: 'chat', arguments: ASK }, { timeout: 500 });
      await expect(calling).rejects.toThrow(/timed out/i);
      await expect.poll(() => chatsWith(harness, 'glm').length).toBe(1);
      await client.close();
      const later = await toolClient('ws modern');
      const jobs = async () => {
        const { content } = await later.call('job_list', { limit: 1 });
        return content['jobs'] as readonly { readonly id: string; readonly status: string }[];
      };
      await expect.poll(async () => (await jobs())[0]?.status).toMatch(/running|done/);
      const { envelope } = await fetchResult(later, (await jobs())[0]?.id ?? '');
      expect(envelope).toMatchObject({ tool: 'chat', content: 'It was worth the wait' });
      expect(chatsWith(harness, 'glm').map(({ left }) => left)).toEqual([false]);
    },
  );

  verifies(
    'jobs:cancelled',
    'that takes a call back for another reason has no job of it',
    async () => {
      slow({ firstMs: 60_000 });
      const client = await sdkClient();
      const stop = new AbortController();
      const calling = client.callTool({ name: 'chat', arguments: ASK }, { signal: stop.signal });
      await expect.poll(() => chatsWith(harness, 'glm').length).toBe(1);
      stop.abort('nobody wants it');
      await expect(calling).rejects.toThrow(/nobody wants it/);
      await expect.poll(() => chatsWith(harness, 'glm').map(({ left }) => left)).toEqual([true]);
    },
  );
});

describe.each([
  'http modern',
  'ws modern',
  'shim legacy',
  'socket legacy',
  'sse legacy',
  'exai',
] as const)('over %s', (transport) => {
  verifies(
    'jobs:handed-off',
    `over ${transport}: a slow call is answered with its job, and the answer is fetched`,
    async () => {
      slow({ firstMs: 2000 });
      const client = await toolClient(transport);
      const told = await client.call('chat', ASK);
      const id = jobIdOf(told);
      expect(told.text).toContain(id);
      const { envelope, text } = await fetchResult(client, id);
      expect(envelope).toMatchObject({
        tool: 'chat',
        content: 'It was worth the wait',
        job: { id },
      });
      expect(text).toContain('It was worth the wait');
    },
  );

  verifies(
    'jobs:cancelled',
    `over ${transport}: a job is cancelled once, leaves its vendor, and says so`,
    async () => {
      slow({ firstMs: 60_000 });
      const client = await toolClient(transport);
      const id = jobIdOf(await client.call('chat', ASK));
      const cancel = () => client.call('job_cancel', { job_id: id });
      expect((await cancel()).content).toEqual({ id, outcome: 'cancelled', status: 'cancelled' });
      await expect.poll(() => chatsWith(harness, 'glm').map(({ left }) => left)).toEqual([true]);
      expect((await cancel()).content).toMatchObject({ outcome: 'already_over' });
      expect((await fetchResult(client, id)).envelope).toMatchObject({ status: 'cancelled' });
    },
  );
});
