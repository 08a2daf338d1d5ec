import { join } from 'node:path';
import { expect } from 'vitest';
import { nextArgs, statusOf, step, type ToolCase } from './tools-case.ts';
import type { ToolClient } from './tools-client.ts';
import { EXPERT_FILES } from './tools-expert-files.ts';

/** A workflow by the words that its clients know, and what it cannot be called without. */
interface Known {
  readonly tool: string;
  readonly stem: string;
  readonly ready: string;
  readonly certain: string;
  readonly skipped: string;
}

const CERTAIN = 'skipped_due_to_certain_confidence';

const ASKING: readonly Known[] = [
  known('thinkdeep', 'thinking'),
  known('analyze', 'analysis'),
  known('debug', 'investigation'),
  known('codereview', 'code_review'),
  { ...known('precommit', 'validation'), ready: 'validation_complete_ready_for_commit' },
  {
    ...known('refactor', 'refactoring_analysis'),
    certain: 'complete',
    skipped: 'skipped_due_to_complete_refactoring_confidence',
  },
  {
    ...known('secaudit', 'security_audit'),
    skipped: 'skipped_due_to_certain_audit_confidence',
  },
  {
    ...known('testgen', 'test_generation'),
    skipped: 'skipped_due_to_certain_test_confidence',
  },
];

function known(tool: string, stem: string): Known {
  const ready = `${stem}_complete_ready_for_implementation`;
  return { tool, stem, ready, certain: 'certain', skipped: CERTAIN };
}

function own(tool: string, client: ToolClient): object {
  return tool === 'precommit' ? { path: client.folder } : {};
}

function throughSteps({ tool, stem }: Known): ToolCase {
  return {
    of: 'workflow:statuses',
    says: `${tool} pauses, names the next call, and has its expert judge the findings with the file`,
    async run(client) {
      const file = join(client.folder, EXPERT_FILES.verdict);
      const first = await client.call(
        tool,
        step(1, { ...own(tool, client), relevant_files: [file] }),
      );
      expect(statusOf(first)).toBe(`pause_for_${stem}`);
      expect(first.content).toMatchObject({
        [`${stem}_required`]: true,
        next_step_required: true,
        next_call: {
          tool,
          arguments: { continuation_id: first.id, step_number: 2, next_step_required: false },
        },
      });
      const last = await client.call(tool, {
        ...nextArgs(first),
        step: 'End',
        findings: 'Found 2',
      });
      expect(statusOf(last)).toBe('calling_expert_analysis');
      expect(last.envelope.attempt).toBe(1);
      expect(last.content).toMatchObject({
        [`${stem}_complete`]: true,
        next_step_required: false,
        expert_analysis: {
          status: 'analysis_complete',
          format: 'json',
          summary: 'The cache only grows',
        },
        findings: [{ severity: 'high', file: 'cache.ts', line: 4, from: 'expert' }],
        [`complete_${tool}`]: {
          initial_request: 'Look at part 1',
          steps_taken: 2,
          relevant_files: [file],
        },
      });
      expect(last.id).toBe(first.id);
    },
  };
}

function withoutExpert({ tool, stem, ready, certain, skipped }: Known): ToolCase {
  return {
    of: 'workflow:statuses',
    says: `${tool} asks nobody when its caller is certain or wants no expert`,
    async run(client) {
      const sure = await client.call(
        tool,
        step(1, { ...own(tool, client), next_step_required: false, confidence: certain }),
      );
      expect(statusOf(sure)).toBe(ready);
      expect(sure.content).toMatchObject({ expert_analysis: { status: skipped } });
      const alone = await client.call(
        tool,
        step(1, { ...own(tool, client), next_step_required: false, use_assistant_model: false }),
      );
      expect(statusOf(alone)).toBe(`${stem}_complete`);
      expect([sure, alone].map(({ envelope }) => envelope.attempt)).toEqual([0, 0]);
    },
  };
}

