import { expect, test } from 'vitest';
import { openStore } from '#store/open-store.ts';
import { createFakeClock } from '../fake-clock.ts';
import { startStoreCheck } from '#app/daemon/store-check.ts';
import { damageRound } from '../damage-round.ts';
import { makeStoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

verifies(
  'store:damage-found',
  'a damaged page that a start does not read is found by the check, and the rest is saved',
  async () => {
    const { lost } = await damageRound('turns', 'middle');
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(20);
  },
);

test('the check of a whole store finds nothing and harms no write beside it', async () => {
  const home = await makeStoreHome('sqlite');
  const store = await openStore({ ...home, writerId: 'writer_a' });
  const checked = store.checkPages();
  for (let n = 0; n < 20; n++) await store.settings.set('n', n);
  let outcome: unknown = 'running';
  void checked.then((found) => (outcome = found));
  await expect
    .poll(() => {
      home.clock.advance(10_000);
      return outcome;
    })
    .toBeUndefined();
  await store.close();
  await home.remove();
});

test('the store is checked a minute after the start, then daily', () => {
  const clock = createFakeClock();
  let checks = 0;
  const part = startStoreCheck(
    {
      async checkPages() {
        checks += 1;
        return undefined;
      },
    },
    clock,
  );
  clock.advance(59_999);
  expect(checks).toBe(0);
  clock.advance(1);
  expect(checks).toBe(1);
  clock.advance(86_400_000);
  expect(checks).toBe(2);
  part.stop();
  clock.advance(10 * 86_400_000);
  expect(checks).toBe(2);
});
