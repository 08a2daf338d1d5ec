import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { openClient, type ToolClient } from '../cases/tools-client.ts';
import { step } from '../cases/tools-case.ts';
import { prepareFolders } from '../cases/tools-said.ts';
import { openToolsWorld, type ToolsWorld } from '../cases/tools-world.ts';
import { verifies } from '../verifies.ts';
import { chatsWith, exaiIn, fetchResult, jobIdOf, killDaemon, listed } from './jobs-ways.ts';

const YES = JSON.stringify({ verdict: 'Do it', position: 'agree', confidence: 0.8 });
const PANEL = {
  prompt: `Say exactly: ${YES}`,
  models: [{ model: 'kimi-k3' }, { model: 'glm-5.3' }],
};

let world: ToolsWorld;
let clients: ToolClient[] = [];
beforeAll(async () => {
  world = await openToolsWorld({
    env: { EXAI_INLINE_WAIT_MS: '1000', EXAI_SHUTDOWN_DRAIN_MS: '2000' },
  });
  prepareFolders(world);
});
afterEach(async () => {
  for (const client of clients) await client.close().catch(() => undefined);
  clients = [];
  world.emulator.reset();
});
afterAll(() => world.close());

async function client(token?: string): Promise<ToolClient> {
  const opened = await openClient(world, 'http legacy', token);
  clients.push(opened);
  return opened;
}

/** GLM keeps its answer to itself until the faults are cleared. */
function slowGlm(): void {
  world.emulator.fault({
    id: 'slow',
    vendor: 'glm',
    path: 'chat',
    times: 0,
    with: { firstMs: 120_000 },
  });
}

const WAYS = {
  stopped: async () => {
    const { code } = await exaiIn(world, 'stop');
    if (code !== 0) throw new Error('It could not be stopped.');
    await world.restart();
  },
  killed: async () => {
    killDaemon(world);
    await world.restart();
  },
} as const;

describe.each(['stopped', 'killed'] as const)('a daemon that is %s', (how) => {
  verifies(
    'jobs:resumed',
    `${how}: a slow consensus goes on with who was not heard yet, and asks nobody twice`,
    async () => {
      slowGlm();
      const before = await client();
      const told = await before.call('consensus', PANEL);
      const id = jobIdOf(told);
      expect(told.text).toContain(`job_result with {"job_id": "${id}"}`);
      await expect.poll(() => chatsWith(world, 'kimi').map(({ status }) => status)).toEqual([200]);
      expect(chatsWith(world, 'glm')).toHaveLength(1);
      // What Kimi said is stored by then.
      const { created_at: created } = await listed(before, id);
      await expect.poll(async () => (await listed(before, id)).updated_at > created).toBe(true);

      world.emulator.clearFaults();
      await WAYS[how]();
      const after = await client();
      const { envelope, text } = await fetchResult(after, id);
      expect(envelope).toMatchObject({
        tool: 'consensus',
        job: { id, status: 'done' },
        content: {
          quorum: { met: true, answered: 2 },
          responses: [
            { model: 'kimi-k3', status: 'success' },
            { model: 'glm-5.3', status: 'success' },
          ],
        },
      });
      expect(text).toContain('Do it');
      expect(chatsWith(world, 'kimi')).toHaveLength(1);
      expect(chatsWith(world, 'glm')).toHaveLength(2);
      // It can be fetched again, and is one job.
      expect((await fetchResult(after, id)).text).toBe(text);
      expect(await listed(after, id)).toMatchObject({ status: 'done', tool: 'consensus' });
    },
  );

  verifies(
    'jobs:interrupted',
    `${how}: what cannot be run again ends as interrupted, and is not asked again`,
    async () => {
      slowGlm();
      world.emulator.fault({
        id: 'slow',
        vendor: 'kimi',
        path: 'chat',
        times: 0,
        with: { firstMs: 120_000 },
      });
      const before = await client();
      const last = step(1, { next_step_required: false, model: 'glm-5.3' });
      const id = jobIdOf(await before.call('debug', last));
      const asked = () => chatsWith(world, 'glm').length + chatsWith(world, 'kimi').length;
      await expect.poll(asked).toBeGreaterThan(0);
      world.emulator.clearFaults();
      const count = asked();
      await WAYS[how]();
      const { envelope, text } = await fetchResult(await client(), id);
      expect(envelope).toMatchObject({
        status: 'error',
        error_class: 'interrupted',
        tool: 'debug',
        job: { id, status: 'failed' },
      });
      expect(text).toMatch(
        /^The daemon stopped while debug ran, and it cannot go on from where it was\./,
      );
      expect(asked()).toBe(count);
    },
  );

  verifies(
    'jobs:background',
    `${how}: calls in the background that nobody had begun yet are done after it`,
    async () => {
      slowGlm();
      const ids: string[] = [];
      for (let call = 0; call < 12; call += 1) {
        const args = { prompt: `Say exactly: number ${call}`, model: 'glm-5.3' };
        const given = ['call', 'chat', '--background', '--json', '--args', JSON.stringify(args)];
        const { stdout, stderr } = await exaiIn(world, ...given);
        const { job } = JSON.parse(stdout || stderr) as { job: { id: string; status: string } };
        expect(job.status).toBe('queued');
        ids.push(job.id);
      }
      world.emulator.clearFaults();
      await WAYS[how]();
      const after = await client();
      for (const [number, id] of ids.entries()) {
        const { envelope } = await fetchResult(after, id);
        expect(envelope).toMatchObject({ status: 'success', content: `number ${number}` });
      }
    },
  );
});
