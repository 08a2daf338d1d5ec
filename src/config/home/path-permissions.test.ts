import { expect, test } from 'vitest';
import {
  checkOwnership,
  resolveTrusted,
  type Account,
  type FileLook,
  type Ownership,
  type PathRole,
  type TrustFault,
} from './path-permissions.ts';

const ALICE: Account = { uid: 1000, gid: 1000 };
const BOB = 1001;
const FOLDER = 0o040000;
const LINK = 0o120777;

const folder = (uid: number, mode = 0o755, gid = uid): Ownership => ({
  uid,
  gid,
  mode: FOLDER | mode,
});
const link = (uid: number): Ownership => ({ uid, gid: uid, mode: LINK });

test.each<[string, Ownership, PathRole, TrustFault | undefined]>([
  ['a private home', folder(1000, 0o700), 'own', undefined],
  ['a home that others may read', folder(1000, 0o755), 'own', undefined],
  ['a home of root', folder(0, 0o755), 'own', undefined],
  ['a home of another user', folder(BOB, 0o700), 'own', 'foreign'],
  ['a home that all may write', folder(1000, 0o777), 'own', 'writable'],
  ['a home like /tmp', folder(0, 0o1777), 'own', 'writable'],
  ['a home that its group may write', folder(1000, 0o770), 'own', 'writable'],
  ['a folder above of root', folder(0, 0o755), 'container', undefined],
  ['a folder above of another user', folder(BOB, 0o755), 'container', 'foreign'],
  ['/tmp above', folder(0, 0o1777), 'container', undefined],
  ['a sticky folder of another user above', folder(BOB, 0o1777), 'container', 'foreign'],
  ['a folder above that all may write', folder(0, 0o777), 'container', 'writable'],
  ['a folder above that a group may write', folder(0, 0o775, 50), 'container', 'writable'],
  ["a folder above that root's group may write", folder(0, 0o775, 0), 'container', undefined],
  ["a folder above that the user's group may write", folder(1000, 0o775), 'container', undefined],
  ['a link of the user', link(1000), 'link', undefined],
  ['a link of root', link(0), 'link', undefined],
  ['a link of another user', link(BOB), 'link', 'foreign'],
])('%s: %j as %s gives %s', (_, found, role, fault) => {
  expect(checkOwnership(found, role, ALICE)).toBe(fault);
});

test('root trusts only root', () => {
  const root = { uid: 0, gid: 0 };
  expect(checkOwnership(folder(1000, 0o700), 'own', root)).toBe('foreign');
  expect(checkOwnership(folder(0, 0o700), 'own', root)).toBeUndefined();
});

test('the group of many users is not a private one', () => {
  const shared = { uid: 1000, gid: 100 };
  expect(checkOwnership(folder(1000, 0o775, 100), 'container', shared)).toBe('writable');
});

test('where root has no number, as in a sandbox, its folders on the way are accepted, and a home is not', () => {
  const sandboxed = { ...ALICE, unmappedUid: 65534 };
  expect(checkOwnership(folder(65534), 'container', sandboxed)).toBeUndefined();
  expect(checkOwnership(folder(65534, 0o700), 'own', sandboxed)).toBe('foreign');
  expect(checkOwnership(folder(65534), 'container', ALICE)).toBe('foreign');
});

/** A machine in which only these paths exist. */
function machine(
  paths: Record<string, Ownership>,
  targets: Record<string, string> = {},
): FileLook & { readonly looked: string[] } {
  const looked: string[] = [];
  return {
    looked,
    status(path) {
      looked.push(path);
      return paths[path];
    },
    target: (path) => targets[path] ?? '',
  };
}

const HOME = {
  '/home': folder(0),
  '/home/alice': folder(1000, 0o750),
  '/home/alice/.exai': folder(1000, 0o700),
};

test('a usual home is trusted with one look at each step', () => {
  const files = machine(HOME);
  expect(resolveTrusted('', '/home/alice/.exai', ALICE, files)).toEqual({
    is: 'trusted',
    path: '/home/alice/.exai',
  });
  expect(files.looked).toEqual(['/home', '/home/alice', '/home/alice/.exai']);
});

test('what does not exist is absent', () => {
  expect(resolveTrusted('', '/home/alice/.exai/daemon.sock', ALICE, machine(HOME))).toEqual({
    is: 'absent',
  });
});

test('nothing below a folder of another user is looked at', () => {
  const files = machine({ '/tmp': folder(0, 0o1777), '/tmp/exai': folder(BOB) });
  expect(resolveTrusted('', '/tmp/exai/home', ALICE, files)).toMatchObject({
    is: 'untrusted',
    path: '/tmp/exai',
    fault: 'foreign',
  });
  expect(files.looked).toEqual(['/tmp', '/tmp/exai']);
});

test.each([
  ['absolute', '/home/alice/.exai'],
  ['relative', '../home/alice/.exai'],
])('a link of the user is followed to the real path: %s', (_, target) => {
  const files = machine(
    { ...HOME, '/': folder(0), '/tmp': folder(0, 0o1777), '/tmp/link': link(1000) },
    { '/tmp/link': target },
  );
  expect(resolveTrusted('', '/tmp/link', ALICE, files)).toEqual({
    is: 'trusted',
    path: '/home/alice/.exai',
  });
});

test('a link of another user is refused, although it leads to the own home', () => {
  const files = machine(
    { ...HOME, '/tmp': folder(0, 0o1777), '/tmp/link': link(BOB) },
    { '/tmp/link': '/home/alice/.exai' },
  );
  expect(resolveTrusted('', '/tmp/link', ALICE, files)).toMatchObject({
    is: 'untrusted',
    path: '/tmp/link',
    fault: 'foreign',
  });
});

test('a link of the user that leads through a link of another user is refused', () => {
  const files = machine(
    {
      ...HOME,
      '/tmp': folder(0, 0o1777),
      '/home/alice/.config': link(1000),
      '/tmp/next': link(BOB),
    },
    { '/home/alice/.config': '/tmp/next', '/tmp/next': '/home/alice/.exai' },
  );
  expect(resolveTrusted('', '/home/alice/.config', ALICE, files)).toMatchObject({
    is: 'untrusted',
    path: '/tmp/next',
  });
});

test('a target that ends with .. is checked as the home', () => {
  const files = machine(
    {
      '/home': folder(0),
      '/home/alice': folder(1000),
      '/home/alice/l': link(1000),
      '/srv': folder(0),
      '/srv/open': folder(1000, 0o1777),
      '/srv/open/sub': folder(1000),
    },
    { '/home/alice/l': '/srv/open/sub/..' },
  );
  expect(resolveTrusted('', '/home/alice/l', ALICE, files)).toMatchObject({
    is: 'untrusted',
    path: '/srv/open',
    fault: 'writable',
  });
});

test('links that lead to each other end', () => {
  const files = machine({ '/a': link(1000), '/b': link(1000) }, { '/a': '/b', '/b': '/a' });
  expect(resolveTrusted('', '/a', ALICE, files)).toEqual({ is: 'absent' });
});
