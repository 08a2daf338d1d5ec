import { expect, test } from 'vitest';
import { asAgent } from '#core/auth/as-agent.ts';
import type { Caller } from '#core/calls/call.ts';
import {
  createJobsHarness,
  INLINE_MS,
  jobOf,
  pass,
  probeTool,
  settled,
} from '../../test/jobs-harness.ts';
import { verifies } from '../../test/verifies.ts';

const BOB: Caller = { principal: 'bob', scopes: ['*'], roots: [], credential: 'client_1' };
const LONG = { background: 'auto', coalesce: false, resumable: true } as const;
const BACKGROUND = { caller: BOB, background: { afterMs: 0, as: 'job' } } as const;

verifies('jobs:rights', 'jobs of a client whose token was revoked are not run', async () => {
  const { daemon } = createJobsHarness();
  const probe = probeTool(LONG);
  const first = daemon([probe.tool]);
  const id = await jobOf(first.start('probe', {}, BACKGROUND));
  first.kill();
  const second = daemon([probe.tool], { resolveCaller: async () => undefined });
  await second.begin();
  await settled();
  expect(probe.runs).toHaveLength(1);
  expect(await second.jobs.get('bob', id)).toMatchObject({
    status: 'failed',
    answer: { error: { class: 'auth' } },
  });
});

test('a queued job runs with the current scopes of its client', async () => {
  const { daemon } = createJobsHarness();
  const probe = probeTool(LONG);
  const first = daemon([probe.tool]);
  await jobOf(first.start('probe', {}, BACKGROUND));
  first.kill();
  const today = { ...BOB, scopes: ['probe'], credential: 'client_2' };
  const second = daemon([probe.tool], { resolveCaller: async () => today });
  await second.begin();
  await settled();
  expect(probe.run(1).context.caller).toEqual(today);
});

verifies('jobs:rights', 'a running job ends when its client’s token is revoked', async () => {
  const { clock, daemon } = createJobsHarness();
  const probe = probeTool(LONG);
  let isGood = true;
  const on = daemon([probe.tool], {
    isCredentialValid: () => isGood,
    resolveCaller: async () => undefined,
  });
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

test('another token of the same client keeps access to its jobs', async () => {
  const { clock, daemon } = createJobsHarness();
  const probe = probeTool(LONG);
  const on = daemon([probe.tool], {
    isCredentialValid: () => false,
    resolveCaller: async () => BOB,
  });
  const call = on.start('probe', {}, { caller: BOB });
  await pass(clock, INLINE_MS + 30_000);
  expect(await on.jobs.get('bob', await jobOf(call))).toMatchObject({ status: 'running' });
});

verifies('access:agents', 'a job of an agent is decided by its rows when it runs', async () => {
  const { daemon } = createJobsHarness();
  const caller = asAgent(BOB, 'main');
  const reading = probeTool(LONG);
  const first = daemon([reading.tool]);
  const id = await jobOf(first.start('probe', {}, { ...BACKGROUND, caller }));
  first.kill();
  // Meanwhile it is another tool, which main may not use without consent.
  const changing = probeTool({ ...LONG, effect: 'changes' });
  const second = daemon([changing.tool], { resolveCaller: async (known) => known });
  await second.begin();
  await settled();
  expect([reading.runs.length, changing.runs.length]).toEqual([1, 0]);
  expect(await second.jobs.get('bob', id)).toMatchObject({
    status: 'failed',
    answer: { error: { class: 'permission' } },
  });
});
