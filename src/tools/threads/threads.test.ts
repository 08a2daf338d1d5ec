import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { threads } from './threads.ts';
import { verifies } from '../../../test/verifies.ts';

let at: OpenedThreads;
beforeAll(async () => {
  at = await openThreads();
});
afterAll(() => at.close());

interface Content {
  readonly threads: readonly { readonly id: string; readonly title: string }[];
  readonly thread: { readonly id: string; readonly title: string; readonly turns: number };
  readonly turns: readonly { readonly turn: number; readonly text: string }[];
  readonly matches: readonly { readonly id: string; readonly turn: number }[];
  readonly deleted: string;
  readonly next: string | number | undefined;
}

async function run(args: Record<string, unknown>, principal = 'ann') {
  const tool = threads({ threads: at.threads });
  const timestamp_utc = new Date(at.clock.now()).toISOString();
  const context = { caller: { principal }, metadata: { timestamp_utc } } as ToolContext;
  const { text, content } = (await tool.run(tool.parse(args), context)) as ToolResult;
  const { output } = { output: tool.outputSchema as { properties: { content: object } } };
  expect(z.fromJSONSchema(output.properties.content as never).safeParse(content).error).toBe(
    undefined,
  );
  return { text, content: content as Content };
}

const refusal = (args: Record<string, unknown>, principal?: string) =>
  run(args, principal).then(
    () => expect.unreachable('it was not refused'),
    (error: { toJSON(): object }) => error.toJSON(),
  );

/** A conversation with so many turns. */
async function begun(about: string, turns: readonly string[] = ['asked', 'answered']) {
  const thread = await at.threads.open({ principal: 'ann', id: undefined, about });
  await thread.append(
    turns.map((content, index) =>
      index % 2 === 0
        ? { role: 'user', tool: 'chat', content, files: ['/a.ts'] }
        : { role: 'assistant', tool: 'chat', content, provider: 'glm', model: 'glm-5.3' },
    ),
    { model: 'glm-5.3' },
  );
  return thread.id;
}

verifies(
  'threads:tool',
  'a list goes from page to page without losing or repeating one',
  async () => {
    expect((await run({ action: 'list' }, 'nobody')).text).toBe(
      'You have no conversations yet: every answer with a continuation_id begins one.',
    );
    const made = [await begun('one'), await begun('two'), await begun('three')];
    const seen: string[] = [];
    let before: string | number | undefined;
    do {
      const { content } = await run({ action: 'list', limit: 2, ...(before && { before }) });
      seen.push(...content.threads.map(({ id }) => id));
      before = content.next;
    } while (before !== undefined);
    expect(seen).toEqual(made.toReversed());
    const { text } = await run({ action: 'list', limit: 1 });
    expect(text).toBe(
      `${made[2]}  2025-10-10 00:05Z  three (2 turns, glm-5.3)\nMore: before 6.${made[2]}`,
    );
    expect((await run({ action: 'list', before: '1d' })).text).toBe('There are no older ones.');
  },
);

test('turns are shown newest page first, cut where they are long', async () => {
  const id = await begun('shown', ['first', 'x'.repeat(3000), 'third']);
  const { text, content } = await run({ action: 'show', id, limit: 2 });
  expect(content).toMatchObject({
    thread: { id, title: 'shown', turns: 3, created: '2025-10-10T00:05:49.591Z' },
    turns: [
      { turn: 2, role: 'assistant', model: 'glm-5.3', provider: 'glm', left_out: 1000 },
      { turn: 3, role: 'user', tool: 'chat', text: 'third', files: ['/a.ts'] },
    ],
    next: 2,
  });
  expect(text).toContain('3. user, chat, 2025-10-10 00:05Z\nthird\n[files: /a.ts]');
  expect(text).toContain('[1000 more characters]');
  expect(text.endsWith('More: before 2')).toBe(true);
  const rest = await run({ action: 'show', id, before: 2 });
  expect(rest.content.turns.map(({ turn }) => turn)).toEqual([1]);
  expect(rest.content.next).toBeUndefined();
});

