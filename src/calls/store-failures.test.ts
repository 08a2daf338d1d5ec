import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../test/verifies.ts';
import { RECORD_GRACE_MS } from './store-failures.ts';
import {
  createMemoryStore,
  createTestCalls,
  probeTool,
  settled,
  stateOf,
} from './calls.fixture.ts';

const DOWN = new CallError(
  'network',
  'PostgreSQL at db:5432/exai cannot be reached (ECONNREFUSED).',
);

const PAID = {
  reasons: [],
  attempts: [],
  notices: [],
  usage: { input: 10, output: 5, cached: 0, reasoning: 0, estimated: false },
  costMicroUsd: 2000,
  costKnown: true,
  quality: 'full',
} as const;

verifies(
  'store:refused-before',
  'while the store fails, a call that must be recorded is refused before it runs, and reading tools run',
  async () => {
    const writing = probeTool({ name: 'write_it', effect: 'changes' });
    const asking = probeTool({ name: 'ask_it', pool: 'provider' });
    const reading = probeTool({ name: 'read_it' });
    let failure: CallError | undefined = DOWN;
    const { answer, start } = createTestCalls([writing.tool, asking.tool, reading.tool], {
      storeFailure: () => failure,
    });
    for (const name of ['write_it', 'ask_it']) {
      const { error } = await answer(name);
      expect(error).toMatchObject({ class: 'network', retryAfterMs: 1000 });
      expect(error?.message).toBe(
        `${name} was not run, because its record cannot be stored. ${DOWN.message}`,
      );
    }
    expect([writing.runs, asking.runs]).toEqual([[], []]);
    const read = start('read_it');
    await settled();
    reading.run().answer();
    expect(await stateOf(read)).toMatchObject({ text: 'done' });
    failure = undefined;
    const written = start('write_it');
    await settled();
    writing.run().answer();
    expect((await written.answer).error).toBeUndefined();
  },
);

test('a call whose record is not stored by its deadline is answered soon after it', async () => {
  const store = createMemoryStore('when-told');
  const probe = probeTool({ effect: 'changes' });
  const { start, clock } = createTestCalls([probe.tool], { store });
  const call = start('probe', {}, { timeoutMs: 8000 });
  await settled();
  clock.advance(1000);
  probe.run().answer({ text: 'paid for' });
  await settled();
  clock.advance(7000 + RECORD_GRACE_MS - 50);
  expect(await stateOf(call)).toBe('open');
  clock.advance(100);
  const { error, text, envelope } = await call.answer;
  expect(error).toMatchObject({ class: 'timeout' });
  expect(text).toContain('The store did not answer in time.');
  expect([text.includes('paid for'), envelope.content]).toEqual([true, 'paid for']);
});

test('only the caller of a tool that changes something is told to look for its effect', async () => {
  const lost = new CallError('over_capacity', 'The disk is full.', { fix: 'Free some space.' });
  const fixOf = async (effect: 'reads' | 'changes') => {
    const store = createMemoryStore('when-told');
    const probe = probeTool({ effect });
    const { start } = createTestCalls([probe.tool], { store });
    const call = start('probe');
    await settled();
    probe.run().answer({ text: 'paid for', askReports: [PAID] });
    await settled();
    store.commits[0]?.failed(lost);
    const { error } = await call.answer;
    expect(error?.reason?.code).toBe('call_not_recorded');
    return error?.fix;
  };
  expect(await fixOf('reads')).toBe('Free some space.');
  expect(await fixOf('changes')).toContain('Look whether it took effect before you send it again.');
});

test('a call that timed out keeps its own error where the store is silent as well', async () => {
  const store = createMemoryStore('when-told');
  const { tool } = probeTool({ effect: 'changes' });
  const { start, clock } = createTestCalls([tool], { store });
  const call = start('probe', {}, { timeoutMs: 8000 });
  await settled();
  clock.advance(8000);
  expect(await stateOf(call)).toBe('open');
  clock.advance(500);
  expect((await call.answer).error?.message).toBe('The deadline of this call has passed.');
});
