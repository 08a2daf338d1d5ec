import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import type { ChangesWish, Workspace } from '#core/workspace.ts';
import { openThreads, type OpenedThreads } from '../../../../test/open-threads.ts';
import { benchOf, stepArgs, workspaceOf } from '../workflow.fixture.ts';
import { precommit } from './precommit.ts';

let opened: OpenedThreads;
beforeAll(async () => void (opened = await openThreads()));
afterAll(() => opened.close());

const DIFF = { name: '[staged changes]', text: '+const a = 1;' };

/** A repository, and what was asked of it. */
function repository(count = 1) {
  const wishes: ChangesWish[] = [];
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
  test('are read at the first step and told by name, and again for the expert, with all they hold', async () => {
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
    expect(wishes).toEqual([{ path: undefined, compareTo: 'main', staged: 'yes', unstaged: 'no' }]);

    const last = await bench.call(
      stepArgs(3, { continuation_id: first.id, next_step_required: false }),
    );
    expect(wishes).toHaveLength(2);
    expect(last.status).toBe('calling_expert_analysis');
    expect(bench.asked[0]?.files).toContainEqual(DIFF);
  });

  test('of thousands of files are told in part, with their count', async () => {
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
    const told = await bench.call(stepArgs(1, { next_step_required: false, ...given }));
    expect(told.status).toBe('local_work_complete');
    expect(told.text).toContain(`No expert was asked: ${because}`);
    expect(told.content).toMatchObject({ validation_complete: true, next_step_required: false });
    expect(bench.asked).toEqual([]);
  });

  test('that nobody wants are not read', async () => {
    const { wishes, bench } = repository();
    const given = { include_staged: false, include_unstaged: false };
    const { content } = await bench.call(stepArgs(1, given));
    expect(wishes).toEqual([]);
    expect(content['notices']).toEqual([expect.stringContaining('compare_to')]);
  });
});

describe('a repository that cannot be read', () => {
  test.each(['not_configured', 'validation', 'permission'] as const)(
    'is an error (%s) at the first step, and nothing is kept',
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
    const told = await benchOf(precommit, opened.threads, workspace).call(
      stepArgs(2, { continuation_id: id, next_step_required: false }),
    );
    expect(told.status).toBe('calling_expert_analysis');
    expect(told.content['notices']).toEqual([
      'Something could not be read again: Git is not here.',
    ]);
  });
});

test('an internal check asks nobody', async () => {
  const { bench } = repository();
  const told = await bench.call(
    stepArgs(1, { next_step_required: false, precommit_type: 'internal' }),
  );
  expect(told.status).toBe('validation_complete_ready_for_commit');
  expect(told.content['expert_analysis']).toMatchObject({
    status: 'skipped_due_to_internal_analysis_type',
  });
  expect(bench.asked).toEqual([]);
});
