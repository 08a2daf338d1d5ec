import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { checkHomeTrust } from './home-permissions.ts';
import { homePaths } from './home.ts';
import { tempHome } from '../temp-home.fixture.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

function refusalOf(root: string, account?: { uid: number; gid: number }): CallError | undefined {
  try {
    checkHomeTrust(homePaths({ EXAI_HOME: root }), account);
  } catch (thrown) {
    return CallError.from(thrown);
  }
  return undefined;
}

test('a private home, one with its files, and one that does not exist yet are accepted', () => {
  const { home, ...it } = tempHome();
  expect(refusalOf(home.root)).toBeUndefined();
  it.write('.env', '');
  it.write('config.json', '{}');
  mkdirSync(home.dataDir, { mode: 0o700 });
  expect(refusalOf(home.root)).toBeUndefined();
  expect(refusalOf(`${home.root}/later/.exai`)).toBeUndefined();
});

test('a home that other users can write is refused with its mode and the command that mends it', () => {
  const { home } = tempHome();
  chmodSync(home.root, 0o777);
  const refusal = refusalOf(home.root);
  expect(refusal).toMatchObject({ class: 'permission', field: 'EXAI_HOME' });
  expect(refusal?.message).toContain(`${home.root} can be changed by other users`);
  expect(refusal?.message).toContain('mode 0777');
  expect(refusal?.fix).toContain(`chmod go-w ${home.root}, or set EXAI_HOME`);
});

test.each(['.env', 'config.json', 'data', 'daemon.json', 'daemon.sock'])(
  '%s that other users can write is refused',
  (name) => {
    const { home } = tempHome();
    const path = `${home.root}/${name}`;
    if (name === 'data') mkdirSync(path);
    else writeFileSync(path, '');
    chmodSync(path, 0o660);
    const message = refusalOf(home.root)?.message;
    expect(message).toContain(`${path} can be changed by other users`);
    expect(message).toContain(
      name === 'data' ? 'it cannot be used as the home of EX-AI' : 'EX-AI does not use this file',
    );
  },
);

test('a home below a folder that all can write is refused, and below a sticky one accepted', () => {
  const { home } = tempHome();
  const below = `${home.root}/.exai`;
  chmodSync(home.root, 0o777);
  expect(refusalOf(below)?.fix).toContain(`chmod go-w ${home.root}`);
  chmodSync(home.root, 0o1777);
  expect(refusalOf(below)).toBeUndefined();
});

test('a home of another user is refused with the name of its owner', () => {
  const { home } = tempHome();
  // Root's files are trusted by everybody, so that root has to give the folder away to see this.
  if (isRoot) chownSync(home.root, NOBODY, NOBODY);
  const uid = isRoot ? 0 : (process.getuid?.() ?? 0) + 1;
  const refusal = refusalOf(home.root, { uid, gid: uid });
  expect(refusal?.class).toBe('permission');
  expect(refusal?.message).toMatch(/ belongs to (?:[\w.-]+ \()?uid \d+/);
  expect(refusal?.fix).toContain('Set EXAI_HOME to a folder that belongs to you');
});

test('a link to a home is checked by its real path and by the owner of the link', () => {
  const { home } = tempHome();
  const [real, link] = [`${home.root}/real`, `${home.root}/link`];
  mkdirSync(real, { mode: 0o700 });
  symlinkSync(real, link);
  expect(refusalOf(link)).toBeUndefined();
  chmodSync(real, 0o777);
  expect(refusalOf(link)?.message).toContain(`${real} can be changed`);
  chmodSync(real, 0o700);
  if (!isRoot) return;
  lchownSync(link, NOBODY, NOBODY);
  expect(refusalOf(link)?.message).toContain(`${link} belongs to`);
});
