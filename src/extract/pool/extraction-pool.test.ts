import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createExtractionPool, type ExtractionPool } from './extraction-pool.ts';
import type { ExtractionRequest } from './extraction-worker.ts';

const PAGE = `<html><body><article><h1>Harbour</h1><p>${'The harbour of Bergen was founded in 1070. '.repeat(20)}</p></article></body></html>`;
const bytes = (text: string) => new TextEncoder().encode(text);
const signal = () => new AbortController().signal;

const pools: ExtractionPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function pool(options: Partial<Parameters<typeof createExtractionPool>[0]> = {}): ExtractionPool {
  const created = createExtractionPool({ clock: createFakeClock(), ...options });
  pools.push(created);
  return created;
}

describe('the extraction pool, in real threads', () => {
  verifies('extract:threads', 'extracts a page, and leaves the bytes to the caller', async () => {
    const page = bytes(PAGE);
    const { page: read } = await pool().extract(page, {}, signal());
    expect(read?.markdown).toContain('founded in 1070');
    expect(page.length).toBeGreaterThan(0);
  });

  verifies('extract:threads', 'passes the typed error of a refused page on', async () => {
    const tooLarge = new Uint8Array(129 * 1024 * 1024);
    await expect(pool().extract(tooLarge, {}, signal())).rejects.toMatchObject({
      class: 'too_large',
    });
  });

  verifies('extract:threads', 'passes a large text on whole, in both directions', async () => {
    const text = Array.from({ length: 400_000 }, (_, at) => `Line ${at} of a long text.`).join(
      '\n',
    );
    const read = await pool().extract(bytes(text), { name: 'long.txt' }, signal());
    expect(read.parts.map(({ markdown }) => markdown).join('')).toBe(text);
  });

  verifies('extract:threads', 'passes many parts on whole and in order', async () => {
    const cells = Array.from({ length: 5000 }, (_, at) => ({
      cell_type: 'markdown',
      source: at % 1000 === 7 ? '' : `Cell ${at} ${'word '.repeat(at % 300)}.`,
    }));
    cells.push({ cell_type: 'markdown', source: 'long '.repeat(300_000) });
    const notebook = bytes(JSON.stringify({ nbformat: 4, metadata: {}, cells }));
    const { parts } = await pool().extract(notebook, { name: 'a.ipynb' }, signal());
    expect(parts.map(({ markdown }) => markdown)).toEqual(cells.map(({ source }) => source));
  });

  verifies('extract:threads', 'answers many pages at once, each with its own', async () => {
    const own = pool();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        own.extract(bytes(PAGE.replace('1070', String(2000 + at))), {}, signal()),
      ),
    );
    for (const [at, { page }] of all.entries()) expect(page?.text).toContain(String(2000 + at));
  });
});

/** A thread that answers when the test says so. */
class FakeThread extends EventEmitter {
  readonly jobs: ExtractionRequest[] = [];
  isTerminated = false;
  unref(): void {}
  postMessage(job: ExtractionRequest): void {
    this.jobs.push(job);
  }
  terminate(): Promise<number> {
    this.isTerminated = true;
    return Promise.resolve(0);
  }
  begin(): void {
    this.emit('message', { is: 'begun', id: this.jobs.at(-1)?.id });
  }
  answer(markdown: string): void {
    const id = this.jobs.at(-1)?.id;
    this.emit('message', {
      is: 'extracted',
      id,
      document: { format: 'text', parts: [{ place: { is: 'document' }, markdown }] },
      large: [],
    });
  }
}

