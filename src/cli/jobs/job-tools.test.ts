import { expect, test } from 'vitest';
import { DaemonError } from '#client/daemon-client.ts';
import type { Progress } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { withEnvelope } from '../../../test/read-envelope.ts';
import { verifies } from '../../../test/verifies.ts';
import { followJob, type FollowJobOptions } from './job-tools.ts';

const stands = (status: string, more: object = {}) => ({
  content: [{ type: 'text', text: status }],
  ...withEnvelope({ status, job: { id: 'job_1', status }, ...more }),
});
const LOST = new CallError('network', 'The connection to the daemon ended.');
/** Thrown after a progress note. */
const LOST_LATER = new CallError('network', 'The connection to the daemon ended.');

/** Follows a job at a fake daemon with scripted results that never waits. */
function following(says: readonly (object | Error)[], isThere: 'there' | 'away' = 'there') {
  const clock = createFakeClock();
  const leaving = new AbortController();
  const left = [...says];
  const seen = { connections: 0, looks: 0, notes: [] as (string | undefined)[] };
  const connect: FollowJobOptions['connect'] = async (work) => {
    seen.connections += 1;
    if (isThere === 'away') throw LOST;
    return work({
      async request(_method, _params, { signal, onProgress } = {}) {
        seen.looks += 1;
        signal?.throwIfAborted();
        const result = left.length > 1 ? left.shift() : left[0];
        if (result === LOST_LATER) onProgress?.({ note: 'asking' });
        if (result instanceof Error) throw result;
        return result;
      },
    });
  };
  const onProgress = ({ note }: Progress) => void seen.notes.push(note);
  const over = followJob('job_1', { connect, clock, signal: leaving.signal, onProgress });
  // The promise may reject before it is awaited.
  over.catch(() => undefined);
  return { over, clock, seen, leave: () => leaving.abort() };
}

verifies(
  'cli:jobs',
  'it looks again until the job is over, and not more often than once a second',
  async () => {
    const { over, clock, seen } = following([stands('queued'), stands('running'), stands('done')]);
    await clock.untilWaiting();
    clock.advance(999);
    expect(seen.looks).toBe(1);
    clock.advance(1);
    await clock.untilWaiting();
    clock.advance(1000);
    expect(await over).toMatchObject({ text: 'done', exit: 0 });
    expect(seen).toMatchObject({ connections: 1, looks: 3 });
  },
);

test.each(['input_required', 'cancelled', 'failed'])(
  'a job that is %s is not waited for',
  async (status) => {
    const { over } = following([stands(status)]);
    expect(await over).toMatchObject({ text: status });
  },
);

verifies(
  'cli:jobs',
  'a daemon that restarts is waited for, and the job is found again',
  async () => {
    const stopping = {
      content: [{ type: 'text', text: 'Stopped.' }],
      ...withEnvelope({ status: 'error', error_class: 'interrupted' }),
      isError: true,
    };
    const { over, clock, seen } = following([stopping, LOST, LOST, stands('done')]);
    for (let tries = 0; tries < 3; tries += 1) {
      await clock.untilWaiting();
      clock.advance(500);
    }
    expect(await over).toMatchObject({ text: 'done' });
    expect(seen.connections).toBe(4);
    expect(seen.notes).toEqual(Array.from({ length: 3 }, () => 'waiting for the daemon'));
  },
);

verifies('cli:jobs', 'a job that a restart cut off is over, and not looked at again', async () => {
  const cutOff = stands('failed', { error_class: 'interrupted' });
  const { over, seen } = following([{ ...cutOff, isError: true }]);
  expect(await over).toMatchObject({ text: 'failed', exit: 21 });
  expect(seen.looks).toBe(1);
});

verifies('cli:jobs', 'a daemon that goes away is given up after a minute', async () => {
  const { over, clock, seen } = following([LOST]);
  for (let waited = 0; waited < 60_000; waited += 500) {
    await clock.untilWaiting();
    clock.advance(500);
  }
  await expect(over).rejects.toBe(LOST);
  expect(seen.connections).toBe(121);
  expect(clock.waiting).toBe(0);
});

verifies('cli:jobs', 'progress in between restarts the wait', async () => {
  const away = Array.from({ length: 100 }, () => LOST);
  const says = [...away, LOST_LATER, ...away, stands('done')];
  const { over, clock, seen } = following(says);
  for (let tries = 0; tries < 201; tries += 1) {
    await clock.untilWaiting();
    clock.advance(500);
  }
  expect(await over).toMatchObject({ text: 'done' });
  expect(seen.connections).toBe(202);
});

verifies('cli:jobs', 'a daemon that was never there is not waited for', async () => {
  const { over, seen } = following([], 'away');
  await expect(over).rejects.toBe(LOST);
  expect(seen.connections).toBe(1);
});

verifies('cli:jobs', 'what the daemon refuses is not tried again', async () => {
  const refused = new DaemonError('network', 'Refused.', {}, 'req_1');
  const { over, seen } = following([refused]);
  await expect(over).rejects.toBe(refused);
  expect(seen.connections).toBe(1);
});

verifies('cli:jobs', 'who leaves between two looks is not held up', async () => {
  const { over, clock, leave } = following([stands('running')]);
  await clock.untilWaiting();
  leave();
  await expect(over).rejects.toThrow('abort');
  expect(clock.waiting).toBe(0);
});
