import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { ChangesOptions, Workspace } from '#core/workspace.ts';
import { openThreads, type OpenedThreads } from '../../../../test/open-threads.ts';
import { benchOf, stepArgs, workspaceOf } from '../workflow.fixture.ts';
import { precommit } from './precommit.ts';

let opened: OpenedThreads;
beforeAll(async () => void (opened = await openThreads()));
afterAll(() => opened.close());

const DIFF = { name: '[staged changes]', text: '+const a = 1;' };

/** A fake repository that records the requests. */
function repository(count = 1) {
  const wishes: ChangesOptions[] = [];
  const changes: Workspace['changes'] = async (wish) => {
    wishes.push(wish);
    return {
      root: '/project',
      branch: 'main',
      files: Array.from({ length: count }, (_, index) => ({
        path: `src/${index}.ts`,
        change: 'modified' as const,
        where: 'staged' as const,
      })),
      diffs: count === 0 ? [] : [DIFF],
      notices: [],
    };
  };
  return { wishes, bench: benchOf(precommit, opened.threads, workspaceOf({}, changes)) };
}

const broken = (errorClass: ErrorClass) => {
  const error = new CallError(errorClass, 'Git is not here.', {
    field: 'path',
    fix: 'Install it.',
  });
  return { error, workspace: workspaceOf({}, () => Promise.reject(error)) };
};

describe('the changes', () => {
  test('are read at the first step and listed by name, and again for the expert, in full', async () => {
    const { wishes, bench } = repository();
    const first = await bench.call(stepArgs(1, { compare_to: 'main', include_unstaged: false }));
    expect(first.status).toBe('pause_for_validation');
    expect(first.text).toContain('Changed files (1):\n- src/0.ts (modified, staged)');
    expect(first.content['changes']).toEqual({
      repository: '/project',
      branch: 'main',
      compared_to: 'main',
      files: [{ path: 'src/0.ts', change: 'modified', where: 'staged' }],
      count: 1,
    });
    const { arguments: next } = first.content['next_call'] as { arguments: object };
    expect(next).toMatchObject({ compare_to: 'main', include_unstaged: false });
    await bench.call(stepArgs(2, { continuation_id: first.id }));
    expect(wishes).toEqual([{ path: undefined, compareTo: 'main', staged: true, unstaged: false }]);

    const last = await bench.call(
      stepArgs(3, { continuation_id: first.id, next_step_required: false }),
    );
    expect(wishes).toHaveLength(2);
    expect(last.status).toBe('calling_expert_analysis');
    expect(bench.asked[0]?.files).toContainEqual(DIFF);
  });

  test('of thousands of files are listed in part, with their count', async () => {
    const { content, text } = await repository(5_000).bench.call(stepArgs(1));
    const { files, count } = content['changes'] as { files: unknown[]; count: number };
    expect([files.length, count]).toEqual([200, 5_000]);
    expect(text).toContain('\n- and 4980 more');
    expect(text.length).toBeLessThan(3_000);
  });

  test('that are not there are a notice', async () => {
    const { content } = await repository(0).bench.call(stepArgs(1));
    expect(content['notices']).toEqual(['Git knows of no such changes.']);
  });

  test.each([
    [{}, 'nothing is changed that is not committed (compare_to names'],
    [{ compare_to: 'main' }, 'nothing has changed since main.'],
  ])('that are not there are judged by nobody: %j', async (given, because) => {
    const { bench } = repository(0);
    const outcome = await bench.call(stepArgs(1, { next_step_required: false, ...given }));
    expect(outcome.status).toBe('local_work_complete');
    expect(outcome.text).toContain(`No expert was asked: ${because}`);
    expect(outcome.content).toMatchObject({ validation_complete: true, next_step_required: false });
    expect(bench.asked).toEqual([]);
  });

  test('that are not requested are not read', async () => {
    const { wishes, bench } = repository();
    const given = { include_staged: false, include_unstaged: false };
    const { content } = await bench.call(stepArgs(1, given));
    expect(wishes).toEqual([]);
    expect(content['notices']).toEqual([expect.stringContaining('compare_to')]);
  });
});

describe('a repository that cannot be read', () => {
  test.each(['not_configured', 'validation', 'permission'] as const)(
    'is an error (%s) at the first step, and nothing is saved',
    async (errorClass) => {
      const { error, workspace } = broken(errorClass);
      const before = await opened.threads.list('reader', 10);
      const running = benchOf(precommit, opened.threads, workspace).run(stepArgs(1), {
        principal: 'reader',
      });
      await expect(running).rejects.toBe(error);
      expect(await opened.threads.list('reader', 10)).toEqual(before);
    },
  );

  test('is a notice at the end, where work would be lost', async () => {
    const { id } = await repository().bench.call(stepArgs(1));
    const { workspace } = broken('not_configured');
    const outcome = await benchOf(precommit, opened.threads, workspace).call(
      stepArgs(2, { continuation_id: id, next_step_required: false }),
    );
    expect(outcome.status).toBe('calling_expert_analysis');
    expect(outcome.content['notices']).toEqual([
      'Something could not be read again: Git is not here.',
    ]);
  });
});

test('an internal check asks no expert', async () => {
  const { bench } = repository();
  const outcome = await bench.call(
    stepArgs(1, { next_step_required: false, precommit_type: 'internal' }),
  );
  expect(outcome.status).toBe('validation_complete_ready_for_commit');
  expect(outcome.content['expert_analysis']).toMatchObject({
    status: 'skipped_due_to_internal_analysis_type',
  });
  expect(bench.asked).toEqual([]);
});
