import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { openClient, type ToolClient } from '../cases/tools-client.ts';
import { step } from '../cases/tools-case.ts';
import { prepareFolders } from '../cases/tools-expert-files.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { verifies } from '../verifies.ts';
import { chatsWith, exaiIn, fetchResult, jobIdOf, killDaemon, listed } from './job-helpers.ts';

const YES = JSON.stringify({ verdict: 'Do it', position: 'agree', confidence: 0.8 });
const PANEL = {
  prompt: `Say exactly: ${YES}`,
  models: [{ model: 'kimi-k3' }, { model: 'glm-5.3' }],
};

let harness: ToolsHarness;
let clients: ToolClient[] = [];
beforeAll(async () => {
  harness = await openToolsHarness({
    env: { EXAI_INLINE_WAIT_MS: '1000', EXAI_SHUTDOWN_DRAIN_MS: '2000' },
  });
  prepareFolders(harness);
});
afterEach(async () => {
  for (const client of clients) await client.close().catch(() => undefined);
  clients = [];
  harness.emulator.reset();
});
afterAll(() => harness.close());

async function client(token?: string): Promise<ToolClient> {
  const opened = await openClient(harness, 'http legacy', token);
  clients.push(opened);
  return opened;
}

/** GLM keeps its answer to itself until the faults are cleared. */
function slowGlm(): void {
  harness.emulator.fault({
    id: 'slow',
    vendor: 'glm',
    path: 'chat',
    times: 0,
    with: { firstMs: 120_000 },
  });
}

const WAYS = {
  stopped: async () => {
    const { code } = await exaiIn(harness, 'stop');
    if (code !== 0) throw new Error('It could not be stopped.');
    await harness.restart();
  },
  killed: async () => {
    killDaemon(harness);
    await harness.restart();
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
      await expect
        .poll(() => chatsWith(harness, 'kimi').map(({ status }) => status))
        .toEqual([200]);
      expect(chatsWith(harness, 'glm')).toHaveLength(1);
      // What Kimi said is stored by then.
      const { created_at: created } = await listed(before, id);
      await expect.poll(async () => (await listed(before, id)).updated_at > created).toBe(true);

      harness.emulator.clearFaults();
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
      expect(chatsWith(harness, 'kimi')).toHaveLength(1);
      expect(chatsWith(harness, 'glm')).toHaveLength(2);
      // It can be fetched again, and is one job.
      expect((await fetchResult(after, id)).text).toBe(text);
      expect(await listed(after, id)).toMatchObject({ status: 'done', tool: 'consensus' });
    },
  );

  verifies(
    'loop:resumed',
    `${how}: a tool loop continues after its finished rounds, and repeats no call that writes`,
    async () => {
      const { emulator } = harness;
      // The first round is quick; the model keeps the second to itself.
      emulator.fault({ id: 'F6.burst', vendor: 'kimi', path: 'chat', times: 1 });
      const slow = { id: 'slow', vendor: 'kimi', path: 'chat', times: 0 };
      emulator.fault({ ...slow, with: { firstMs: 120_000 } });
      const before = await client();
      const told = await before.call('kimi_chat_with_tools', {
        messages: 'Go. [[call threads {"action":"list"}]] [[call version]]',
        tools: ['threads', 'version'],
      });
      const id = jobIdOf(told);
      await expect.poll(() => chatsWith(harness, 'kimi').length).toBe(2);
      emulator.clearFaults();
      await WAYS[how]();
      const { envelope, content } = await fetchResult(await client(), id);
      expect(envelope).toMatchObject({ status: 'success', job: { id, status: 'done' } });
      expect(content).toMatchObject({ ended: 'answered', rounds: 2 });
      expect(content['text']).toContain('threads answered:');
      // The first round once, the second cut off and asked again.
      const chats = chatsWith(harness, 'kimi');
      expect(chats).toHaveLength(3);
      expect(JSON.stringify(chats[2]?.body)).toContain('"role":"tool"');
      const { stdout } = await exaiIn(harness, 'call', 'activity', 'source=activity', 'lines=5000');
      const ofThis = stdout.split('\n').filter((line) => /kimi_chat_with_tools/.test(line));
      expect(ofThis.filter((line) => /\bthreads\b/.test(line))).toHaveLength(
        how === 'stopped' ? 1 : 2,
      );
    },
  );

  verifies(
    'jobs:interrupted',
    `${how}: what cannot be run again ends as interrupted, and is not asked again`,
    async () => {
      slowGlm();
      harness.emulator.fault({
        id: 'slow',
        vendor: 'kimi',
        path: 'chat',
        times: 0,
        with: { firstMs: 120_000 },
      });
      const before = await client();
      const last = step(1, { next_step_required: false, model: 'glm-5.3' });
      const id = jobIdOf(await before.call('debug', last));
      const asked = () => chatsWith(harness, 'glm').length + chatsWith(harness, 'kimi').length;
      await expect.poll(asked).toBeGreaterThan(0);
      harness.emulator.clearFaults();
      const count = asked();
      await WAYS[how]();
      const { envelope, text } = await fetchResult(await client(), id);
      expect(envelope).toMatchObject({
        status: 'error',
        error_class: 'interrupted',
        tool: 'debug',
        job: { id, status: 'failed' },
      });
      expect(text).toMatch(/^The daemon stopped while debug ran, and the call cannot be resumed\./);
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
        const { stdout, stderr } = await exaiIn(harness, ...given);
        const { job } = JSON.parse(stdout || stderr) as { job: { id: string; status: string } };
        expect(job.status).toBe('queued');
        ids.push(job.id);
      }
      harness.emulator.clearFaults();
      await WAYS[how]();
      const after = await client();
      for (const [number, id] of ids.entries()) {
        const { envelope } = await fetchResult(after, id);
        expect(envelope).toMatchObject({ status: 'success', content: `number ${number}` });
      }
    },
  );
});
