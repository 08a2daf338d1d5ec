import { expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import type { Reader, Workspace } from '#core/workspace.ts';
import { readExpertFiles } from './expert-files.ts';

const by: Reader = {
  roots: ['/p'],
  signal: new AbortController().signal,
  deadline: { at: 1 },
};

/** Gives a text for every path but those that begin with `bad`, and fails as a whole for one of them. */
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
  const { texts } = await readExpertFiles(paths(300), { read }, by);
  expect([texts.length, calls]).toEqual([300, [300]]);
});

test('one that cannot is told, on one line, and the others are read', async () => {
  const { read } = workspace('x');
  const { texts, notices } = await readExpertFiles(['bad\nname', 'a.ts'], { read }, by);
  expect(texts.map(({ name }) => name)).toEqual(['a.ts']);
  expect(notices).toEqual([
    notice('file_not_read', {
      path: 'bad name',
      error: { message: 'bad\nname is outside.' },
    }),
  ]);
});

test('more than an expert can read are told by their number', async () => {
  const { read, calls } = workspace('x');
  const { texts, notices } = await readExpertFiles(paths(1_000), { read }, by);
  expect([texts.length, calls.length]).toEqual([300, 300]);
  expect(notices).toEqual([notice('expert_files_left_out', { count: 700, total: 1000 })]);
});

test('what is too long together ends where it is', async () => {
  const { read } = workspace('x'.repeat(9_000_000));
  const { texts, notices } = await readExpertFiles(['bad', ...paths(9)], { read }, by);
  expect(texts).toHaveLength(3);
  expect(notices).toHaveLength(2);
});

test('who has left is not read for', async () => {
  const controller = new AbortController();
  const gone = new CallError('cancelled', 'The call was cancelled.');
  const read: Workspace['read'] = async () => {
    controller.abort(gone);
    throw new CallError('internal', 'Stopped.');
  };
  const running = readExpertFiles(['a.ts'], { read }, { ...by, signal: controller.signal });
  await expect(running).rejects.toBe(gone);
});