const SPECIAL: readonly ToolCase[] = [
  {
    of: 'workflow:expert',
    says: 'an expert that wants files says which, and judges when it has them',
    async run(client) {
      const wants = join(client.folder, EXPERT_FILES.wants);
      const paused = await client.call(
        'codereview',
        step(1, { next_step_required: false, relevant_files: [wants] }),
      );
      expect(statusOf(paused)).toBe('files_required_to_continue');
      expect(paused.content).toMatchObject({
        files_needed: ['fill.ts'],
        mandatory_instructions: 'Show who fills the cache',
        next_call: { arguments: { step_number: 2, relevant_files: ['fill.ts'] } },
      });
      const again = await client.call('codereview', {
        ...nextArgs(paused),
        step: 'With that file',
        findings: 'Found 2',
        relevant_files: [join(client.folder, EXPERT_FILES.verdict)],
      });
      expect(statusOf(again)).toBe('calling_expert_analysis');
    },
  },
  {
    of: 'workflow:expert',
    says: 'an expert that writes broken JSON is told as it wrote, and nothing is lost',
    async run(client) {
      const told = await client.call(
        'analyze',
        step(1, {
          next_step_required: false,
          relevant_files: [join(client.folder, EXPERT_FILES.garbage)],
          issues_found: [{ severity: 'low', description: 'Mine', file: 'a.ts' }],
        }),
      );
      expect(statusOf(told)).toBe('calling_expert_analysis');
      expect(told.content).toMatchObject({
        expert_analysis: {
          status: 'analysis_complete',
          format: 'text',
          raw_analysis: expect.stringContaining('"broken"') as string,
        },
        findings: [{ description: 'Mine', from: 'investigator' }],
        complete_analyze: { steps_taken: 1 },
      });
    },
  },
  {
    of: 'workflow:steps',
    says: 'going back drops the steps after it, and certainty ends before the last step',
    async run(client) {
      const { id } = await client.call('debug', step(1, { total_steps: 4 }));
      const on = { continuation_id: id, total_steps: 4 };
      await client.call('debug', step(2, on));
      await client.call('debug', step(3, on));
      const back = await client.call(
        'debug',
        step(2, { ...on, backtrack_from_step: 2, findings: 'Found otherwise' }),
      );
      expect(back.content).toMatchObject({ next_call: { arguments: { step_number: 3 } } });
      const end = await client.call('debug', step(3, { ...on, confidence: 'certain' }));
      expect(statusOf(end)).toBe('investigation_complete_ready_for_implementation');
      expect(end.content).toMatchObject({
        early_termination: { step_number: 3, total_steps: 4 },
        complete_debug: { steps_taken: 3 },
      });
    },
  },
  {
    of: 'workflow:precommit',
    says: 'precommit reads by itself what has changed',
    async run(client) {
      const told = await client.call('precommit', step(1, { path: client.folder }));
      expect(told.content['changes']).toMatchObject({
        repository: client.folder,
        files: expect.arrayContaining([
          { path: 'kept.ts', change: 'modified', where: 'unstaged' },
        ]) as unknown,
      });
    },
  },
  {
    of: 'workflow:statuses',
    says: 'docgen does not end before every file is documented',
    async run(client) {
      const first = await client.call('docgen', step(1));
      const counts = (done: number) => ({
        continuation_id: first.id,
        next_step_required: false,
        num_files_documented: done,
        total_files_to_document: 2,
      });
      const held = await client.call('docgen', step(2, counts(1)));
      const done = await client.call('docgen', step(3, counts(2)));
      expect([first, held, done].map(statusOf)).toEqual([
        'pause_for_documentation_analysis',
        'documentation_analysis_required',
        'documentation_analysis_complete',
      ]);
    },
  },
  {
    of: 'workflow:statuses',
    says: 'tracer asks what is meant before it begins',
    async run(client) {
      const target = { target_description: 'The cache' };
      const first = await client.call('tracer', step(1, { ...target, trace_mode: 'ask' }));
      const next = await client.call('tracer', {
        ...nextArgs(first),
        step: 'Trace it',
        findings: 'Found 1',
        trace_mode: 'precision',
      });
      const last = await client.call('tracer', {
        ...nextArgs(next),
        step: 'Traced',
        findings: 'Found 2',
      });
      expect([first, next, last].map(statusOf)).toEqual([
        'mode_selection_required',
        'pause_for_tracing',
        'tracing_complete',
      ]);
    },
  },
];

export const WORKFLOW_CASES: readonly ToolCase[] = [
  ...ASKING.flatMap((each) => [throughSteps(each), withoutExpert(each)]),
  ...SPECIAL,
];
