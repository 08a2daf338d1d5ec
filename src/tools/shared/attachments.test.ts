import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import type { Workspace } from '#core/workspace.ts';
import type { LoadedFiles } from '#core/files/file-intake.ts';
import { intakeOver } from '../../../test/intake-over.ts';
import { loadAttachments } from './attachments.ts';

type Reading = Pick<Workspace, 'read'>;

/** A workspace in which every path exists with so many characters. */
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
    answers: NO_INPUT_RESPONSES,
    clientCapabilities: [],
    ...rest,
  } as Partial<ToolContext> as ToolContext;
}

const NONE = {};
const view = async (
  given: Parameters<typeof loadAttachments>[0],
  earlier: readonly string[],
  workspace: Reading,
  context = contextOf(),
) =>
  (await loadAttachments(
    given,
    { files: earlier },
    { fileIntake: intakeOver(workspace) },
    context,
  )) as LoadedFiles;

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `/work/${at}.ts`);

test('without named files nothing is read and no roots are requested', async () => {
  const texts = [{ name: 'stdin', text: 'piped' }];
  const context = contextOf({ roots: [], clientCapabilities: ['roots'] });
  const found = await view({ files: texts }, [], failing(new CallError('internal', 'x')), context);
  expect(found).toMatchObject({ texts, notices: [], media: [] });
});

test('a client that says where it works only when asked is asked, once', async () => {
  const context = contextOf({ roots: [], clientCapabilities: ['roots'] });
  const asking = await loadAttachments(
    { files: ['a.ts'] },
    { files: [] },
    { fileIntake: intakeOver(full(1)) },
    context,
  );
  expect('inputRequests' in asking && Object.values(asking.inputRequests)).toEqual([
    { is: 'roots' },
  ]);
  const [name = ''] = 'inputRequests' in asking ? Object.keys(asking.inputRequests) : [];
  const answers = { [name]: { roots: [{ uri: 'file:///home/me/app' }] } };
  const found = await view(
    { files: ['a.ts'] },
    [],
    full(1),
    contextOf({ roots: [], clientCapabilities: ['roots'], answers }),
  );
  expect(found.kept).toEqual(['/home/me/app/a.ts']);
});

test('paths are saved as absolute paths', async () => {
  const paths = ['src/a.ts', './src/a.ts', '/work/b.ts', 'file:///work/c.ts', 'a:b.ts'];
  const found = await view({ files: paths }, [], full(1));
  expect(found.kept).toEqual(['/work/src/a.ts', '/work/b.ts', 'file:///work/c.ts', '/work/a:b.ts']);
  const nowhere = await view({ files: ['a.ts'] }, [], full(1), contextOf({ roots: [] }));
  expect(nowhere.kept).toEqual(['a.ts']);
});

test('what was named earlier is read once, also when it is named again in another way', async () => {
  const workspace = full(1);
  const { texts } = await view({ files: ['a.ts'] }, ['/work/a.ts', '/work/b.ts'], workspace);
  expect(workspace.paths).toEqual(['a.ts', '/work/b.ts']);
  // Of two files with one name the last counts, which is the one of this call.
  expect(texts.map(({ name }) => name)).toEqual(['b.ts', 'a.ts']);
});

test('of many files the newest are loaded, and a notice counts the rest', async () => {
  const many = await view(NONE, numbered(250), full(1));
  expect(many.texts).toHaveLength(100);
  expect(many.notices).toEqual([notice('earlier_files_left_out', { count: 150 })]);
  const large = await view(NONE, numbered(6), full(2_000_000));
  expect(large.texts.map(({ name }) => name)).toEqual(['0.ts', '1.ts', '2.ts', '3.ts']);
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
      media: [],
      kept: [],
    });
    await expect(view({ files: ['a.ts'] }, [], workspace)).rejects.toMatchObject({
      class: errorClass,
    });
  },
);

test.each(['cancelled', 'timeout', 'internal'] as const)(
  'an error that is not about the file ends the call: %s',
  async (errorClass) => {
    const workspace = failing(new CallError(errorClass, 'No.'));
    await expect(view(NONE, ['/work/a.ts'], workspace)).rejects.toMatchObject({
      class: errorClass,
    });
  },
);
