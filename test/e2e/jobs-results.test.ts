import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { systemClock } from '#app/system.ts';
import { createIds, type Id } from '#core/ids.ts';
import type { Json } from '#core/json/json.ts';
import type { Store } from '#core/stores/store.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { openClient, type Called, type ToolClient } from '../cases/tools-client.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { verifies } from '../verifies.ts';
import { exaiIn, fetchResult, jobIdOf, storeIn } from './job-helpers.ts';

const DAY_MS = 86_400_000;
const MAX_TOKENS = 25_000;
/** As ids are, and of nobody. */
const UNKNOWN = '1m7hkhxgs001x3b0gc305a';

let harness: ToolsHarness;
let clients: ToolClient[] = [];
beforeAll(async () => {
  harness = await openToolsHarness({ env: { EXAI_INLINE_WAIT_MS: '1000' } });
});
afterEach(async () => {
  for (const client of clients) await client.close().catch(() => undefined);
  clients = [];
  harness.emulator.reset();
});
afterAll(() => harness.close());

async function open(
  transport: Parameters<typeof openClient>[1],
  token?: string,
): Promise<ToolClient> {
  const client = await openClient(harness, transport, token);
  clients.push(client);
  return client;
}

function slow(firstMs: number): void {
  for (const vendor of ['kimi', 'glm']) {
    harness.emulator.fault({
      id: 'slow',
      vendor,
      path: 'chat',
      times: 0,
      with: { firstMs, chunkMs: 0 },
    });
  }
}

interface Piece {
  readonly chars: number;
  readonly next?: number;
  readonly text: string;
}

function answered(text: string, content: unknown = text, reqId = `req_${UNKNOWN}`) {
  const req = { attempt: 1, req_id: reqId };
  const envelope = { status: 'success', tool: 'chat', ...req, content };
  return JSON.parse(JSON.stringify({ envelope, text })) as Json;
}

/** A job that ended some time ago. */
async function finish({ jobs }: Store, id: Id<'job'>, result: Json): Promise<void> {
  const job = { id, principal: 'local', tool: 'chat', input: {} };
  await jobs.finish(await jobs.adopt(job, 'gone', 1000), { status: 'done', result });
}

/** From its head to its end, as a client that takes so many tokens gets it. */
async function readAll(client: ToolClient, first: Called): Promise<string> {
  const { id, next: begin = 0 } = first.envelope.page ?? {};
  expect(estimateTokens(first.text)).toBeLessThanOrEqual(MAX_TOKENS);
  expect(first.text).toContain(`read_result {"id": "${id}", "offset": ${begin}}`);
  let whole = first.text.slice(0, begin);
  for (let next: number | undefined = begin; next !== undefined;) {
    const told = await client.call('read_result', { id, offset: next });
    expect(estimateTokens(told.text)).toBeLessThanOrEqual(MAX_TOKENS);
    const piece = told.content as unknown as Piece;
    whole += piece.text;
    next = piece.next;
  }
  return whole;
}

verifies(
  'results:fit',
  'a result of more than two megabytes is read piece by piece, over any transport, and is what it was',
  async () => {
    const text = Array.from(
      { length: 50_000 },
      (_, line) => `${line}: words, 一个字, and 😀${line % 3 === 0 ? '\n' : ' '.repeat(line % 60)}`,
    ).join('');
    expect(text.length).toBeGreaterThan(2_000_000);
    const content = { says: text, count: 50_000 };
    const newId = createIds(systemClock, (bytes) => new Uint8Array(bytes).fill(9));
    const [plain, withData, reqId] = [newId('job'), newId('job'), newId('req')];
    await harness.lookInto(async (store) => {
      await finish(store, plain, answered(text, text, reqId));
      await finish(store, withData, answered(text, content, newId('req')));
    });
    await harness.restart();
    const client = await open('ws modern');
    const first = await client.call('job_result', { job_id: plain });
    expect(first.envelope.page?.id).toBe(reqId.replace('req_', 'res_'));
    // By another session of the same user.
    const other = await open('http legacy');
    expect((await readAll(other, first)) === text).toBe(true);
    const past = { id: first.envelope.page?.id, offset: text.length + 1 };
    const refused = await other.call('read_result', past);
    expect(refused.envelope).toMatchObject({ error_class: 'validation' });
    expect(refused.text).toContain(`The result has ${text.length} characters`);
    // What is there as data only is part of it.
    const second = await client.call('job_result', { job_id: withData });
    const data = JSON.stringify(content, undefined, 1);
    expect((await readAll(client, second)) === `${text}\n\nAs data:\n${data}`).toBe(true);
  },
);

