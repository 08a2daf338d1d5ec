import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { resolveChatFile } from './attach-file.ts';

function folders() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exai-chat-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [user, project, exai] = ['user', 'project', 'exai'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [user, project, exai]) mkdirSync(folder);
  writeFileSync(join(project, 'my notes.txt'), 'near');
  writeFileSync(join(user, 'far.txt'), 'far');
  writeFileSync(join(user, 'picture.png'), Buffer.from([0x89, 0x50, 0xff]));
  writeFileSync(join(user, 'zero.bin'), 'a\0b');
  writeFileSync(join(exai, '.env'), 'KEY=secret');
  return { user, project, exai, env: { HOME: user, USERPROFILE: user, EXAI_HOME: exai } };
}

test('what lies where the chat was started is named to the daemon, however it is quoted', () => {
  const { project, env } = folders();
  const path = join(project, 'my notes.txt');
  for (const given of ['my notes.txt', "'my notes.txt'", '"./my notes.txt"', 'my\\ notes.txt']) {
    expect(resolveChatFile(given, { cwd: project, env })).toBe(path);
  }
  expect(resolveChatFile('.', { cwd: project, env })).toBe(project);
});

test('a file elsewhere is read here, and so is one where the daemon opens no folder', () => {
  const { user, project, env } = folders();
  const far = { name: join(user, 'far.txt'), text: 'far' };
  expect(resolveChatFile('~/far.txt', { cwd: project, env })).toEqual(far);
  expect(resolveChatFile('../user/far.txt', { cwd: project, env })).toEqual(far);
  expect(resolveChatFile('far.txt', { cwd: user, env })).toEqual(far);
});

test('what EX-AI keeps for itself is never read here', () => {
  const { project, exai, env } = folders();
  expect(resolveChatFile(join(exai, '.env'), { cwd: project, env })).toBe(join(exai, '.env'));
});

test('what cannot be a text is refused at once, with what to do', () => {
  const { user, project, env } = folders();
  const refusals: [string, string, string][] = [
    ['nope.txt', 'not_found', 'No such file or folder'],
    ['~', 'permission', 'is a folder outside of the one you chat in.'],
    ['~/picture.png', 'validation', 'is not UTF-8 text.'],
    ['~/zero.bin', 'validation', 'is not UTF-8 text.'],
    ['/dev/null', 'validation', 'is not a readable file.'],
    ['a\0b', 'validation', 'is not a path.'],
  ];
  for (const [given, errorClass, words] of refusals) {
    expect(() => resolveChatFile(given, { cwd: project, env })).toThrow(
      expect.objectContaining({
        class: errorClass,
        message: expect.stringContaining(words) as string,
        fix: expect.any(String) as string,
      }),
    );
  }
  writeFileSync(join(user, 'big.txt'), 'x'.repeat(10_000_001));
  expect(() => resolveChatFile('~/big.txt', { cwd: project, env })).toThrow(
    'is larger than 10 MB.',
  );
});
