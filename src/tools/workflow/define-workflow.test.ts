import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { debug } from './definitions/debug.ts';
import { precommit } from './definitions/precommit.ts';
import type { WorkflowDefinition } from './definition.ts';
import { MAX_STATE_CHARS } from './state.ts';
import { benchOf, stepArgs, workspaceOf, type StepOutcome } from './workflow.fixture.ts';

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

describe('sizes', () => {
  test('findings of 2 MB are saved and judged; more than the limit is refused', async () => {
    const { call, run, asked } = bench();
    const { id } = await call(stepArgs(1, { findings: 'x'.repeat(2_000_000) }));
    const outcome = await call(
      stepArgs(2, {
        continuation_id: id,
        next_step_required: false,
        findings: 'y'.repeat(1_900_000),
      }),
      { expert: () => Promise.reject(new CallError('timeout', 'No.')) },
    );
    expect(asked[0]?.files?.find(({ name }) => name === '[findings]')?.text.length).toBeGreaterThan(
      3_900_000,
    );
    // A value of that size is not repeated.
    expect(JSON.stringify(outcome.content).length).toBeLessThan(20_000);
    await expect(
      run(stepArgs(3, { continuation_id: id, findings: 'z'.repeat(MAX_STATE_CHARS) })),
    ).rejects.toMatchObject({ class: 'too_large', field: 'findings' });
  });

  test.each([
    [{ files_checked: Array.from({ length: 1_001 }, () => 'x') }, 'files_checked'],
    [{ relevant_files: ['x'.repeat(5_000)] }, 'relevant_files.0'],
    [{ relevant_context: [''] }, 'relevant_context'],
    [{ issues_found: [{ severity: 'bad', description: 'x' }] }, 'issues_found.0.severity'],
    [{ confidence: 'sure' }, 'confidence'],
    [{ step_number: 0 }, 'step_number'],
    [{ total_steps: 10_001 }, 'total_steps'],
    [{ backtrack_from_step: 1.5 }, 'backtrack_from_step'],
    [{ findings: undefined }, 'findings'],
    [{ fidings: 'x' }, 'fidings'],
    [{ step: ' ' }, 'step'],
  ])('%.60j is refused, and %s is named', (more, field) => {
    expect(() => bench().tool.parse(stepArgs(1, more))).toThrow(
      expect.objectContaining({ class: 'validation', field }),
    );
  });

  test('the schema is small', () => {
    const { name, description, inputSchema } = bench().tool;
    expect(countTokens(JSON.stringify({ name, description, inputSchema }))).toBeLessThanOrEqual(
      700,
    );
  });
});

describe('the tool', () => {
  test('says what it would ask', () => {
    const { tool } = bench();
    const last = { next_step_required: false };
    const args = tool.parse(stepArgs(4, { ...last, relevant_files: ['a.ts'] }));
    expect(tool.previewAsk?.(args)).toMatchObject({
      step: { number: 4, more: 'no' },
      files: [{ name: 'a.ts' }, { name: '[request]' }, { name: '[findings]' }],
    });
    // Earlier steps may have findings.
    const empty = tool.parse(stepArgs(4, { ...last, findings: '' }));
    expect(tool.previewAsk?.(empty)).toMatchObject({ step: { number: 4 } });
    const { tool: reading } = bench(precommit);
    expect(reading.previewAsk?.(reading.parse(stepArgs(1, last)))).toMatchObject({
      files: [{ name: '[what precommit reads by itself]' }, {}, {}],
    });
  });

  test.each([
    [1, {}, 'more steps are to come (next_step_required is true)'],
    [2, { confidence: 'certain' }, 'confidence is certain'],
    [1, { next_step_required: false, confidence: 'certain' }, 'confidence is certain'],
    [1, { next_step_required: false, use_assistant_model: false }, 'use_assistant_model is false'],
    [
      1,
      { next_step_required: false, findings: '' },
      'findings, issues_found and relevant_files are empty',
    ],
  ])(
    'previews that step %i with %j asks no model, as its call does',
    async (number, more, noAskBecause) => {
      const { tool, call, asked } = bench();
      const args = stepArgs(number, more);
      expect(tool.previewAsk?.(tool.parse(args))).toEqual({ noAskBecause });
      const before = number === 1 ? {} : { continuation_id: (await call(stepArgs(1))).id };
      await call({ ...args, ...before });
      expect(asked).toEqual([]);
    },
  );

  test('changes nothing but its conversation, and never answers two with one answer', () => {
    expect(bench().tool).toMatchObject({
      coalesce: false,
      timeoutMs: 180_000,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false },
    });
  });

  test('answers as it says that it does', async () => {
    const { call, tool } = bench();
    const schema = z.fromJSONSchema(tool.outputSchema as z.core.JSONSchema.JSONSchema);
    const { id, ...first } = await call(stepArgs(1));
    const last = await call(stepArgs(2, { continuation_id: id, next_step_required: false }));
    for (const { status, content } of [first, last]) {
      const envelope = { status, tool: 'debug', attempt: 1, req_id: 'req_1', content };
      expect(schema.safeParse(envelope).error).toBeUndefined();
    }
  });

  test('requests the client’s roots before anything is saved', async () => {
    const { run, call } = bench(debug, { 'a.ts': 'x' });
    const args = stepArgs(1, { next_step_required: false, relevant_files: ['a.ts'] });
    const by = { roots: [], clientCapabilities: ['roots'] as const };
    const asking = (await run(args, by)) as { inputRequests: Record<string, unknown> };
    const [name = ''] = Object.keys(asking.inputRequests);
    const outcome = await call(args, {
      ...by,
      answers: { [name]: { roots: [{ uri: 'file:///p/q' }] } },
    });
    expect(outcome.status).toBe('calling_expert_analysis');
    expect(await turnsOf(outcome)).toHaveLength(2);
  });
});
