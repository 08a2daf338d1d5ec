import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import type { ChangesOptions, ReadableWorkspace } from '#core/workspace.ts';
import { intakeOver } from '../../../test/intake-over.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { chat } from '../chat.ts';
import { debug } from './definitions/debug.ts';
import { docgen } from './definitions/docgen.ts';
import { precommit } from './definitions/precommit.ts';
import { answerOf, benchOf, stepArgs, workspaceOf } from './workflow.fixture.ts';
import { NO_TOOL_LOOP } from '../../../test/no-tools.ts';

let opened: OpenedThreads;
beforeAll(async () => void (opened = await openThreads()));
afterAll(() => opened.close());

const FROM_B = { roots: ['/b'] };
const namesOf = (request: AskRequest | undefined) => request?.files?.map(({ name }) => name);
const noticesOf = (content: Readonly<Record<string, unknown>>) =>
  String(content['notices'] as unknown);

describe('steps from two folders', () => {
  const files = { '/a/x.txt': 'of A', '/b/x.txt': 'of B' };

  test('read the file that was named, and not its namesake', async () => {
    const { call, asked } = benchOf(debug, opened.threads, workspaceOf(files));
    const first = await call(stepArgs(1, { relevant_files: ['x.txt'], files_checked: ['y.txt'] }), {
      roots: ['/a'],
    });
    expect(first.content['file_context']).toMatchObject({ files: ['x.txt'] });
    const last = { continuation_id: first.id, next_step_required: false };
    const second = await call(stepArgs(2, last), FROM_B);
    expect(asked[0]?.files).toContainEqual({ name: '/a/x.txt', text: 'of A' });
    expect(second.content['complete_debug']).toMatchObject({
      relevant_files: ['/a/x.txt'],
      files_examined: ['/a/y.txt'],
    });
  });

  test('and so does another tool in the same conversation', async () => {
    const workspace = workspaceOf(files);
    const { call } = benchOf(debug, opened.threads, workspace);
    const named = stepArgs(1, { relevant_files: ['x.txt'] });
    const { id } = await call(named, { roots: ['/a'] });
    const asked: AskRequest[] = [];
    const context = {
      caller: { principal: 'local', roots: ['/b'], scopes: [] },
      answers: NO_INPUT_RESPONSES,
      clientCapabilities: [],
      signal: new AbortController().signal,
      deadline: { at: 1_000_000 },
      progress: () => undefined,
      async ask(request: AskRequest) {
        asked.push(request);
        return answerOf('Well.');
      },
    } as unknown as ToolContext;
    const tool = chat({
      threads: opened.threads,
      fileIntake: intakeOver(workspace),
      locale: '',
      toolLoop: NO_TOOL_LOOP,
    });
    await tool.run(tool.parse({ prompt: 'And now?', continuation_id: id }), context);
    expect(asked[0]?.files).toEqual([{ name: '/a/x.txt', text: 'of A' }]);
  });

  test('a relative path without a root is not looked up elsewhere', async () => {
    const { call, asked } = benchOf(debug, opened.threads, workspaceOf(files));
    const { id } = await call(stepArgs(1, { relevant_files: ['x.txt'] }), { roots: [] });
    const last = { continuation_id: id, next_step_required: false };
    const { content } = await call(stepArgs(2, last), FROM_B);
    expect(namesOf(asked[0])).toEqual(['[request]', '[findings]']);
    expect(noticesOf(content)).toContain('x.txt was not read: it was named from another folder');
  });

  test('a client that has to be asked where it works is asked by the step that names a file', async () => {
    const { run, call, asked } = benchOf(debug, opened.threads, workspaceOf(files));
    const by = { roots: [], clientCapabilities: ['roots'] } as const;
    const named = stepArgs(1, { relevant_files: ['x.txt'] });
    expect(await run(named, by)).toEqual({ inputRequests: { client_roots: { is: 'roots' } } });
    const answers = { client_roots: { roots: [{ uri: 'file:///a' }] } };
    const { id } = await call(named, { ...by, answers });
    const more = stepArgs(2, { continuation_id: id });
    expect((await call(more, by)).status).toBe('pause_for_investigation');
    const last = stepArgs(3, { continuation_id: id, next_step_required: false });
    await call(last, FROM_B);
    expect(namesOf(asked[0])).toContain('/a/x.txt');
  });

  test('paths are shown relative to the first folder however they are given, also those in a named folder', async () => {
    const inside: ReadableWorkspace = {
      ...workspaceOf(),
      read: async (paths) => ({
        texts: paths.map((path) => ({ name: path === '/a/src' ? '/a/src/z.ts' : path, text: 'x' })),
        notices: [],
      }),
    };
    const { call, asked } = benchOf(debug, opened.threads, inside);
    const named = ['x.txt', '/a/y.txt', 'src'];
    const last = stepArgs(1, { next_step_required: false, relevant_files: named });
    const { content } = await call(last, { roots: ['/a'] });
    expect(namesOf(asked[0])?.slice(0, 3)).toEqual(['x.txt', 'y.txt', 'src/z.ts']);
    expect(content['complete_debug']).toMatchObject({ relevant_files: named });
  });

  test('a file whose name is short again passes for none of our own texts', async () => {
    const workspace = workspaceOf({ '/a/[staged changes]': 'forged' });
    const { call, asked } = benchOf(debug, opened.threads, workspace);
    const last = { next_step_required: false, relevant_files: ['[staged changes]'] };
    await call(stepArgs(1, last), { roots: ['/a'] });
    expect(namesOf(asked[0])).toEqual(['./[staged changes]', '[request]', '[findings]']);
  });
});

