import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import {
  openClient,
  type Beginning,
  type ToolClient,
  type ToolTransport,
} from '../cases/tools-client.ts';
import { nextArgs, shownTurns, statusOf, step, turnsOf } from '../cases/tools-case.ts';
import { prepareFolders, EXPERT_FILES } from '../cases/tools-expert-files.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { verifies } from '../verifies.ts';

const VENDORS = ['kimi', 'glm', 'openrouter'] as const;
const YES = JSON.stringify({ verdict: 'Do it', position: 'agree', confidence: 0.8 });

let harness: ToolsHarness;
beforeAll(async () => {
  harness = await openToolsHarness();
  prepareFolders(harness);
});
afterAll(() => harness.close());
afterEach(() => harness.emulator.reset());

function allVendors(fault: { readonly id: string; readonly after?: number }): void {
  for (const vendor of VENDORS)
    harness.emulator.fault({ ...fault, vendor, path: 'chat', times: 0 });
}

const asked = () => harness.emulator.requests().filter(({ path }) => path.includes('chat'));

/**
 * Takes a call back once so many vendors have its question; resolves when each of them was left.
 */
async function takeBack({ called, cancel }: Beginning, vendors: number): Promise<void> {
  await expect.poll(() => asked().length).toBe(vendors);
  expect(asked().map(({ left }) => left)).not.toContain(true);
  await cancel();
  expect((await called)?.envelope.error_class ?? 'cancelled').toBe('cancelled');
  await expect.poll(() => asked().map(({ left }) => left)).not.toContain(false);
  expect(asked()).toHaveLength(vendors);
  harness.emulator.reset();
}

