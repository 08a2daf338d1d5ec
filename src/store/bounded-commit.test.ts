import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { boundCommit } from './bounded-commit.ts';

test('a commit without an answer fails at its limit, later ones fail at once, and the late answer ends that', async () => {
  const clock = createFakeClock();
  const answers: (() => void)[] = [];
  const commit = boundCommit(
    (batch: string) => new Promise<string>((resolve) => answers.push(() => resolve(batch))),
    { clock, commitMs: 8000, silent: () => new CallError('over_capacity', 'silent') },
  );
  const first = commit('first').catch((thrown: unknown) => thrown);
  clock.advance(8100);
  expect(await first).toMatchObject({ class: 'over_capacity' });
  await expect(commit('second')).rejects.toMatchObject({ class: 'over_capacity' });
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  await Promise.resolve();
  const third = commit('third');
  answers[1]?.();
  expect(await third).toBe('third');
  expect(clock.waiting).toBe(0);
});
