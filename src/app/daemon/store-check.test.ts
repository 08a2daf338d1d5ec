import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { startStoreCheck } from './store-check.ts';

test('a check that fails is tried again the next day', async () => {
  const clock = createFakeClock();
  let checks = 0;
  const store = {
    async checkPages() {
      checks += 1;
      throw new CallError('internal', 'The database was moved.');
    },
  };
  const checking = startStoreCheck(store, clock);
  clock.advance(60_000);
  await Promise.resolve();
  expect(checks).toBe(1);
  clock.advance(86_400_000);
  await Promise.resolve();
  expect(checks).toBe(2);
  checking.stop();
});
