import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { debug } from './definitions/debug.ts';
import type { WorkflowDefinition } from './definition.ts';
import { benchOf, stepArgs, workspaceOf, type StepOutcome } from './workflow.fixture.ts';
import { verifies } from '../../../test/verifies.ts';

let opened: OpenedThreads;
beforeAll(async () => void (opened = await openThreads()));
afterAll(() => opened.close());

const bench = (definition: WorkflowDefinition = debug, files?: Record<string, string>) =>
  benchOf(definition, opened.threads, workspaceOf(files));

/** State of a thread. */
async function turnsOf({ id }: Pick<StepOutcome, 'id'>) {
  const { turns } = await opened.threads.show('local', id, 100);
  return turns.map(({ role, content }) => `${role}: ${content.split('\n')[0]}`);
}

describe('while steps remain', () => {
  verifies(
    'workflow:statuses',
    'a caller that reached the tool through call_tool is told the next call through it',
    async () => {
      const { call } = bench();
      const { id, text, content } = await call(stepArgs(1), { via: 'call_tool' });
      const next = { name: 'debug', arguments: { step_number: 2, continuation_id: id } };
      expect(text).toContain(`then call call_tool ${JSON.stringify(next)}`);
      expect(text).not.toContain('call debug');
      expect(content['next_call']).toMatchObject({ tool: 'call_tool', arguments: next });
    },
  );

  verifies(
    'workflow:statuses',
    'the caller gets its actions, with all it needs for the next call',
    async () => {
      const { call, asked } = bench();
      const outcome = await call(
        stepArgs(1, {
          files_checked: ['a.ts', 'b.ts', 'a.ts'],
          relevant_files: ['a.ts'],
          relevant_context: ['open'],
          issues_found: [{ severity: 'low', description: 'x' }],
          confidence: 'low',
          depth: 'deep',
        }),
      );
      expect(outcome.status).toBe('pause_for_investigation');
      expect(outcome.content).toEqual({
        status: 'pause_for_investigation',
        step_number: 1,
        total_steps: 3,
        next_step_required: true,
        investigation_required: true,
        required_actions: expect.arrayContaining([expect.stringContaining('symptom')]),
        next_steps: expect.stringMatching(/call debug with step_number 2 /),
        investigation_status: {
          files_checked: 2,
          relevant_files: 1,
          relevant_context: 1,
          issues_found: 1,
          current_confidence: 'low',
        },
        file_context: {
          type: 'reference_only',
          files: ['a.ts'],
          count: 1,
          note: expect.any(String),
        },
        next_call: {
          tool: 'debug',
          arguments: {
            continuation_id: outcome.id,
            step: expect.stringMatching(/^<.*>$/),
            step_number: 2,
            total_steps: 3,
            next_step_required: true,
            findings: expect.stringMatching(/^<.*>$/),
            confidence: 'low',
            depth: 'deep',
          },
        },
      });
      expect(outcome.text).toMatch(/^Step 1 of 3 is saved\. Do the following, .*\n\n1\. /s);
      expect(outcome.text).not.toContain('required_actions');
      expect(asked).toEqual([]);
      expect(await turnsOf(outcome)).toEqual([
        'user: Look at part 1',
        `assistant: ${outcome.text.split('\n')[0]}`,
      ]);
    },
  );

  test('the instructions to the caller are saved, and long ones are cut', async () => {
    const { id, text } = await bench().call(stepArgs(1));
    const long = { ...debug, actions: () => ['x'.repeat(100_000)] };
    const outcome = await bench(long).call(stepArgs(1));
    const [short, large] = await Promise.all(
      [id, outcome.id].map((each) => opened.threads.show('local', each, 100)),
    );
    expect(short?.turns.map(({ content }) => content)).toContain(text);
    expect(large?.turns.map(({ content }) => content.length)).toContain(4_000);
  });

  test('the skeleton of the next call is a call that is taken', async () => {
    const { call } = bench();
    let outcome = await call(stepArgs(1));
    for (const number of [2, 3]) {
      const { arguments: next } = outcome.content['next_call'] as {
        arguments: Record<string, unknown>;
      };
      expect(next['next_step_required']).toBe(number < 3);
      outcome = await call(next);
    }
    expect(outcome.status).toBe('calling_expert_analysis');
  });

  test('images that no model sees give a notice', async () => {
    const { content } = await bench().call(stepArgs(1, { images: ['https://a.example/b.png'] }));
    expect(content['notices']).toEqual([expect.stringContaining('with the last step')]);
  });

  test('the total is raised to the step', async () => {
    const { call } = bench();
    const { content } = await call(stepArgs(1, { total_steps: 1 }));
    expect(content).toMatchObject({ total_steps: 1, next_call: { arguments: { total_steps: 2 } } });
  });
});

