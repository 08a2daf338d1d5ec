import { expect, test } from 'vitest';
import type { Caller } from '#core/call.ts';
import {
  createJobsWorld,
  INLINE_MS,
  jobOf,
  pass,
  probeTool,
  settled,
} from '../../test/jobs-world.ts';
import { verifies } from '../../test/verifies.ts';

const BOB: Caller = { principal: 'bob', scopes: ['*'], roots: [], credential: 'client_1' };
const LONG = { handOff: 'when_long', coalesce: false, resumable: true } as const;
const BACKGROUND = { caller: BOB, handOff: { afterMs: 0, as: 'job' } } as const;

verifies('jobs:rights', 'a client that lost its token has none of its jobs run', async () => {
  const { daemon } = createJobsWorld();
  const probe = probeTool(LONG);
  const first = daemon([probe.tool]);
  const id = await jobOf(first.start('probe', {}, BACKGROUND));
  first.kill();
  const second = daemon([probe.tool], { standing: async () => undefined });
  await second.begin();
  await settled();
  expect(probe.runs).toHaveLength(1);
  expect(await second.jobs.get('bob', id)).toMatchObject({
    status: 'failed',
    answer: { error: { class: 'auth' } },
  });
});

test('a job that waited runs with the rights that its client has by then', async () => {
  const { daemon } = createJobsWorld();
  const probe = probeTool(LONG);
  const first = daemon([probe.tool]);
  await jobOf(first.start('probe', {}, BACKGROUND));
  first.kill();
  const today = { ...BOB, scopes: ['probe'], credential: 'client_2' };
  const second = daemon([probe.tool], { standing: async () => today });
  await second.begin();
  await settled();
  expect(probe.run(1).context.caller).toEqual(today);
});

verifies('jobs:rights', 'what runs for a client ends when its token is taken away', async () => {
  const { clock, daemon } = createJobsWorld();
  const probe = probeTool(LONG);
  let isGood = true;
  const on = daemon([probe.tool], { isGood: () => isGood, standing: async () => undefined });
  const call = on.start('probe', {}, { caller: BOB });
  await pass(clock, INLINE_MS);
  const id = await jobOf(call);
  isGood = false;
  await pass(clock, 6000);
  expect(await on.jobs.get('bob', id)).toMatchObject({
    status: 'failed',
    answer: { error: { class: 'auth' } },
  });
});

test('another token of the same client keeps its jobs', async () => {
  const { clock, daemon } = createJobsWorld();
  const probe = probeTool(LONG);
  const on = daemon([probe.tool], { isGood: () => false, standing: async () => BOB });
  const call = on.start('probe', {}, { caller: BOB });
  await pass(clock, INLINE_MS + 30_000);
  expect(await on.jobs.get('bob', await jobOf(call))).toMatchObject({ status: 'running' });
});