test('a page of long turns is shorter, and none of them is lost', async () => {
  const long = Array.from({ length: 7 }, (_, n) => `${n}`.repeat(1_500_000));
  const id = await begun('long', long);
  const seen: string[] = [];
  let before: string | number | undefined;
  do {
    const { content } = await run({
      action: 'show',
      id,
      max_chars: 8_000_000,
      ...(before && { before }),
    });
    seen.unshift(...content.turns.map(({ text }) => text));
    before = content.next;
  } while (before !== undefined);
  expect(seen.map((text) => text.length)).toEqual(long.map((text) => text.length));
  expect(seen.every((text, n) => text === long[n])).toBe(true);
});

test('a search shows where the words are', async () => {
  const id = await begun('searched', ['the quick brown fox', 'jumps']);
  const { text, content } = await run({ action: 'search', query: 'QUICK fox' });
  expect(content.matches).toMatchObject([{ id, turn: 1 }]);
  expect(text).toBe(`${id}, turn 1, 2025-10-10 00:05Z, searched\n  the quick brown fox`);
  expect((await run({ action: 'search', query: 'absent' })).text).toContain('No turn has all');
});

test('a conversation is forked, renamed and deleted', async () => {
  const id = await begun('original', ['1', '2', '3', '4']);
  const { content: fork, text } = await run({ action: 'fork', id, turn: 2 });
  expect(fork.thread).toMatchObject({ title: 'original (fork)', turns: 2, parent_id: id });
  expect(text).toContain(`Copied 2 turns to ${fork.thread.id}`);
  const renamed = await run({ action: 'rename', id: fork.thread.id, title: 'Another way' });
  expect(renamed.content.thread.title).toBe('Another way');
  expect((await run({ action: 'delete', id })).content).toEqual({ deleted: id });
  expect(await refusal({ action: 'show', id })).toMatchObject({ class: 'not_found', field: 'id' });
  expect((await run({ action: 'show', id: fork.thread.id })).content.turns).toHaveLength(2);
});

verifies('threads:owned', 'another principal sees, finds and changes nothing', async () => {
  const id = await begun('mine', ['a secret plan', 'kept']);
  expect((await run({ action: 'list' }, 'bob')).content.threads).toEqual([]);
  expect((await run({ action: 'search', query: 'secret' }, 'bob')).content.matches).toEqual([]);
  for (const action of ['show', 'fork', 'rename', 'delete']) {
    expect(await refusal({ action, id, title: 'x' }, 'bob')).toMatchObject({ class: 'not_found' });
  }
  expect((await run({ action: 'show', id })).content.thread.title).toBe('mine');
});

test.each([
  [{}, 'action'],
  [{ action: 'drop' }, 'action'],
  [{ action: 'show' }, 'id'],
  [{ action: 'show', id: '  ' }, 'id'],
  [{ action: 'delete', id: 'x'.repeat(1_000_000) }, 'id'],
  [{ action: 'delete', id: '__proto__' }, 'id'],
  [{ action: 'search' }, 'query'],
  [{ action: 'rename', id: 'conv_0000000000000000000000' }, 'title'],
  [{ action: 'list', limit: 0 }, 'limit'],
  [{ action: 'list', limit: 101 }, 'limit'],
  [{ action: 'list', before: 5 }, 'before'],
  [{ action: 'list', before: 'soon' }, 'before'],
  [{ action: 'list', before: `${'9'.repeat(20)}.conv_x` }, 'before'],
  [{ action: 'show', id: 'conv_0000000000000000000000', before: 'x' }, 'before'],
  [{ action: 'show', id: 'conv_0000000000000000000000', max_chars: 1 }, 'max_chars'],
  [{ action: 'fork', id: 'conv_0000000000000000000000', turn: 0 }, 'turn'],
  [{ action: 'list', ids: [] }, 'ids'],
])('%.60j is refused, and the field is named', async (args, field) => {
  expect(await refusal(args)).toMatchObject({ class: 'validation', field });
});

test('an action without the argument that it needs is refused by code', async () => {
  expect(await refusal({ action: 'show' })).toMatchObject({
    message: '"id" is missing: show needs it.',
    reason: { code: 'missing_arguments', params: { arguments: ['id'], neededBy: 'show' } },
  });
});
