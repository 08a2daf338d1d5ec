import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { trackWriteHealth } from './write-health.ts';

const full = () => Promise.reject(new CallError('over_capacity', 'The disk is full.'));
const fine = () => undefined;

test('after a failed commit it is unhealthy until a write succeeds again', async () => {
  let probe: () => Promise<never[]> = full;
  const watch = trackWriteHealth(() => probe(), fine);
  await expect(watch.writing(full())).rejects.toMatchObject({ class: 'over_capacity' });
  expect(await watch.health()).toEqual({ ok: false, detail: 'The disk is full.' });
  probe = () => Promise.resolve([]);
  expect(await watch.health()).toEqual({ ok: true });
});

test('an invalid write does not count as a failing disk', async () => {
  const watch = trackWriteHealth(full, fine);
  const refused = Promise.reject(new CallError('not_found', 'No such conversation.'));
  await expect(watch.writing(refused)).rejects.toMatchObject({ class: 'not_found' });
  expect(await watch.health()).toEqual({ ok: true });
});

test('what a look finds wrong is the answer', async () => {
  const watch = trackWriteHealth(full, () => {
    throw new CallError('conflict', 'It was moved.');
  });
  expect(await watch.health()).toEqual({ ok: false, detail: 'It was moved.' });
});

test('a look that had no answer in time does not hide that the last write failed', async () => {
  const watch = trackWriteHealth(full, () => {
    throw new CallError('timeout', 'It took too long.');
  });
  await expect(watch.writing(full())).rejects.toMatchObject({ class: 'over_capacity' });
  expect(watch.failure()).toMatchObject({ class: 'over_capacity' });
  expect(await watch.health()).toMatchObject({ ok: false });
  expect(watch.failure()).toMatchObject({ class: 'over_capacity' });
});