describe('the extraction pool, with threads that hang, fail or end', () => {
  function setUp(more: Partial<Parameters<typeof createExtractionPool>[0]> = {}) {
    const clock = createFakeClock();
    const started: FakeThread[] = [];
    const startThread = () => {
      const thread = new FakeThread();
      started.push(thread);
      return thread as unknown as Worker;
    };
    return { clock, started, own: pool({ clock, startThread, threads: 1, ...more }) };
  }

  verifies('extract:threads', 'ends a thread that takes too long, and continues', async () => {
    const { clock, started, own } = setUp({ timeLimitMs: 1000 });
    const first = own.extract(bytes('a'), {}, signal());
    const second = own.extract(bytes('b'), {}, signal());
    started[0]?.begin();
    clock.advance(1001);
    await expect(first).rejects.toMatchObject({ class: 'timeout' });
    expect(started[0]?.isTerminated).toBe(true);
    started[1]?.answer('b');
    expect(await second).toMatchObject({ parts: [{ markdown: 'b' }] });
  });

  verifies('extract:threads', 'ends the thread of a cancelled page at once', async () => {
    const { started, own } = setUp();
    const abort = new AbortController();
    const page = own.extract(bytes('a'), {}, abort.signal);
    abort.abort(new CallError('cancelled', 'enough'));
    await expect(page).rejects.toThrow('enough');
    expect(started[0]?.isTerminated).toBe(true);
  });

  test('a page that waits can be cancelled without harm to the one that runs', async () => {
    const { started, own } = setUp();
    const running = own.extract(bytes('a'), {}, signal());
    const abort = new AbortController();
    const waiting = own.extract(bytes('b'), {}, abort.signal);
    abort.abort(new CallError('cancelled', 'enough'));
    await expect(waiting).rejects.toThrow('enough');
    started[0]?.answer('a');
    expect(await running).toMatchObject({ parts: [{ markdown: 'a' }] });
    expect(started).toHaveLength(1);
  });

  verifies('extract:threads', 'replaces a thread that ran out of memory', async () => {
    const { started, own } = setUp();
    const page = own.extract(bytes('a'), {}, signal());
    const thrown = Object.assign(new Error('memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
    started[0]?.emit('error', thrown);
    await expect(page).rejects.toMatchObject({ class: 'too_large' });
    const next = own.extract(bytes('b'), {}, signal());
    started[1]?.answer('b');
    expect(await next).toMatchObject({ parts: [{ markdown: 'b' }] });
  });

  verifies('extract:threads', 'ends a thread whose buffers need too much memory', async () => {
    let memory = 100_000_000;
    const { clock, started, own } = setUp({ readMemory: () => memory });
    const bomb = own.extract(bytes('a'), {}, signal());
    started[0]?.begin();
    memory += 300_000_000;
    clock.advance(100);
    expect(started[0]?.isTerminated).toBe(false);
    memory += 300_000_000;
    clock.advance(100);
    await expect(bomb).rejects.toMatchObject({ class: 'too_large', field: 'document' });
    expect(started[0]?.isTerminated).toBe(true);
    const next = own.extract(bytes('b'), {}, signal());
    started[1]?.begin();
    clock.advance(1000);
    started[1]?.answer('b');
    expect(await next).toMatchObject({ parts: [{ markdown: 'b' }] });
  });

  verifies('extract:threads', 'refuses more than may wait, and ends idle threads', async () => {
    const { clock, started, own } = setUp({ maxWaiting: 1 });
    const running = own.extract(bytes('a'), {}, signal());
    const waiting = own.extract(bytes('b'), {}, signal());
    await expect(own.extract(bytes('c'), {}, signal())).rejects.toMatchObject({
      class: 'over_capacity',
    });
    started[0]?.answer('a');
    started[0]?.answer('b');
    await Promise.all([running, waiting]);
    expect(started[0]?.isTerminated).toBe(false);
    clock.advance(60_000);
    expect(started[0]?.isTerminated).toBe(true);
  });

  test('closing ends what runs and what waits, and refuses more', async () => {
    const { own } = setUp();
    const pages = [own.extract(bytes('a'), {}, signal()), own.extract(bytes('b'), {}, signal())];
    const settled = Promise.allSettled(pages);
    await own.close();
    for (const each of await settled) expect(each).toMatchObject({ status: 'rejected' });
    await expect(own.extract(bytes('c'), {}, signal())).rejects.toMatchObject({
      class: 'interrupted',
    });
  });
});
