import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { IntakeContext } from '#core/files/file-intake.ts';
import type { Workspace } from '#core/workspace.ts';
import { intakeOver } from '../../../test/intake-over.ts';
import { readExpertFiles, requestedFiles } from './expert-files.ts';

describe('expert files', () => {
  const by = {
    caller: { principal: 'local', scopes: [], roots: ['/p'] },
    answers: {},
    clientCapabilities: [],
    signal: new AbortController().signal,
    deadline: { at: 1 },
  } as unknown as IntakeContext;

  /**
   * Returns a text for every path except those that begin with `bad`, for which the whole read
   * fails.
   */
  function workspace(text: string) {
    const calls: number[] = [];
    const read: Workspace['read'] = async (paths, field) => {
      calls.push(paths.length);
      const bad = paths.find((path) => path.startsWith('bad'));
      if (bad !== undefined) throw new CallError('permission', `${bad} is outside.`, { field });
      return { texts: paths.map((name) => ({ name, text })), notices: [] };
    };
    return { read, calls };
  }

  const paths = (count: number) => Array.from({ length: count }, (_, index) => `${index}.ts`);

  test('files that can all be read are read at once', async () => {
    const { read, calls } = workspace('x');
    const { texts } = await readExpertFiles(paths(300), intakeOver({ read }), by);
    expect([texts.length, calls]).toEqual([300, [300]]);
  });

  test('an unreadable one gives a notice, on one line, and the others are read', async () => {
    const { read } = workspace('x');
    const { texts, notices } = await readExpertFiles(
      ['bad\nname', 'a.ts'],
      intakeOver({ read }),
      by,
    );
    expect(texts.map(({ name }) => name)).toEqual(['a.ts']);
    expect(notices).toEqual([
      notice('file_not_read', {
        path: 'bad name',
        error: { message: 'bad\nname is outside.' },
      }),
    ]);
  });

  test('more than an expert can read are counted in a notice', async () => {
    const { read, calls } = workspace('x');
    const { texts, notices } = await readExpertFiles(paths(1_000), intakeOver({ read }), by);
    expect([texts.length, calls.length]).toEqual([300, 300]);
    expect(notices).toEqual([notice('expert_files_left_out', { count: 700, total: 1000 })]);
  });

  test('what is too long together ends where it is', async () => {
    const { read } = workspace('x'.repeat(9_000_000));
    const { texts, notices } = await readExpertFiles(
      ['bad', ...paths(9)],
      intakeOver({ read }),
      by,
    );
    expect(texts).toHaveLength(3);
    expect(notices).toHaveLength(2);
  });

  test('a cancelled call reads nothing', async () => {
    const controller = new AbortController();
    const gone = new CallError('cancelled', 'The call was cancelled.');
    const read: Workspace['read'] = async () => {
      controller.abort(gone);
      throw new CallError('internal', 'Stopped.');
    };
    const running = readExpertFiles(['a.ts'], intakeOver({ read }), {
      ...by,
      signal: controller.signal,
    });
    await expect(running).rejects.toBe(gone);
  });
});

describe('wanted files', () => {
  test.each([
    '.env',
    'config/.ENV.production',
    './.env:3',
    '.env/.',
    'src/../.env/',
    'file:///project/%2eenv',
    'keys\\id_rsa',
    '/home/a/.aws/credentials',
    'server.pem:1:2',
  ])('%j is not passed on, and its name is told', (path) => {
    const { files, notices } = requestedFiles(['src/a.ts', path]);
    expect(files).toEqual(['src/a.ts']);
    expect(notices).toEqual([notice('expert_wants_secrets', { files: [path], more: 0 })]);
  });

  test('what holds none is passed on as it is', () => {
    const files = ['src/a.ts:12', '.env.example', 'file:///%', 'environment.ts'];
    expect(requestedFiles(files)).toEqual({ files, notices: [] });
  });

  test('of very many only some are named', () => {
    const { files, notices } = requestedFiles(Array.from({ length: 30 }, (_, at) => `${at}/.env`));
    expect(files).toEqual([]);
    expect(notices.map(baseRenderer.notice).join()).toContain('19/.env and 10 more.');
  });
});