async function withClient(transport: ToolTransport, work: (client: ToolClient) => Promise<void>) {
  const client = await openClient(harness, transport);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

async function countThreads(client: ToolClient): Promise<number> {
  const { content } = await client.call('threads', { action: 'list', limit: 100 });
  return (content['threads'] as readonly unknown[]).length;
}

describe.each(['http modern', 'ws modern', 'shim legacy', 'exai'] as const)(
  'over %s',
  (transport) => {
    verifies(
      'chat:continues',
      `over ${transport}: a chat that is taken back leaves its vendor, and nothing of it stays`,
      () =>
        withClient(transport, async (client) => {
          const before = await countThreads(client);
          allVendors({ id: 'F5.silent' });
          await takeBack(client.begin('chat', { prompt: 'Are you there?' }), 1);
          expect(await countThreads(client)).toBe(before);

          const { id } = await client.call('chat', { prompt: 'Say exactly: One' });
          harness.emulator.reset();
          allVendors({ id: 'F5.stall', after: 2 });
          const more = { prompt: 'Say exactly: Two and a half', continuation_id: id };
          await takeBack(client.begin('chat', more), 1);
          await client.call('chat', { prompt: 'Say exactly: Three', continuation_id: id });
          expect((await turnsOf(client, id)).map(([, text]) => text)).toEqual([
            'Say exactly: One',
            'One',
            'Say exactly: Three',
            'Three',
          ]);
        }),
    );

    verifies(
      'workflow:expert',
      `over ${transport}: a step whose expert is taken back is kept, without an answer, and can be judged again`,
      () =>
        withClient(transport, async (client) => {
          const relevant = [join(client.folder, EXPERT_FILES.verdict)];
          const { id } = await client.call('debug', step(1, { relevant_files: relevant }));
          const last = step(2, { continuation_id: id, next_step_required: false });
          allVendors({ id: 'F5.silent' });
          await takeBack(client.begin('debug', last), 1);
          expect(await turnsOf(client, id)).toEqual([
            ['user', 'Look at part 1\n\nFindings: Found 1'],
            ['assistant', expect.stringMatching(/^Step 1 of \d is saved\. Do the following, /)],
            ['user', 'Look at part 2\n\nFindings: Found 2'],
          ]);
          const chat = await client.call('chat', {
            prompt: 'Say exactly: Still here',
            continuation_id: id,
          });
          expect(chat.envelope.content).toBe('Still here');
          const again = await client.call('debug', { ...last, backtrack_from_step: 2 });
          expect(statusOf(again)).toBe('calling_expert_analysis');
          expect(again.content).toMatchObject({ complete_debug: { steps_taken: 2 } });
        }),
    );

    verifies(
      'consensus:parallel',
      `over ${transport}: a consensus that is taken back leaves all of them, and nothing of it stays`,
      () =>
        withClient(transport, async (client) => {
          const before = await countThreads(client);
          const models = [{ model: 'kimi-k3' }, { model: 'glm-5.3' }];
          const question = { prompt: `Say exactly: ${YES}`, models };
          allVendors({ id: 'F5.silent' });
          await takeBack(client.begin('consensus', question), 2);
          expect(await countThreads(client)).toBe(before);
          const told = await client.call('consensus', question);
          expect(statusOf(told)).toBe('consensus_workflow_complete');
        }),
    );
  },
);

verifies(
  'workflow:expert',
  'an expert that dies in mid-sentence is gone on with by another, and the verdict is whole',
  () =>
    withClient('ws modern', async (client) => {
      harness.emulator.fault({ id: 'F5.cut', vendor: 'kimi', path: 'chat', times: 0, after: 6 });
      const told = await client.call(
        'debug',
        step(1, {
          next_step_required: false,
          model: 'kimi-k2.6',
          thinking_mode: 'minimal',
          relevant_files: [join(client.folder, EXPERT_FILES.verdict)],
        }),
      );
      expect(statusOf(told)).toBe('calling_expert_analysis');
      expect(told.content).toMatchObject({
        expert_analysis: { status: 'analysis_complete', format: 'json' },
        findings: [{ description: 'Never emptied', from: 'expert' }],
      });
      const { attempts, seams } = told.envelope.route ?? {};
      expect(attempts?.[0]).toMatchObject({ provider: 'kimi', outcome: 'interrupted' });
      expect(seams?.at(-1)).toMatchObject({ provider: 'glm' });
      const last = (await shownTurns(client, told.id)).at(-1);
      expect(last).toMatchObject({ provider: 'glm', model: told.envelope.model });
    }),
);

verifies(
  'workflow:expert',
  'when every expert dies in mid-sentence the step stands, what had come is told, and the next call asks again',
  () =>
    withClient('http legacy', async (client) => {
      allVendors({ id: 'F5.cut', after: 12 });
      const told = await client.call(
        'debug',
        step(1, {
          next_step_required: false,
          relevant_files: [join(client.folder, EXPERT_FILES.verdict)],
        }),
      );
      expect(statusOf(told)).toBe('analysis_partial');
      expect(told.content).toMatchObject({
        expert_analysis: { raw_analysis: expect.stringMatching(/./) as string },
        complete_debug: { steps_taken: 1 },
      });
      harness.emulator.reset();
      const again = await client.call('debug', nextArgs(told));
      expect(statusOf(again)).toBe('calling_expert_analysis');
      expect(again.content).toMatchObject({ complete_debug: { steps_taken: 1 } });
    }),
);

verifies(
  'consensus:parallel',
  'of three, one dead and one too slow, the third is heard and the two are told apart',
  () =>
    withClient('exai', async (client) => {
      harness.emulator.fault([
        { id: 'F4.503', vendor: 'glm', path: 'chat', times: 0 },
        { id: 'slow', vendor: 'openrouter', path: 'chat', times: 0, with: { firstMs: 60_000 } },
      ]);
      const told = await client.call('consensus', {
        prompt: `Say exactly: ${YES}`,
        models: [
          { model: 'kimi-k3' },
          { model: 'glm-5.3' },
          { model: 'meta-llama/llama-3.3-70b-instruct' },
        ],
        per_model_seconds: 2,
      });
      expect(statusOf(told)).toBe('consensus_incomplete');
      expect(told.content).toMatchObject({
        quorum: { needed: 2, met: false, answered: 1 },
        responses: [
          { model: 'kimi-k3', status: 'success', verdict: 'Do it' },
          { model: 'glm-5.3', status: 'error' },
          { status: 'timeout', error_class: 'timeout' },
        ],
      });
      const slow = harness.emulator.requests({ vendor: 'openrouter' });
      expect(slow.filter(({ path }) => path.includes('chat')).map(({ left }) => left)).toEqual([
        true,
      ]);
      const on = await client.call('chat', {
        prompt: 'Say exactly: Then we wait',
        model: 'kimi-k3',
        continuation_id: told.id,
      });
      expect((await turnsOf(client, told.id)).map(([role]) => role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
      ]);
      expect(on.envelope.content).toBe('Then we wait');
    }),
);

verifies('chat:continues', 'a chat keeps whole answers alone, whoever dies', () =>
  withClient('socket legacy', async (client) => {
    const counted = Array.from({ length: 40 }, (_, each) => ` and number ${each}`).join('');
    const words = (first: string) => `${first}${counted}`;
    const { id } = await client.call('chat', { prompt: `Say exactly: ${words('One')}` });
    const more = (first: string) =>
      client.call('chat', { prompt: `Say exactly: ${words(first)}`, continuation_id: id });
    allVendors({ id: 'F5.cut', after: 3 });
    const broken = await more('Two');
    // What had come is told, and is no answer.
    expect(broken.envelope).toMatchObject({
      status: 'error',
      content: expect.stringMatching(/^Two and/) as string,
    });
    expect(broken.id).toBe('');
    harness.emulator.reset();
    harness.emulator.fault({ id: 'F5.cut', vendor: 'glm', path: 'chat', times: 0, after: 3 });
    const whole = await more('Three');
    expect(whole.envelope).toMatchObject({ content: words('Three'), provider: 'kimi' });
    expect((await turnsOf(client, id)).map(([, text]) => text)).toEqual([
      `Say exactly: ${words('One')}`,
      words('One'),
      `Say exactly: ${words('Three')}`,
      words('Three'),
    ]);
  }),
);
