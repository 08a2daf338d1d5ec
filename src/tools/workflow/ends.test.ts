import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { debug } from './definitions/debug.ts';
import type { WorkflowDefinition } from './definition.ts';
import { benchOf, stepArgs, workspaceOf } from './workflow.fixture.ts';
import { verifies } from '../../../test/verifies.ts';

let opened: OpenedThreads;
beforeAll(async () => void (opened = await openThreads()));
afterAll(() => opened.close());

const bench = (definition: WorkflowDefinition = debug, files?: Record<string, string>) =>
  benchOf(definition, opened.threads, workspaceOf(files));

describe('the end without an expert', () => {
  const end = (more: Record<string, unknown>) =>
    stepArgs(3, { next_step_required: false, ...more });
  async function ended(more: Record<string, unknown>, definition: WorkflowDefinition = debug) {
    const { call, asked } = bench(definition);
    const { id } = await call(stepArgs(1));
    await call(stepArgs(2, { continuation_id: id }));
    const outcome = await call(end({ continuation_id: id, ...more }));
    expect(asked).toEqual([]);
    await expect(call(stepArgs(4, { continuation_id: id }))).rejects.toMatchObject({
      class: 'validation',
    });
    return outcome;
  }

  verifies('workflow:statuses', 'certainty ends it as ready', async () => {
    const { status, content } = await ended({ confidence: 'certain' });
    expect(status).toBe('investigation_complete_ready_for_implementation');
    expect(content).toMatchObject({
      status,
      investigation_complete: true,
      expert_analysis: { status: 'skipped_due_to_certain_confidence', reason: expect.any(String) },
      complete_debug: { steps_taken: 3 },
    });
  });

  test('the definition may say so', async () => {
    const definition = { ...debug, skips: () => 'skipped_due_to_internal_analysis_type' };
    const { status, content } = await ended({}, definition);
    expect(status).toBe('investigation_complete_ready_for_implementation');
    expect(content).toMatchObject({
      expert_analysis: { status: 'skipped_due_to_internal_analysis_type' },
    });
  });

  test('use_assistant_model false skips it', async () => {
    const { status, content, text } = await ended({ use_assistant_model: false });
    expect(status).toBe('investigation_complete');
    expect(content).not.toHaveProperty('expert_analysis');
    expect(text).toContain('No expert was asked: use_assistant_model is false.');
  });

  test('a workflow without one asks none, even with certainty', async () => {
    const definition: WorkflowDefinition = { ...debug, expert: 'none' };
    expect((await ended({}, definition)).status).toBe('investigation_complete');
    expect((await ended({ confidence: 'certain' }, definition)).status).toBe(
      'investigation_complete',
    );
    const { tool } = bench(definition);
    expect(Object.keys(tool)).not.toContain('pool');
    expect(Object.keys(tool)).not.toContain('previewAsk');
  });

  test('nothing to judge is local work', async () => {
    const { call, asked } = bench();
    const outcome = await call(stepArgs(1, { findings: ' ', next_step_required: false }));
    expect(outcome.status).toBe('local_work_complete');
    expect(asked).toEqual([]);
  });
});

describe('an end before its time', () => {
  test.each([
    [
      'confidence is certain',
      { confidence: 'certain' },
      'investigation_complete_ready_for_implementation',
    ],
    [
      'depth is quick and confidence is high',
      { depth: 'quick', confidence: 'high' },
      'calling_expert_analysis',
    ],
    ['next_step_required is false', { next_step_required: false }, 'calling_expert_analysis'],
  ])('%s', async (because, more, status) => {
    const { call } = bench();
    const { id } = await call(stepArgs(1, { total_steps: 5 }));
    const outcome = await call(stepArgs(2, { total_steps: 5, continuation_id: id, ...more }));
    expect(outcome.status).toBe(status);
    expect(outcome.content).toMatchObject({
      next_step_required: false,
      early_termination: { step_number: 2, total_steps: 5, because },
    });
  });

  test.each([
    [{ confidence: 'certain' }],
    [{ depth: 'quick', confidence: 'medium' }],
    [{ depth: 'normal', confidence: 'almost_certain' }],
  ])('%j in a first step is no reason', async (more) => {
    const { status } = await bench().call(stepArgs(1, more));
    expect(status).toBe('pause_for_investigation');
  });
});

describe('a definition that holds', () => {
  const holding: WorkflowDefinition = {
    ...debug,
    hold: ({ args }) =>
      args.next_step_required
        ? undefined
        : {
            status: 'more_required',
            actions: ['Do it.'],
            note: 'Not yet.',
            arguments: { depth: 'deep' },
          },
  };

  test('has its own status, and continues', async () => {
    const { call, asked } = bench(holding);
    const outcome = await call(stepArgs(1, { next_step_required: false }));
    expect(outcome.status).toBe('more_required');
    expect(outcome.content).toMatchObject({
      status: 'more_required',
      next_step_required: true,
      investigation_required: true,
      required_actions: ['Do it.'],
      next_steps: 'Not yet.',
      next_call: { arguments: { step_number: 2, next_step_required: false, depth: 'deep' } },
    });
    expect(asked).toEqual([]);
    const next = await call(stepArgs(2, { continuation_id: outcome.id }));
    expect(next.status).toBe('pause_for_investigation');
  });

  test('is heeded where it would end before its time', async () => {
    const { call } = bench(holding);
    const { id } = await call(stepArgs(1));
    const { status } = await call(stepArgs(2, { continuation_id: id, confidence: 'certain' }));
    expect(status).toBe('more_required');
  });
});