verifies('results:fit', 'a long answer of a model is whole in the end', async () => {
  const client = await open('http modern');
  const args = { prompt: '[[tokens 30000]]', model: 'kimi-k3' };
  const first = await client.call('chat', args);
  const { job } = first.envelope;
  const told = job ? await fetchResult(client, job.id) : first;
  const words = (await readAll(client, told)).split(' ');
  expect(words.length).toBeGreaterThanOrEqual(30_000);
  const { stdout } = await exaiIn(harness, 'results', 'read', told.envelope.page?.id ?? '');
  expect(stdout.split(' ').length).toBeGreaterThanOrEqual(30_000);
});

verifies(
  'jobs:tools',
  'another client sees neither jobs nor results, and cannot stop them',
  async () => {
    slow(2500);
    const mine = await open('http modern');
    const id = jobIdOf(await mine.call('chat', { prompt: '[[tokens 30000]]', model: 'kimi-k3' }));
    const token = await harness.addClient('mallory');
    const other = await open('http modern', token);
    const refused = async (tool: string, args: object) => (await other.call(tool, args)).envelope;
    expect((await other.call('job_list', {})).content).toEqual({ jobs: [] });
    for (const tool of ['job_result', 'job_cancel']) {
      const told = await refused(tool, { job_id: id });
      expect(told).toMatchObject({ error_class: 'not_found', content: null });
      // Word for word as of a job that never was.
      const never = `job_${UNKNOWN}`;
      const unknown = await refused(tool, { job_id: never });
      expect(told.detail?.replaceAll(id, never)).toBe(unknown.detail);
    }
    const { envelope } = await fetchResult(mine, id);
    const page = envelope.page?.id ?? '';
    expect(await refused('read_result', { id: page })).toMatchObject({ error_class: 'not_found' });
    expect((await mine.call('read_result', { id: page })).envelope.status).toBe('success');
  },
);

verifies('jobs:tools', 'what is no id, or of nothing, is refused by its field', async () => {
  const client = await open('exai');
  const refusal = async (tool: string, args: object) => {
    const { envelope } = await client.call(tool, args);
    expect([args, envelope.detail ?? '']).not.toEqual([args, '']);
    return envelope.error_class;
  };
  for (const tool of ['job_result', 'job_cancel']) {
    expect(await refusal(tool, { job_id: `job_${UNKNOWN}` })).toBe('not_found');
    for (const id of ['job_', `res_${UNKNOWN}`, 'constructor', 'x'.repeat(5000), 7, null]) {
      expect([id, await refusal(tool, { job_id: id })]).toEqual([id, 'validation']);
    }
  }
  expect(await refusal('job_cancel', { job_id: '' })).toBe('validation');
  expect(await refusal('read_result', { id: `res_${UNKNOWN}` })).toBe('not_found');
  expect(await refusal('read_result', { id: `job_${UNKNOWN}` })).toBe('validation');
  expect(await refusal('read_result', { id: `res_${UNKNOWN}`, offset: -1 })).toBe('validation');
  expect(await refusal('read_result', { id: `res_${UNKNOWN}`, offset: 1.5 })).toBe('validation');
  expect(await refusal('job_list', { before: `job_${UNKNOWN}` })).toBe('not_found');
});

verifies('jobs:tools', 'what was kept for its time is gone, and is said to be', async () => {
  const past = { ...systemClock, now: () => Date.now() - 40 * DAY_MS };
  const newId = createIds(past, (bytes) => new Uint8Array(bytes).fill(7));
  const [old, res, recent] = [newId('job'), newId('res'), newId('job')];
  await harness.lookInto((store) => finish(store, recent, answered('Old.')));
  await storeIn(harness, past, async (store) => {
    await finish(store, old, answered('Old.'));
    const kept = { id: res, principal: 'local', tool: 'chat', reqId: newId('req'), text: 'Old.' };
    await store.results.keep(kept);
  });
  await harness.restart();
  const client = await open('http legacy');
  const told = (tool: string, args: object) => client.call(tool, args);
  expect((await told('job_result', { job_id: recent })).text).toBe('Old.');
  const classOf = async (tool: string, args: object) =>
    (await told(tool, args)).envelope.error_class;
  await expect.poll(() => classOf('read_result', { id: res })).toBe('not_found');
  await expect.poll(() => classOf('job_result', { job_id: old })).toBe('not_found');
  const { text } = await told('job_result', { job_id: old });
  expect(text).toMatch(/no longer kept: it was begun 40 days ago, and jobs go 30 days after/);
  expect((await told('read_result', { id: res })).text).toMatch(/kept/);
});
