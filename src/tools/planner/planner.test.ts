import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import type { FileIntake } from '#core/files/file-intake.ts';
import { planner } from './planner.ts';
import { verifies } from '../../../test/verifies.ts';

const NO_FILES: FileIntake = {
  load: () => Promise.reject(new Error('No step here has files.')),
};

let opened: OpenedThreads;
let tool: Tool;
beforeAll(async () => {
  opened = await openThreads();
  tool = planner({ threads: opened.threads, fileIntake: NO_FILES });
});
afterAll(() => opened.close());

interface Content {
  readonly [name: string]: unknown;
  readonly next_call?: { readonly arguments: Readonly<Record<string, unknown>> };
}

async function call(args: Record<string, unknown>, principal = 'local') {
  const context = { caller: { principal, scopes: ['*'], roots: [] } } as Partial<ToolContext>;
  const answer = (await tool.run(tool.parse(args), context as ToolContext)) as ToolResult;
  return { ...answer, content: answer.content as Content };
}

const FIRST = {
  step: 'Move to a new store.',
  step_number: 1,
  total_steps: 5,
  next_step_required: true,
};

/** Like an agent: makes the suggested next call with its own step. */
async function goOn({ content }: { content: Content }, more: Record<string, unknown>) {
  return call({ ...content.next_call?.arguments, ...more });
}

describe('a plan over several calls', () => {
  verifies(
    'planner:tree',
    'pauses at the beginning of a large plan, and is returned in full at the end',
    async () => {
      const first = await call(FIRST);
      expect(first.status).toBe('pause_for_deep_thinking');
      expect(first.content).toMatchObject({
        status: 'pause_for_deep_thinking',
        step_number: 1,
        total_steps: 5,
        next_step_required: true,
        planning_required: true,
        planning_status: { state: 'planning_in_progress', steps: 1, revisions: 0, branches: 0 },
        next_call: {
          tool: 'planner',
          arguments: {
            step: '<the next step of the plan>',
            step_number: 2,
            total_steps: 5,
            next_step_required: true,
            continuation_id: first.continuation?.id,
          },
        },
      });
      const second = await goOn(first, { step: 'Copy.', branch_id: 'copy', branch_from_step: 1 });
      expect(second.text).toContain('Step 2, which begins the branch "copy" at step 1, is noted.');
      expect(second.content.next_call?.arguments).toMatchObject({ branch_id: 'copy' });
      // After a restart of the daemon.
      await opened.reopen();
      const third = await goOn(second, { step: 'Check the copy.' });
      expect(third.status).toBe('pause_for_deep_thinking');
      const fourth = await goOn(third, { step: 'Switch.', branch_id: undefined });
      expect(fourth.status).toBe('pause_for_planning');
      const fifth = await goOn(fourth, {
        step: 'Copy twice.',
        revises_step_number: 2,
        next_step_required: false,
      });
      expect(fifth.status).toBe('planning_complete');
      expect(fifth.text).toBe(
        [
          'The plan is complete: 4 steps, 1 branch, 1 revision.',
          '',
          '1. Move to a new store.',
          '   Branch "copy":',
          '      2. Copy twice. (revised in step 5)',
          '      3. Check the copy.',
          '4. Switch.',
        ].join('\n'),
      );
      expect(fifth.content).toMatchObject({
        planning_complete: true,
        plan: [
          {
            step_number: 1,
            branches: [
              {
                branch_id: 'copy',
                steps: [{ step: 'Copy twice.', earlier: [{ step_number: 2, step: 'Copy.' }] }, {}],
              },
            ],
          },
          { step_number: 4, step: 'Switch.' },
        ],
      });
      expect(fifth.content.next_call).toBeUndefined();

      const id = fifth.continuation?.id ?? '';
      const { turns } = await opened.threads.show('local', id, 20);
      expect(turns.map(({ role }) => role)).toEqual(Array(5).fill(['user', 'assistant']).flat());
      // Another tool in the same conversation sees the plan.
      expect(turns.at(-1)?.content).toBe(fifth.text);
      expect(turns[0]?.content).toBe(FIRST.step);
    },
  );

  test('a small plan is planned without further ado', async () => {
    expect((await call({ ...FIRST, total_steps: 4 })).status).toBe('pause_for_planning');
    const only = await call({ ...FIRST, total_steps: 1, next_step_required: false });
    expect(only.text).toBe('The plan is complete: 1 step.\n\n1. Move to a new store.');
  });

  test('each plan is its own, and step 1 begins another in the same conversation', async () => {
    const one = await call(FIRST);
    const other = await call({ ...FIRST, step: 'Bake bread.' });
    expect(other.continuation?.id).not.toBe(one.continuation?.id);
    const again = await call({
      ...FIRST,
      step: 'Anew.',
      continuation_id: one.continuation?.id,
      next_step_required: false,
    });
    expect(again.content['plan']).toEqual([{ step_number: 1, step: 'Anew.' }]);
  });

  test('of two concurrent steps one fails, and nothing of it is saved', async () => {
    const first = await call(FIRST);
    const ended = await Promise.allSettled(['A', 'B'].map((step) => goOn(first, { step })));
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(ended.find((each) => each.status === 'rejected')?.reason).toMatchObject({
      class: 'conflict',
    });
    const { turns } = await opened.threads.show('local', first.continuation?.id ?? '', 20);
    expect(turns).toHaveLength(4);
  });
});