describe('the order of steps', () => {
  /** The error of a refused call. */
  const refusal = (args: Record<string, unknown>) =>
    bench()
      .run(args)
      .then(
        () => 'It was taken.',
        (error: unknown) => error,
      );

  verifies('workflow:steps', 'step 5 without step 1 says what is missing', async () => {
    expect(await refusal(stepArgs(5))).toMatchObject({
      class: 'validation',
      field: 'continuation_id',
      fix: expect.stringContaining('step 1'),
    });
  });

  test('a thread where this tool has no workflow says so', async () => {
    const { id } = await benchOf({ ...debug, name: 'other' }, opened.threads).call(stepArgs(1));
    expect(await refusal(stepArgs(2, { continuation_id: id }))).toMatchObject({
      class: 'validation',
      field: 'step_number',
    });
  });

  verifies(
    'workflow:steps',
    'skipping and repeating name the step that is next, and keep nothing',
    async () => {
      const outcome = await bench().call(stepArgs(1));
      const { id } = outcome;
      expect(await refusal(stepArgs(3, { continuation_id: id }))).toMatchObject({
        class: 'validation',
        fix: 'Give step_number 2.',
      });
      await bench().call(stepArgs(2, { continuation_id: id }));
      expect(await refusal(stepArgs(2, { continuation_id: id }))).toMatchObject({
        class: 'validation',
        fix: 'Give step_number 3, or backtrack_from_step 2 to do step 2 again.',
      });
      expect(await turnsOf(outcome)).toHaveLength(4);
    },
  );

  test('an unknown thread, and another client’s, are not found; an invalid id is refused', async () => {
    const { id } = await bench().call(stepArgs(1));
    const at = stepArgs(2, { continuation_id: id });
    await expect(bench().run(at, { principal: 'other' })).rejects.toMatchObject({
      class: 'not_found',
    });
    expect(await refusal(stepArgs(2, { continuation_id: '../etc' }))).toMatchObject({
      class: 'validation',
      field: 'continuation_id',
    });
  });

  verifies('workflow:steps', 'going back drops the findings of what was dropped', async () => {
    const { call, asked } = bench();
    const { id } = await call(stepArgs(1));
    await call(
      stepArgs(2, { continuation_id: id, findings: 'a wrong track', hypothesis: 'wrong' }),
    );
    await call(stepArgs(3, { continuation_id: id, findings: 'further astray' }));
    await call(
      stepArgs(2, {
        continuation_id: id,
        backtrack_from_step: 2,
        findings: 'the right track',
        next_step_required: false,
      }),
    );
    const [request] = asked;
    const findings = request?.files?.find(({ name }) => name === '[findings]')?.text ?? '';
    expect(findings).toContain('the right track');
    expect(findings).not.toMatch(/wrong|astray/);
    expect(JSON.stringify(request?.messages)).not.toMatch(/wrong|astray/);
  });

  test('step 1 in a known thread begins anew, and its history stays', async () => {
    const { call, asked } = bench();
    const { id, text } = await call(stepArgs(1, { findings: 'old findings' }));
    const end = { next_step_required: false, continuation_id: id };
    const outcome = await call(stepArgs(1, { ...end, findings: 'new findings' }));
    expect(outcome.id).toBe(id);
    const [request] = asked;
    expect(request?.files?.find(({ name }) => name === '[findings]')?.text).not.toContain('old');
    expect(request?.messages.map(({ content }) => content)).toEqual([
      'Look at part 1\n\nFindings: old findings',
      text,
      'Judge the work that [request] and [findings] tell of.',
    ]);
  });

  verifies('workflow:steps', 'after the end only step 1 is accepted', async () => {
    const { call } = bench();
    const { id } = await call(stepArgs(1, { next_step_required: false }));
    expect(await refusal(stepArgs(2, { continuation_id: id }))).toMatchObject({
      class: 'validation',
      fix: expect.stringContaining('step_number 1'),
    });
    const outcome = await call(stepArgs(1, { continuation_id: id }));
    expect(outcome.status).toBe('pause_for_investigation');
  });

  verifies(
    'threads:at-once',
    'of two concurrent calls on one thread one succeeds and the other gets a conflict',
    async () => {
      const { call, run } = bench();
      const outcome = await call(stepArgs(1));
      const both = await Promise.allSettled(
        ['one', 'two'].map((findings) =>
          run(stepArgs(2, { continuation_id: outcome.id, findings })),
        ),
      );
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const failure = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
      expect(failure.reason).toMatchObject({
        class: 'conflict',
        message: expect.stringContaining('Another call updated'),
      });
      expect(await turnsOf(outcome)).toHaveLength(4);
    },
  );
});
