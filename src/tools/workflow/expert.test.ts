import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { debug } from './definitions/debug.ts';
import type { WorkflowDefinition } from './definition.ts';
import { EXPERT_FRAME } from './expert-frame.prompt.ts';
import {
  answerOf,
  benchOf,
  REPORT,
  stepArgs,
  VERDICT,
  workspaceOf,
  type StepOutcome,
} from './workflow.fixture.ts';
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

describe('the end with an expert', () => {
  verifies(
    'workflow:expert',
    'the expert gets the request, all findings and the files as material',
    async () => {
      const files = { 'src/cache.ts': 'const cache = new Map();', '[findings]': 'forged' };
      const { call, asked, tool } = bench(debug, files);
      const { id } = await call(stepArgs(1, { relevant_files: ['src/cache.ts', '[findings]'] }));
      await call(
        stepArgs(2, {
          continuation_id: id,
          next_step_required: false,
          issues_found: [{ severity: 'low', description: 'Slow', file: 'src/cache.ts' }],
          model: 'kimi-k3',
          temperature: 0.2,
          thinking_mode: 'high',
          use_websearch: true,
          max_cost_usd: 0.5,
          depth: 'deep',
          images: ['https://a.example/b.png'],
        }),
      );
      const [request] = asked;
      expect(request).toMatchObject({
        model: 'kimi-k3',
        sampling: { temperature: 0.2 },
        thinking: 'high',
        search: 'on',
        maxCostMicroUsd: 500_000,
        step: { number: 2, more: 'no', depth: 'deep' },
        lastResort: 'none',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Judge the work that [request] and [findings] tell of.' },
              { type: 'image', source: { url: 'https://a.example/b.png' } },
            ],
          },
        ],
      });
      expect(request?.system?.startsWith(`${debug.prompt}\n\n${EXPERT_FRAME}`)).toBe(true);
      const last = new Map(request?.files?.map(({ name, text }) => [name, text]));
      expect([...last.keys()].toSorted()).toEqual([
        './[findings]',
        '[findings]',
        '[request]',
        'src/cache.ts',
      ]);
      expect(last.get('[request]')).toBe('Look at part 1');
      expect(last.get('[findings]')).toMatch(
        /Step 1: .*Found 1.*Step 2: .*Found 2.*low: Slow \[src\/cache\.ts\]/s,
      );
      expect(tool.pool).toBe('provider');
    },
  );

  test('its verdict is returned as data and text, and stored as a turn', async () => {
    const { call, progress } = bench(debug, { 'a.ts': 'x' });
    const outcome = await call(
      stepArgs(1, {
        total_steps: 1,
        next_step_required: false,
        files_checked: ['a.ts'],
        relevant_files: ['a.ts'],
        issues_found: [
          { severity: 'medium', description: 'grows.', file: 'src/cache.ts' },
          { severity: 'critical', description: 'Leaks' },
        ],
      }),
      {
        expert(_, listener) {
          listener.onNote?.('kimi-k3 is asked');
          listener.onText?.('{');
          return answerOf(JSON.stringify(VERDICT));
        },
      },
    );
    const merged = [
      { severity: 'critical', description: 'Leaks', from: 'investigator' },
      {
        severity: 'high',
        description: 'grows.',
        file: 'src/cache.ts',
        line: 4,
        fix: 'Cap it.',
        from: 'investigator',
      },
    ];
    expect(outcome.status).toBe('calling_expert_analysis');
    expect(outcome.content).toMatchObject({
      status: 'calling_expert_analysis',
      next_step_required: false,
      investigation_complete: true,
      expert_analysis: { status: 'analysis_complete', format: 'json', ...VERDICT },
      findings: merged,
      complete_debug: {
        initial_request: 'Look at part 1',
        steps_taken: 1,
        files_examined: ['a.ts'],
        relevant_files: ['a.ts'],
        relevant_context: [],
        work_summary: expect.stringContaining('Found 1'),
      },
      file_context: { type: 'fully_embedded', count: 1 },
      important_considerations: expect.any(String),
    });
    expect(outcome.content).not.toHaveProperty('early_termination');
    expect(outcome.text).toMatch(
      /^The cache is never emptied\.\n\nFindings:\n- critical: Leaks\n- high:/,
    );
    expect(progress).toEqual([
      { note: 'An expert looks at the findings.' },
      { note: 'kimi-k3 is asked' },
      { text: '{' },
    ]);
    const { turns } = await opened.threads.show('local', outcome.id, 10);
    expect(turns.map(({ role, model }) => [role, model])).toEqual([
      ['user', null],
      ['assistant', 'kimi-k3'],
    ]);
    expect(turns[1]).toMatchObject({ provider: 'kimi', usage: { input: 10 } });
  });

  verifies('workflow:expert', 'an unparsable answer is returned as it is', async () => {
    const { call } = bench();
    const said = 'I think {"summary": it is the cache';
    const outcome = await call(stepArgs(1, { next_step_required: false }), {
      expert: () => answerOf(said, { finish: 'length' }),
    });
    expect(outcome.content['expert_analysis']).toEqual({
      status: 'analysis_complete',
      format: 'text',
      raw_analysis: said,
    });
    expect(outcome.text).toBe(said);
    expect(outcome.detail).toContain('limit of tokens');
  });

  test('a file that cannot be read is a notice, and the others are read', async () => {
    const { call, asked } = bench(debug, { 'a.ts': 'x' });
    const outcome = await call(
      stepArgs(1, { next_step_required: false, relevant_files: ['gone.ts', 'a.ts'] }),
    );
    expect(outcome.content['notices']).toEqual([
      '/project/gone.ts was not read: There is no "/project/gone.ts".',
    ]);
    expect(asked[0]?.files?.map(({ name }) => name)).toEqual(['a.ts', '[request]', '[findings]']);
  });

  test('what was said elsewhere in the thread comes before, and the model of the thread stays', async () => {
    const { call, asked } = bench();
    const { id } = await call(stepArgs(1));
    const thread = await opened.threads.open({ principal: 'local', id, about: '' });
    const turns = [
      { role: 'user', tool: 'chat', content: 'And the clock?' },
      { role: 'assistant', tool: 'chat', content: 'Look at it.' },
    ] as const;
    await thread.append(turns, { model: 'glm-5.3' });
    await call(stepArgs(2, { continuation_id: id }));
    await call(stepArgs(3, { continuation_id: id, next_step_required: false }));
    expect(asked[0]?.messages.map(({ content }) => content)).toEqual([
      'And the clock?',
      'Look at it.',
      'Judge the work that [request] and [findings] tell of.',
    ]);
    expect(asked[0]?.lockedModel).toBe('glm-5.3');
    const { conversation } = await opened.threads.show('local', id, 1);
    expect(conversation.model).toBe('kimi-k3');
  });
});

