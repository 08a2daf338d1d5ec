import { afterEach, beforeEach, expect } from 'vitest';
import type { JobStatus } from '#core/stores/jobs.ts';
import {
  jobOf,
  openRealJobsHarness,
  probeTool,
  type JobsDaemon,
  type RealJobsHarness,
} from '../../test/jobs-harness.ts';
import { verifies } from '../../test/verifies.ts';

const BACKGROUND = { background: { afterMs: 0, as: 'job' } } as const;

let world: RealJobsHarness;
beforeEach(async () => void (world = await openRealJobsHarness()));
afterEach(() => world.close());

async function untilStatus(on: JobsDaemon, id: string, status: JobStatus): Promise<void> {
  await expect.poll(async () => (await on.jobs.get('local', id)).status).toBe(status);
}

verifies(
  'jobs:resumed',
  'over a real store: an interrupted job continues from its checkpoint',
  async () => {
    const probe = probeTool({ background: 'auto', coalesce: false, resumable: true });
    const first = world.daemon([probe.tool]);
    const call = first.start('probe', { topic: 'x' });
    probe.run().context.checkpoint({ heard: ['one'] });
    world.clock.advance(45_000);
    const id = await jobOf(call);
    probe.run().context.checkpoint({ heard: ['one', 'two'] });
    world.clock.advance(5000);
    const stored = async () => (await world.store().jobs.get(id, 'local'))?.checkpoint;
    await expect.poll(stored).toEqual({ heard: ['one', 'two'] });
    first.kill();
    await world.restart();

    const second = world.daemon([probe.tool]);
    await second.begin();
    await expect.poll(() => probe.runs.length).toBe(2);
    expect(probe.run(1).context.resumedFrom).toEqual({ heard: ['one', 'two'] });
    probe.run(1).answer({ text: 'all three' });
    await untilStatus(second, id, 'done');
    await world.restart();
    const third = world.daemon([probe.tool]);
    await third.begin();
    expect((await third.jobs.get('local', id)).answer).toMatchObject({ text: 'all three' });
    expect(probe.runs).toHaveLength(2);
  },
);

verifies(
  'jobs:resumed',
  'over a real store: a checkpoint that is awaited survives a kill at once',
  async () => {
    const probe = probeTool({ background: 'auto', coalesce: false, resumable: true });
    const first = world.daemon([probe.tool]);
    const call = first.start('probe', { topic: 'x' });
    // No job yet, so there is nothing to wait for.
    await probe.run().context.storeCheckpoint({ begun: 0 });
    world.clock.advance(45_000);
    const id = await jobOf(call);
    await probe.run().context.storeCheckpoint({ begun: 1 });
    first.kill();
    expect((await world.store().jobs.get(id, 'local'))?.checkpoint).toEqual({ begun: 1 });
    await world.restart();
    const second = world.daemon([probe.tool]);
    await second.begin();
    await expect.poll(() => probe.runs.length).toBe(2);
    expect(probe.run(1).context.resumedFrom).toEqual({ begun: 1 });
    await probe.run(1).context.storeCheckpoint({ begun: 2 });
    expect((await world.store().jobs.get(id, 'local'))?.checkpoint).toEqual({ begun: 2 });
  },
);

verifies(
  'jobs:interrupted',
  'over a real store: a job that cannot be rerun ends with its partial text',
  async () => {
    const probe = probeTool({ background: 'auto', coalesce: false });
    const first = world.daemon([probe.tool]);
    const id = await jobOf(first.start('probe', {}, BACKGROUND));
    await expect.poll(() => probe.runs.length).toBe(1);
    probe.run().context.progress({ note: 'thinking', text: 'Half an answer \u0000 \ud83d' });
    world.clock.advance(5000);
    const noted = async () => (await world.store().jobs.list('local', 1))[0]?.note;
    await expect.poll(noted).toBe('thinking');
    first.kill();
    await world.restart();
    const second = world.daemon([probe.tool]);
    await second.begin();
    await untilStatus(second, id, 'failed');
    const { answer } = await second.jobs.get('local', id);
    expect(answer?.error?.class).toBe('interrupted');
    expect(answer?.envelope.content).toBe('Half an answer \u0000 \ud83d');
    expect(probe.runs).toHaveLength(1);
  },
);

verifies(
  'jobs:durable',
  'over a real store: an answer of two megabytes of any content is read back unchanged',
  async () => {
    const probe = probeTool({ background: 'auto', coalesce: false });
    const on = world.daemon([probe.tool]);
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    await expect.poll(() => probe.runs.length).toBe(1);
    const text = 'Ein Wort, 一个字, 😀 \u0000 " \\ \ud83d\n'.repeat(70_000);
    probe.run().answer({ text, content: { list: ['a', null, 1.5, { deep: true }] } });
    await untilStatus(on, id, 'done');
    await world.restart();
    const { answer } = await world.daemon([probe.tool]).jobs.get('local', id);
    expect(answer?.text === text).toBe(true);
    expect(answer?.envelope.content).toEqual({ list: ['a', null, 1.5, { deep: true }] });
  },
);

verifies(
  'jobs:asks',
  'over a real store: input requests are answered in parts, also after a restart',
  async () => {
    const form = { is: 'form', message: 'Which?', schema: { type: 'object' } } as const;
    const yes = (which: string) => ({ action: 'accept', content: { which } });
    const probe = probeTool({ background: 'auto', coalesce: false });
    const first = world.daemon([probe.tool]);
    const id = await jobOf(
      first.start('probe', {}, { ...BACKGROUND, clientCapabilities: ['form'] }),
    );
    await expect.poll(() => probe.runs.length).toBe(1);
    probe.run().answer({ inputRequests: { one: form, two: form } });
    await untilStatus(first, id, 'input_required');
    await Promise.all([
      first.jobs.answer('local', id, 1, { one: yes('a') }),
      first.jobs.answer('local', id, 1, { nobody: yes('asked') }),
    ]);
    first.kill();
    await world.restart();
    const second = world.daemon([probe.tool]);
    await second.begin();
    expect((await second.jobs.get('local', id)).pendingInput?.questions).toEqual({ two: form });
    await second.jobs.answer('local', id, 1, { two: yes('b') });
    await expect.poll(() => probe.runs.length).toBe(2);
    expect(probe.run(1).context.answers).toEqual({ one: yes('a'), two: yes('b') });
    expect(await second.jobs.cancel('local', id)).toBe('cancelled');
    expect(await second.jobs.cancel('local', id)).toBe('already_over');
    expect(probe.run(1).context.signal.aborted).toBe(true);
  },
);
