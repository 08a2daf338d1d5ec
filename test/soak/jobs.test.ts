import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { JobRecord } from '#core/stores/jobs.ts';
import { step } from '../cases/tools-case.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { killDaemon } from '../e2e/job-helpers.ts';
import { envelopeOf } from '../read-envelope.ts';
import { verifies } from '../verifies.ts';

const BACKGROUND = { 'exai/background': true };
const CHATS = 100;
const HANDED_OFF = 50;
const EXPERTS = 50;
const JOBS = CHATS + HANDED_OFF + EXPERTS;
const KILLS = 8;
const SOON = { timeout: 120_000, interval: 20 };

interface Begun {
  readonly id: string;
  /** Stands in what its vendor is asked, and in nothing else. */
  readonly mark: string;
  readonly tool: 'chat' | 'debug';
}

interface Row {
  readonly id: string;
  readonly status: string;
  readonly finished_at?: string;
}

let harness: ToolsHarness;
beforeAll(async () => {
  harness = await openToolsHarness({
    env: { EXAI_INLINE_WAIT_MS: '100', EXAI_JOBS_RUNNING: '16' },
  });
}, 60_000);
afterAll(() => harness.close(), 60_000);

function pace(firstMs: number): void {
  harness.emulator.clearFaults();
  for (const vendor of ['kimi', 'glm', 'openrouter']) {
    const fault = { id: 'slow', vendor, path: 'chat', times: 0, with: { firstMs, chunkMs: 0 } };
    harness.emulator.fault(fault);
  }
}

async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'soak', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${harness.ownerToken}` } };
  const url = new URL(`${harness.url()}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function call(client: Client, name: string, args: object, meta?: object): Promise<Envelope> {
  const params = { name, arguments: { ...args }, ...(meta && { _meta: { ...meta } }) };
  return envelopeOf(await client.callTool(params));
}

/** Each is acknowledged with its id; many run already when the last is. */
async function beginAll(): Promise<Begun[]> {
  const begin = async (client: Client, number: number): Promise<Begun> => {
    const mark = `mark-${number}-mark`;
    const prompt = { prompt: `Say exactly: ${mark}`, model: 'glm-5.3' };
    const last = { next_step_required: false, findings: mark, model: 'kimi-k2.6' };
    const isChat = number < CHATS + HANDED_OFF;
    const { job } = isChat
      ? await call(client, 'chat', prompt, number < CHATS ? BACKGROUND : undefined)
      : await call(client, 'debug', step(1, last), BACKGROUND);
    if (!job) throw new Error(`Call ${number} is no job.`);
    return { id: job.id, mark, tool: isChat ? 'chat' : 'debug' };
  };
  return withClient(async (client) => {
    const begun: Begun[] = [];
    // Those that are handed off while others queue, so that every kill finds some of each kind.
    const order = Array.from({ length: JOBS }, (_, number) => (number * 37) % JOBS);
    for (let from = 0; from < JOBS; from += 8) {
      const some = order.slice(from, from + 8).map((number) => begin(client, number));
      begun.push(...(await Promise.all(some)));
    }
    return begun;
  });
}

async function rows(): Promise<Map<string, Row>> {
  return withClient(async (client) => {
    const found = new Map<string, Row>();
    for (let before: string | undefined; ;) {
      const args = { limit: 100, ...(before !== undefined && { before }) };
      const { content } = await call(client, 'job_list', args);
      const { jobs, next } = content as { jobs: readonly Row[]; next?: string };
      for (const job of jobs) found.set(job.id, job);
      if (next === undefined) return found;
      before = next;
    }
  });
}

const isOver = ({ status }: Row) => ['done', 'failed', 'cancelled'].includes(status);

/** How often its vendor was asked for each, since request number `after`. */
function asked(begun: readonly Begun[], after = 0): Map<string, number> {
  const bodies = harness.emulator
    .requests()
    .filter(({ number, path }) => number > after && path.includes('chat'))
    .map(({ body }) => JSON.stringify(body));
  return new Map(
    begun.map(({ id, mark }) => [id, bodies.filter((body) => body.includes(mark)).length]),
  );
}

const lastRequest = () => harness.emulator.requests({ last: 1 })[0]?.number ?? 0;

verifies(
  'jobs:killed',
  'two hundred jobs under kill -9: each ends once, none is lost, none is done twice',
  async () => {
    pace(3000);
    const begun = await beginAll();
    expect(new Set(begun.map(({ id }) => id)).size).toBe(JOBS);
    const openAtFirst = [...(await rows()).values()].filter((row) => !isOver(row)).length;
    pace(300);

    const ended = new Map<string, Row>();
    let told = '';
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const wanted = Math.min(JOBS - 10, ended.size + 12 + ((kill * 7) % 11));
      await expect
        .poll(async () => [...(await rows()).values()].filter(isOver).length, SOON)
        .toBeGreaterThanOrEqual(wanted);
      killDaemon(harness);
      await harness.restart();
      const now = await rows();
      expect(begun.filter(({ id }) => !now.has(id))).toEqual([]);
      expect(now.size).toBe(JOBS);
      // What had ended before the kill has ended as it had.
      for (const [id, row] of ended) expect(now.get(id)).toEqual(row);
      for (const row of now.values()) if (isOver(row)) ended.set(row.id, row);
      told += ` ${ended.size}`;
    }
    const overByNow = begun.filter(({ id }) => ended.has(id));
    const since = lastRequest();
    await expect
      .poll(async () => [...(await rows()).values()].filter(isOver).length, SOON)
      .toBe(JOBS);
    expect(new Set(asked(overByNow, since).values())).toEqual(new Set([0]));

    const times = asked(begun);
    const records = await harness.lookInto(async ({ jobs }) => {
      const found = new Map<string, JobRecord | undefined>();
      for (const { id } of begun) found.set(id, await jobs.get(id, 'local'));
      return found;
    });
    const outcomes: Record<string, number> = {};
    for (const { id, mark, tool } of begun) {
      const record = records.get(id);
      if (!record) throw new Error(`Job ${id} is lost.`);
      const how = record.error?.class ?? record.status;
      outcomes[`${tool} ${how}`] = (outcomes[`${tool} ${how}`] ?? 0) + 1;
      const { envelope } = record.result as unknown as { readonly envelope: Envelope };
      const isDone = record.status === 'done';
      // A chat may be asked again after each kill that found it running; an expert never.
      const most = tool === 'chat' ? 1 + KILLS : 1;
      expect(times.get(id)).toBeLessThanOrEqual(most);
      expect([mark, record.status, envelope.error_class]).toEqual(
        tool === 'chat'
          ? [mark, 'done', undefined]
          : [mark, isDone ? 'done' : 'failed', isDone ? undefined : 'interrupted'],
      );
      expect(tool === 'chat' ? envelope.content : mark).toBe(mark);
    }
    const requests = [...times.values()].reduce((sum, count) => sum + count, 0);
    const twice = [...times.values()].filter((count) => count > 1).length;
    console.log(
      `${JOBS} jobs, ${openAtFirst} open before the first of ${KILLS} kills; over after each:${told}\n` +
        `${requests} requests, ${twice} jobs asked again after a kill; ${JSON.stringify(outcomes)}`,
    );
  },
);