describe('what cannot go on', () => {
  test.each([
    [{ step_number: 3 }, 'validation', 'continuation_id'],
    [{ step_number: 3, continuation_id: ' ' }, 'validation', 'continuation_id'],
    [{ step_number: 2, continuation_id: 'x' }, 'validation', 'continuation_id'],
    [{ step_number: 2, continuation_id: `conv_${'0'.repeat(22)}` }, 'not_found', 'continuation_id'],
  ])('%j is %s at %s', async (more, errorClass, field) => {
    await expect(call({ ...FIRST, ...more })).rejects.toMatchObject({ class: errorClass, field });
  });

  test("a conversation without a plan, a step that is not next, and another's", async () => {
    const thread = await opened.threads.open({ principal: 'local', id: undefined, about: 'x' });
    const { id } = await thread.append([{ role: 'user', tool: 'chat', content: 'x' }]);
    const second = { ...FIRST, step_number: 2, continuation_id: id };
    await expect(call(second)).rejects.toMatchObject({ class: 'validation', field: 'step_number' });
    await expect(call(second, 'laptop')).rejects.toMatchObject({ class: 'not_found' });
    const first = await call(FIRST);
    const far = { ...FIRST, step_number: 4, continuation_id: first.continuation?.id };
    await expect(call(far)).rejects.toMatchObject({
      message: 'Step 4 is out of order: the next is step 2.',
    });
  });

  test.each([
    [{ step: ' ' }, 'step'],
    [{ step_number: 0 }, 'step_number'],
    [{ branch_id: 'x'.repeat(65) }, 'branch_id'],
    [{ revises_step_number: 1.5 }, 'revises_step_number'],
    [{ is_branch_point: 'yes' }, 'is_branch_point'],
    [{ findings: 'x' }, 'findings'],
  ])('%j is refused, and %s is named', (more, field) => {
    expect(() => tool.parse({ ...FIRST, ...more })).toThrow(
      expect.objectContaining({ class: 'validation', field }),
    );
  });
});

test('its answers match the schema, it asks no model, and arguments of older clients are accepted', async () => {
  const schema = z.fromJSONSchema(tool.outputSchema as z.core.JSONSchema.JSONSchema);
  const answers = [
    await call({ ...FIRST, use_assistant_model: true, model: 'auto' }),
    await call({ ...FIRST, next_step_required: false }),
  ];
  for (const { content, status } of answers) {
    const envelope = { status, tool: 'planner', attempt: 0, req_id: 'req_1', content };
    expect(schema.safeParse(envelope).error).toBeUndefined();
  }
  expect(tool).not.toHaveProperty('pool');
  expect(tool).not.toHaveProperty('previewAsk');
  expect(tool).toMatchObject({
    coalesce: false,
    annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: false },
  });
});
