import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { kimi, send } from './emulator.fixture.ts';
import { startEmulator, type Emulator } from './start.ts';
import type { FaultAnswer, Vendor } from './vendor.ts';

let emulator: Emulator;
let clockMs = 1_790_000_000_000;

const slowDown: FaultAnswer = async (_, reply): Promise<'answered'> => {
  await reply.json(429, { toy: 'slow down' });
  return 'answered';
};

const toy = (): Vendor<{ loud: boolean }> => ({
  name: 'toy',
  prefix: '/toy/v1',
  switches: { loud: false },
  faults: { F1: slowDown, F9: () => 'through' },
  faultOptions: { F1: ['seconds'] },
  reset() {
    this.switches.loud = false;
  },
  async handle(ask, reply) {
    if (ask.path === '/break') throw new Error('a bug');
    await reply.json(200, { path: ask.path, fault: ask.fault?.id, now: ask.now() });
  },
});

beforeAll(async () => {
  emulator = await startEmulator({ vendors: [toy()], now: () => clockMs });
});
afterAll(() => emulator.close());
beforeEach(() => {
  emulator.reset();
});

const ask = (path: string, headers: Record<string, string> = {}) =>
  send(`${emulator.url}/toy/v1${path}`, { headers });

describe('control', () => {
  test('the front page lists vendors, switches and faults, and says what it is', async () => {
    const { json, headers } = await send(`${emulator.url}/`);
    expect(json.emulator).toBe('exai');
    expect(json.vendors).toEqual([
      { name: 'toy', prefix: '/toy/v1', switches: { loud: false }, faults: ['F1', 'F9'] },
    ]);
    expect(Object.keys(json.frameFaults)).toContain('F5.cut');
    expect(headers.get('x-emulator') ?? (await ask('/x')).headers.get('x-emulator')).toBe('exai');
  });

  test('time is what the emulator is told', async () => {
    clockMs = 1_790_000_001_234;
    expect((await ask('/x')).json.now).toBe(1_790_000_001_234);
  });

  test.each([
    [{ id: 'F99' }, 'F99'],
    [{ id: 7 }, '7'],
    [{ id: 'F5.cut', vendor: 'nobody' }, 'nobody'],
    [{ id: 'F5.cut', afterwards: 3 }, 'afterwards'],
    [{ id: 'F5.cut', after: -1 }, 'after'],
    [{ id: 'F5.cut', times: 1.5 }, 'times'],
    [{ id: 'F5.cut', path: 5 }, 'path'],
    [{ id: 'F5.cut', with: [] }, 'with'],
    ['F5.cut', 'object'],
    [[{ id: 'F5.cut' }, { id: '__proto__' }], '__proto__'],
    [{ id: 'F5.cut', with: { after: 3 } }, 'beside id'],
    [{ id: 'slow', with: { firstMS: 3 } }, 'firstMS'],
    [{ id: 'F1', with: { __proto_: 1 } }, 'seconds'],
    [{ id: 'x'.repeat(10_000) }, 'xxx…'],
    ['{"id":', 'not JSON'],
  ])('the plan %j is refused by naming %s, and nothing is planned', async (plan, word) => {
    const { status, json } = await send(`${emulator.url}/_faults`, { body: plan, method: 'POST' });
    expect(status).toBe(400);
    expect(json.error.message).toContain(word);
    expect((await send(`${emulator.url}/_faults`)).json).toEqual({ faults: [] });
  });

  test('a fault that is none is answered with those of its vendor and the nearest', async () => {
    const plan = async (body: unknown): Promise<string> =>
      (await send(`${emulator.url}/_faults`, { body })).json.error.message;
    const named = await plan({ id: 'F5.cutt', vendor: 'toy' });
    expect(named).toMatch(
      /^id: "F5\.cutt" is not a fault of toy\. Did you mean F5\.cut\b.*\? toy has F1, F9; every vendor has F4\.504, /,
    );
    const any = await plan({ id: 'F5.cutt' });
    expect(any).toContain('Did you mean F5.cut');
    expect(any).toContain('GET / lists');
    expect(any.length).toBeLessThan(160);
  });

  test('a fault that does not tell what it wants to know takes anything', async () => {
    emulator.fault({ id: 'F9', vendor: 'toy', with: { anything: 1 } });
    emulator.fault({ id: 'F1', vendor: 'toy', with: { seconds: 1 } });
    expect((await ask('/x', { 'x-emulate-fault': 'F9;anything=1' })).json.fault).toBe('F9');
    const refused = await ask('/x', { 'x-emulate-fault': 'F1;secnds=1' });
    expect([refused.status, refused.json.error.message]).toEqual([
      400,
      'x-emulate-fault: with: F1 knows no "secnds"; it takes seconds.',
    ]);
  });

  test('switches that are not JSON are refused', async () => {
    const { status, json } = await send(`${emulator.url}/_switches`, { body: '{' });
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('not JSON')]);
  });

  test('a planned fault befalls one request unless told how many, and only those it is meant for', async () => {
    await send(`${emulator.url}/_faults`, {
      body: [
        { id: 'F4.502', path: '/a', times: 2 },
        { id: 'F1', vendor: 'toy', path: '/b' },
      ],
    });
    const statuses = [];
    for (const path of ['/c', '/a', '/a', '/a', '/b', '/b'])
      statuses.push((await ask(path)).status);
    expect(statuses).toEqual([200, 502, 502, 200, 429, 200]);
  });

  test('times 0 is every request until the faults are deleted', async () => {
    emulator.fault({ id: 'F4', times: 0 });
    expect([(await ask('/x')).status, (await ask('/x')).status]).toEqual([504, 504]);
    expect((await send(`${emulator.url}/_faults`)).json.faults).toEqual([
      { id: 'F4.504', times: 0 },
    ]);
    await send(`${emulator.url}/_faults`, { method: 'DELETE' });
    expect((await ask('/x')).status).toBe(200);
  });

  test('the header brings a fault for one request, and an unknown one is refused', async () => {
    expect((await ask('/x', { 'x-emulate-fault': 'F4.503' })).status).toBe(503);
    const refused = await ask('/x', { 'x-emulate-fault': 'F5.nonsense' });
    expect([refused.status, refused.json.error.message]).toEqual([
      400,
      expect.stringContaining('F5.nonsense'),
    ]);
    expect((await ask('/x', { 'x-emulate-fault': 'F5.cut;after' })).status).toBe(400);
  });

  test('switches are set by name and type, and reset puts them back', async () => {
    const set = await send(`${emulator.url}/_switches`, { body: { toy: { loud: true } } });
    expect(set.json).toEqual({ toy: { loud: true } });
    for (const bad of [{ toy: { quiet: 1 } }, { toy: { loud: 'yes' } }, { me: {} }, { toy: 1 }, []])
      expect((await send(`${emulator.url}/_switches`, { body: bad })).status).toBe(400);
    await send(`${emulator.url}/_reset`, { method: 'POST' });
    expect((await send(`${emulator.url}/_switches`)).json).toEqual({ toy: { loud: false } });
  });

  test('requests are shown with masked keys, parsed bodies, status and fault', async () => {
    await send(`${emulator.url}/toy/v1/x?y=1`, {
      body: { a: 1 },
      headers: { authorization: 'Bearer sk-very-secret-1234', 'x-emulate-fault': 'F4.502' },
    });
    const { json } = await send(`${emulator.url}/_requests?vendor=toy&last=1`);
    expect(json.requests).toEqual([
      expect.objectContaining({
        vendor: 'toy',
        method: 'POST',
        path: '/toy/v1/x?y=1',
        body: { a: 1 },
        status: 502,
        fault: { id: 'F4.502' },
        headers: expect.objectContaining({ authorization: '…1234' }),
      }),
    ]);
    expect(JSON.stringify(json)).not.toContain('very-secret');
    expect((await send(`${emulator.url}/_requests?last=x`)).status).toBe(400);
    expect((await send(`${emulator.url}/_requests?vendor=x`)).status).toBe(400);
  });

  test('a multipart body is shown by its parts, a large one by digest and head', async () => {
    const form = new FormData();
    form.set('file', new Blob(['hello']), 'a.txt');
    form.set('purpose', 'file-extract');
    await send(`${emulator.url}/toy/v1/f`, { body: form });
    await send(`${emulator.url}/toy/v1/g`, { body: { big: 'x'.repeat(100_000) } });
    const [first, second] = emulator.requests({ last: 2 });
    expect(first?.body).toEqual({
      parts: [
        expect.objectContaining({
          name: 'file',
          filename: 'a.txt',
          bytes: 5,
          sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        }),
        expect.objectContaining({ name: 'purpose', value: 'file-extract' }),
      ],
    });
    expect(second?.body).toEqual({
      bytes: 100_010,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      head: expect.stringMatching(/^\{"big":"x{1000}/),
    });
  });

  test('the list of requests keeps the newest thousand', async () => {
    for (let at = 0; at < 41; at += 1)
      await Promise.all(Array.from({ length: 50 }, () => ask(`/${at}`)));
    const kept = emulator.requests();
    expect(kept).toHaveLength(1_000);
    expect(kept.at(-1)?.number).toBe(kept[0] === undefined ? 0 : kept[0].number + 999);
  });

  test('a bug of the emulator is told as its own, and an unknown path names the front page', async () => {
    const bug = await ask('/break');
    expect([bug.status, bug.json.error.type]).toEqual([500, 'emulator_error']);
    const nothing = await send(`${emulator.url}/nowhere`);
    expect([nothing.status, nothing.json.error.message]).toEqual([
      404,
      expect.stringContaining('GET /'),
    ]);
  });
});

test('closing cuts what is still open', async () => {
  const other = await startEmulator({});
  other.fault({ id: 'F5.silent' });
  const waiting = kimi(other).get('/models');
  const failed = waiting.catch((error: unknown) => String(error));
  while (other.requests().length === 0) await new Promise(setImmediate);
  await other.close();
  expect(await failed).toContain('fetch failed');
});
