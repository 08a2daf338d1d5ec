import { expect, test } from 'vitest';
import { DAY_MS } from '#core/time/utc-day.ts';
import { verifies } from '../verifies.ts';
import type { StoreUnderTest } from './store-under-test.ts';

const KEEP_ALL = {
  auditDays: 0,
  turnsDays: 0,
  attemptsDays: 0,
  usageDays: 0,
  jobsDays: 0,
  responsesDays: 0,
  filesDays: 0,
};

/** Stored answers of the Responses API. */
export function responsesCases(at: StoreUnderTest): void {
  let made = 0;
  async function save(previousId: string | null = null, principal = 'ann', chars = 10) {
    const id = `resp_case${String(++made).padStart(4, '0')}`;
    const input = JSON.stringify(['x'.repeat(chars), '\0', '🙂']);
    const response = { id, principal, previousId, input, response: '{"output":[]}' };
    await at.store.responses.save(response);
    return { ...response, createdAt: at.clock.now() };
  }

  verifies('responses:stored', 'a chain is read oldest first, by its owner alone', async () => {
    const first = await save();
    const second = await save(first.id);
    const third = await save(second.id);
    const branch = await save(first.id);
    expect(await at.store.responses.get(third.id, 'ann')).toEqual(third);
    expect(await at.store.responses.chain(third.id, 'ann')).toEqual([first, second, third]);
    expect(await at.store.responses.chain(branch.id, 'ann')).toEqual([first, branch]);
    expect(await at.store.responses.get(third.id, 'bob')).toBeUndefined();
    expect(await at.store.responses.chain(third.id, 'bob')).toBe('missing');
    expect(await at.store.responses.delete(third.id, 'bob')).toBe(false);
    expect(await at.store.responses.delete(second.id, 'ann')).toBe(true);
    expect(await at.store.responses.chain(second.id, 'ann')).toBe('missing');
    expect(await at.store.responses.chain(third.id, 'ann')).toBe('broken');
    expect(await at.store.responses.get(third.id, 'ann')).toEqual(third);
  });

  test('a response of another principal is never a predecessor', async () => {
    const foreign = await save(null, 'bob');
    const own = await save(foreign.id);
    expect(await at.store.responses.chain(own.id, 'ann')).toBe('broken');
  });

  test('a chain beyond all context windows is not read', async () => {
    const first = await save(null, 'ann', 9_000_000);
    const second = await save(first.id, 'ann', 9_000_000);
    expect(await at.store.responses.chain(first.id, 'ann')).toHaveLength(1);
    expect(await at.store.responses.chain(second.id, 'ann')).toBe('too_long');
  });

  verifies('responses:stored', 'a chain expires as a whole, after its newest one', async () => {
    const first = await save();
    const old = await save();
    at.clock.advance(20 * DAY_MS);
    const second = await save(first.id);
    at.clock.advance(20 * DAY_MS);
    const removed = await at.store.prune({ ...KEEP_ALL, responsesDays: 30 });
    expect(removed['responses']).toBeGreaterThan(0);
    expect(await at.store.responses.get(old.id, 'ann')).toBeUndefined();
    expect(await at.store.responses.chain(second.id, 'ann')).toHaveLength(2);
  });
}