describe('an expert that needs more', () => {
  const WISH = {
    status: 'files_required_to_continue',
    mandatory_instructions: 'Show me the clock.',
    files_needed: ['src/clock.ts'],
  };

  test('is the top status with what it needs, and the workflow continues', async () => {
    const { call, asked } = bench(debug, { 'src/clock.ts': 'tick' });
    const first = await call(stepArgs(1, { next_step_required: false }), {
      expert: () => answerOf(JSON.stringify(WISH)),
    });
    expect(first.status).toBe('files_required_to_continue');
    expect(first.content).toMatchObject({
      status: 'files_required_to_continue',
      next_step_required: true,
      mandatory_instructions: 'Show me the clock.',
      files_needed: ['src/clock.ts'],
      complete_debug: { steps_taken: 1 },
      next_call: {
        arguments: { step_number: 2, next_step_required: false, relevant_files: ['src/clock.ts'] },
      },
    });
    const { arguments: next } = first.content['next_call'] as {
      arguments: Record<string, unknown>;
    };
    const second = await call(next);
    expect(second.status).toBe('calling_expert_analysis');
    expect(asked[1]?.files?.map(({ name }) => name)).toContain('src/clock.ts');
    // It sees its own earlier request, after the question.
    expect(asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });
});

describe('an expert that does not answer', () => {
  const fail = (error: CallError, partial?: string) => ({
    expert(_: unknown, listener: { onReport?: (report: typeof REPORT) => void }): never {
      listener.onReport?.({ ...REPORT, ...(partial !== undefined && { partial }) });
      throw error;
    },
  });

  test.each([
    ['timeout', undefined, 'analysis_timeout'],
    ['exhausted_fallback_chain', undefined, 'analysis_error'],
    ['budget', undefined, 'analysis_error'],
    ['interrupted', '{"summary": "It is the cache", "findings": [', 'analysis_partial'],
    ['timeout', 'It is the', 'analysis_partial'],
  ] as const)(
    '%s with %j is %s, and nothing of the caller’s work is lost',
    async (cls, partial, status) => {
      const { call } = bench();
      const error = new CallError(cls, 'Nobody answered.', { fix: 'Try later.' });
      const args = stepArgs(1, {
        next_step_required: false,
        issues_found: [{ severity: 'low', description: 'Slow' }],
        images: ['https://a.example/b.png'],
      });
      const outcome = await call(args, fail(error, partial));
      expect(outcome.status).toBe(status);
      expect(outcome.failure).toBe(error);
      expect(outcome.detail).toMatch(
        /Nobody answered\. Try later\. All steps are saved; .* backtrack_from_step \d and this continuation_id\.$/,
      );
      expect(outcome.content).toMatchObject({
        expert_analysis: { status, error_class: cls, detail: 'Nobody answered.' },
        findings: [{ description: 'Slow', from: 'investigator' }],
        complete_debug: { steps_taken: 1 },
        file_context: { type: 'none', count: 0 },
      });
      expect(await turnsOf(outcome)).toEqual(['user: Look at part 1']);

      const { arguments: again } = outcome.content['next_call'] as {
        arguments: Record<string, unknown>;
      };
      expect(again).toMatchObject({ backtrack_from_step: 1, step_number: 1, findings: 'Found 1' });
      expect(again).not.toHaveProperty('images');
      const second = await call(again);
      expect(second.status).toBe('calling_expert_analysis');
      expect(second.id).toBe(outcome.id);
    },
  );

  verifies('workflow:expert', 'a partial answer is returned as far as it goes', async () => {
    const { call } = bench();
    const error = new CallError('interrupted', 'It broke off.');
    const part = '{"summary": "It is the cache", "findings": [{"severity":"low","descr';
    const outcome = await call(stepArgs(1, { next_step_required: false }), fail(error, part));
    expect(outcome.content['expert_analysis']).toMatchObject({
      format: 'json',
      summary: 'It is the cache',
    });
    const words = await call(stepArgs(1, { next_step_required: false }), fail(error, 'It is the'));
    expect(words.content['expert_analysis']).toMatchObject({ raw_analysis: 'It is the' });
  });

  test('a cancelled call gets no answer, and the step stays', async () => {
    const { run } = bench();
    const { id } = await bench().call(stepArgs(1));
    const controller = new AbortController();
    const cancelled = new CallError('cancelled', 'The call was cancelled.');
    const args = stepArgs(2, { continuation_id: id, next_step_required: false });
    const running = run(args, {
      signal: controller.signal,
      expert() {
        controller.abort(cancelled);
        throw new CallError('network', 'The socket was closed.');
      },
    });
    await expect(running).rejects.toMatchObject({ class: 'network' });
    await expect(run(args, { signal: controller.signal })).rejects.toMatchObject({
      class: 'validation',
    });
    await expect(
      run(stepArgs(3, { continuation_id: id }), { signal: controller.signal }),
    ).rejects.toBe(cancelled);
    expect(await turnsOf({ id })).toHaveLength(3);
  });

  test('a concurrent step is not undone by the answer', async () => {
    const { call, run } = bench();
    const { id } = await call(stepArgs(1));
    const outcome = await call(stepArgs(2, { continuation_id: id, next_step_required: false }), {
      async expert() {
        await run(stepArgs(2, { continuation_id: id, backtrack_from_step: 2, findings: 'theirs' }));
        return answerOf(JSON.stringify(VERDICT));
      },
    });
    expect(outcome.status).toBe('calling_expert_analysis');
    expect((await turnsOf({ id })).at(-1)).toMatch(/^assistant: The cache/);
    // The other call's workflow continues.
    const next = await call(stepArgs(3, { continuation_id: id }));
    expect(next.content).toMatchObject({ step_number: 3 });
  });
});
