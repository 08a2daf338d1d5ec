import { expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { NO_ANSWERS } from '#core/question.ts';
import type { ToolContext } from '#core/tool.ts';
import type { Workspace } from '#core/workspace.ts';
import { filesInView, type FilesInView } from './files-in-view.ts';

type Reading = Pick<Workspace, 'read'>;

/** Everything that is named is there, and has so many characters. */
function full(chars: number): Reading & { readonly paths: string[] } {
  const paths: string[] = [];
  return {
    paths,
    async read(named) {
      paths.push(...named);
      return { texts: named.map((name) => ({ name, text: 'x'.repeat(chars) })), notices: [] };
    },
  };
}

const failing = (error: CallError): Reading => ({ read: () => Promise.reject(error) });

function contextOf(more: Partial<ToolContext> & { roots?: readonly string[] } = {}): ToolContext {
  const { roots = ['/work'], ...rest } = more;
  return {
    caller: { principal: 'local', scopes: ['*'], roots },
    deadline: { at: Infinity },
    signal: new AbortController().signal,
    answers: NO_ANSWERS,
    askable: [],
    ...rest,
  } as Partial<ToolContext> as ToolContext;
}

const NONE = { paths: [], texts: [] };
const view = async (
  given: Parameters<typeof filesInView>[0],
  earlier: readonly string[],
  workspace: Reading,
  context = contextOf(),
) => (await filesInView(given, earlier, workspace, context)) as FilesInView;

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `/work/${at}.ts`);

test('where nothing is named nothing is read, and nobody is asked for folders', async () => {
  const texts = [{ name: 'stdin', text: 'piped' }];
  const context = contextOf({ roots: [], askable: ['roots'] });
  const found = await view(
    { paths: [], texts },
    [],
    failing(new CallError('internal', 'x')),
    context,
  );
  expect(found).toEqual({ texts, notices: [], paths: [] });
});

test('a client that says where it works only when asked is asked, once', async () => {
  const context = contextOf({ roots: [], askable: ['roots'] });
  const asking = await filesInView({ paths: ['a.ts'], texts: [] }, [], full(1), context);
  expect('asks' in asking && Object.values(asking.asks)).toEqual([{ is: 'roots' }]);
  const [name = ''] = 'asks' in asking ? Object.keys(asking.asks) : [];
  const answers = { [name]: { roots: [{ uri: 'file:///home/me/app' }] } };
  const found = await view(
    { paths: ['a.ts'], texts: [] },
    [],
    full(1),
    contextOf({ roots: [], askable: ['roots'], answers }),
  );
  expect(found.paths).toEqual(['/home/me/app/a.ts']);
});

test('paths are kept so that they mean the same from elsewhere', async () => {
  const paths = ['src/a.ts', './src/a.ts', '/work/b.ts', 'file:///work/c.ts', 'a:b.ts'];
  const found = await view({ paths, texts: [] }, [], full(1));
  expect(found.paths).toEqual([
    '/work/src/a.ts',
    '/work/b.ts',
    'file:///work/c.ts',
    '/work/a:b.ts',
  ]);
  const nowhere = await view({ paths: ['a.ts'], texts: [] }, [], full(1), contextOf({ roots: [] }));
  expect(nowhere.paths).toEqual(['a.ts']);
});

test('what was named earlier is read once, also when it is named again in another way', async () => {
  const workspace = full(1);
  const { texts } = await view(
    { paths: ['a.ts'], texts: [] },
    ['/work/a.ts', '/work/b.ts'],
    workspace,
  );
  expect(workspace.paths).toEqual(['a.ts', '/work/b.ts']);
  // Of two with one name the last counts, and that is what was named now.
  expect(texts.map(({ name }) => name)).toEqual(['/work/b.ts', 'a.ts']);
});

test('of many the newest are in view, and the rest is told', async () => {
  const many = await view(NONE, numbered(250), full(1));
  expect(many.texts).toHaveLength(100);
  expect(many.notices).toEqual([notice('earlier_files_left_out', { count: 150 })]);
  const large = await view(NONE, numbered(6), full(2_000_000));
  expect(large.texts.map(({ name }) => name)).toEqual(numbered(4));
  expect(large.notices).toHaveLength(1);
});

test.each(['not_found', 'permission', 'too_large', 'validation'] as const)(
  'one of earlier that is %s is a notice; one that is named now fails',
  async (errorClass) => {
    const workspace = failing(new CallError(errorClass, 'It cannot be read.'));
    const found = await view(NONE, ['/work/a\nb.ts'], workspace);
    expect(found).toEqual({
      texts: [],
      notices: [
        notice('earlier_file_lost', {
          path: '/work/a b.ts',
          error: { message: 'It cannot be read.' },
        }),
      ],
      paths: [],
    });
    await expect(view({ paths: ['a.ts'], texts: [] }, [], workspace)).rejects.toMatchObject({
      class: errorClass,
    });
  },
);

test.each(['cancelled', 'timeout', 'internal'] as const)(
  'what is no matter of the file ends the call: %s',
  async (errorClass) => {
    const workspace = failing(new CallError(errorClass, 'No.'));
    await expect(view(NONE, ['/work/a.ts'], workspace)).rejects.toMatchObject({
      class: errorClass,
    });
  },
);