describe('what a step said in the arguments of its tool', () => {
  /** A repository in each root, which records the requests. */
  function repositories() {
    const wishes: ChangesOptions[] = [];
    const workspace = workspaceOf({}, async (wish, { roots: [root = ''] }) => {
      wishes.push(wish);
      const at = wish.path ?? root;
      return {
        root: at,
        branch: 'main',
        files: [{ path: 'a.ts', change: 'modified', where: 'staged' }],
        diffs: [{ name: '[staged changes]', text: `+of ${at}` }],
        notices: [],
      };
    });
    return { wishes, ...benchOf(precommit, opened.threads, workspace) };
  }
  const LAST = { next_step_required: false };

  test('holds for later steps that leave it out, whatever its default is', async () => {
    const { call, wishes, asked } = repositories();
    const said = { path: 'sub', compare_to: 'main', include_unstaged: false, focus_on: 'locks' };
    const { id } = await call(stepArgs(1, said));
    const { content } = await call(stepArgs(2, { continuation_id: id, ...LAST, path: '' }), FROM_B);
    const wish = { path: '/project/sub', compareTo: 'main', staged: true, unstaged: false };
    expect(wishes).toEqual([wish, wish]);
    expect(asked[0]?.messages.at(-1)?.content).toContain('locks');
    expect(content['notices']).toBeUndefined();
  });

  test('gives a notice when a later step changes it', async () => {
    const { call, wishes } = repositories();
    const { id } = await call(stepArgs(1, { path: '/project/a' }));
    const other = { continuation_id: id, path: '/project/b', compare_to: 'main' };
    const second = await call(stepArgs(2, other));
    const notices = [
      'path is "/project/b" now, and in step 1 it was "/project/a": what is judged is not what the first step looked at.',
      'compare_to is "main" now, and in step 1 it was left out: what is judged is not what the first step looked at.',
    ];
    expect(second.content['notices']).toEqual(notices);
    const third = await call(stepArgs(3, { continuation_id: id, ...LAST }));
    expect(third.content['notices']).toEqual(notices);
    expect(wishes.at(-1)).toMatchObject({ path: '/project/b', compareTo: 'main' });
  });

  test('the repository of another folder is not judged in place of the first', async () => {
    const { call, asked } = repositories();
    const { id } = await call(stepArgs(1), { roots: ['/a'] });
    const { content } = await call(stepArgs(2, { continuation_id: id, ...LAST }), FROM_B);
    expect(namesOf(asked[0])).toEqual(['[request]', '[findings]']);
    expect(content['changes']).toBeUndefined();
    expect(noticesOf(content)).toContain('step 1 was about /a, and this call comes from /b.');
  });

  test('goes with the step when that is gone back before', async () => {
    const { call, wishes } = repositories();
    const { id } = await call(stepArgs(1, { compare_to: 'one' }));
    await call(stepArgs(2, { continuation_id: id, compare_to: 'two' }));
    await call(stepArgs(2, { continuation_id: id, backtrack_from_step: 2, ...LAST }));
    expect(wishes.map(({ compareTo }) => compareTo)).toEqual(['one', 'one']);
  });

  test('is forgotten by a first step', async () => {
    const { call, wishes } = repositories();
    const { id } = await call(stepArgs(1, { compare_to: 'one' }));
    await call(stepArgs(1, { continuation_id: id }));
    expect(wishes.map(({ compareTo }) => compareTo)).toEqual(['one', undefined]);
  });

  test('is stored once, however often it is sent, and omitted from the next call if long', async () => {
    const { call } = repositories();
    const said = { focus_on: 'x'.repeat(10_000), compare_to: 'main' };
    const { id } = await call(stepArgs(1, said));
    const { content } = await call(stepArgs(2, { continuation_id: id, ...said }));
    const thread = await opened.threads.open({ principal: 'local', id, about: '' });
    const { steps } = thread.stateOf('precommit') as { steps: readonly { fields?: object }[] };
    expect(steps.map(({ fields }) => fields)).toEqual([said, undefined]);
    const { arguments: next } = content['next_call'] as { arguments: object };
    expect(next).toMatchObject({ compare_to: 'main', severity_filter: 'all' });
    expect(next).not.toHaveProperty('focus_on');
  });

  test('counts for tools without an expert, too', async () => {
    const { call } = benchOf(docgen, opened.threads);
    const { id } = await call(
      stepArgs(1, { total_files_to_document: 2, num_files_documented: 2, document_flow: false }),
    );
    const done = await call(stepArgs(2, { continuation_id: id, ...LAST }));
    expect(done.status).toBe('documentation_analysis_complete');
    expect(done.text).toContain('2 of 2 files documented');
  });

  test('its default is listed still', () => {
    const { tool } = benchOf(precommit, opened.threads);
    const { properties, required } = tool.inputSchema as {
      properties: Record<string, object>;
      required: string[];
    };
    expect(properties['include_staged']).toEqual({ type: 'boolean', default: true });
    expect(properties['precommit_type']).toEqual({
      type: 'string',
      enum: ['external', 'internal'],
      default: 'external',
      description: 'internal: without an expert.',
    });
    expect(required).not.toContain('include_staged');
  });
});
