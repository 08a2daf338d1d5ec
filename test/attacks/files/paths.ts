import { basename, join } from 'node:path';
import type { Traps } from './prepare.ts';

/**
 * A way to something that may not be read, and the same way to what is not there: both have to be
 * answered alike.
 */
export interface OutsidePath {
  readonly path: string;
  readonly missing: string;
}

/** Ways out of a root. */
export function outsidePaths(root: string, traps: Traps): readonly OutsidePath[] {
  const { outside, user, state } = traps;
  const secret = join(outside, 'secret.txt');
  const gone = join(outside, 'missing.txt');
  const pair = (path: string, missing: string): OutsidePath => ({ path, missing });
  const both = (form: (path: string) => string): OutsidePath => pair(form(secret), form(gone));
  const up = '../../../../../../../../../../../../..';
  return [
    both((path) => path),
    both((path) => `${path}/`),
    both((path) => `/${path}`),
    both((path) => `//${path}`),
    both((path) => path.replaceAll('/', '//')),
    both((path) => path.replace('/outside/', '/./outside/../outside/')),
    both((path) => `${root}/../../outside/${basename(path)}`),
    both((path) => `../../outside/${basename(path)}`),
    both((path) => `deep/../../../outside/${basename(path)}`),
    both((path) => `${up}${path}`),
    both((path) => `to-folder/${basename(path)}`),
    both((path) => `to-folder/../outside/${basename(path)}`),
    both((path) => `to-root${path}`),
    both((path) => `${root}/to-root${path}`),
    both((path) => `to-cwd/../..${path}`),
    both((path) => `/proc/self/root${path}`),
    both((path) => `/proc/thread-self/root${path}`),
    both((path) => `/proc/1/root${path}`),
    both((path) => `/proc/self/cwd/${path}`),
    both((path) => `file://${path}`),
    both((path) => `file://localhost${path}`),
    both((path) => `FILE://${path}`),
    both((path) => `file:${path}`),
    both((path) => `file://${root}/%2e%2e/%2e%2e/outside/${basename(path)}`),
    both((path) => `file://${root}/..%2e/../../outside/${basename(path)}`),
    both((path) => `file://${root}/to-folder/${basename(path)}`),
    both((path) => `file://${path.replace('outside', '%6futside')}`),
    pair('to-file', 'to-missing'),
    pair('./to-file', './to-missing'),
    pair('deep/../to-file', 'deep/../to-missing'),
    pair('to-relative', 'to-relative-missing'),
    pair('to-proc', 'to-proc-missing'),
    pair(`${root}/to-file`, `${root}/to-missing`),
    pair(`file://${root}/to-file`, `file://${root}/to-missing`),
    pair('to-file', 'cafe\u0301.txt'),
    pair('chain-1', 'to-missing'),
    pair('to-folder', 'to-folder/none'),
    pair('to-user/notes.txt', 'to-user/missing.txt'),
    pair('to-user/.ssh/id_ed25519', 'to-user/.ssh/id_none'),
    pair('../project-other/secret.txt', '../project-other/missing.txt'),
    pair(`${root}-other/secret.txt`, `${root}-other/missing.txt`),
    pair(join(user, '.ssh', 'id_ed25519'), join(user, '.ssh', 'id_none')),
    pair(user, `${user}-none`),
    pair(outside, `${outside}-none`),
    pair('/etc/passwd', '/etc/no-such-file'),
    pair('/etc/shadow', '/etc/no-such-file'),
    pair('/root/.bashrc', '/root/none/none'),
    pair('/dev/zero', '/dev/no-such-device'),
    pair('/dev/stdin', '/dev/no-such-device'),
    pair('/proc/self/environ', '/proc/self/none'),
    pair('/proc/self/mem', '/proc/self/none'),
    pair('/sys/kernel/notes', '/sys/kernel/none'),
    pair('to-environ', 'to-missing'),
    pair('to-zero', 'to-missing'),
    pair('to-random', 'to-missing'),
    pair('to-stdin', 'to-missing'),
    // Where keys and conversations are kept: closed, though the settings allow what is around it.
    pair(join(state, '.env'), join(state, 'none')),
    pair(join(state, 'config.json'), join(state, 'none.json')),
    pair(join(state, 'data'), join(state, 'none')),
    pair(join(state, 'logs'), join(state, 'none')),
    pair(join(state, 'daemon.sock'), join(state, 'none.sock')),
    pair('to-state/.env', 'to-state/none'),
    pair(`${outside}/to-state/.env`, `${outside}/to-state/none`),
  ];
}

/** What is refused though it is within the root, or is no path at all. */
export function oddPaths(root: string): readonly string[] {
  return [
    '',
    ' ',
    '\0',
    'own.txt\0',
    `own.txt\0${root}`,
    '/etc/passwd\0.txt',
    'file:///etc/passwd%00.txt',
    'file://other/etc/passwd',
    'file:///etc%2Fpasswd',
    'file:///etc/passwd?x',
    'file:///etc/passwd#x',
    'pipe',
    'socket',
    'sparse.txt',
    'binary.bin',
    'loop-1',
    'loop-1/x',
    'own.txt/x',
    'own.txt/../own.txt/x',
    '%2e%2e/%2e%2e/outside/secret.txt',
    '..%2f..%2foutside%2fsecret.txt',
    '%252e%252e/outside/secret.txt',
    '..\\..\\outside\\secret.txt',
    '．．/．．/outside/secret.txt',
    '․․/․․/outside/secret.txt',
    '..∕..∕outside∕secret.txt',
    '..\u2215..\u2215outside\u2215secret.txt',
    '..\u200b/..\u200b/outside/secret.txt',
    '\u202e../outside/secret.txt',
    'caf\u00e9.txt',
    'C:\\Windows\\win.ini',
    'C:/Windows/win.ini',
    'c:own.txt',
    '\\\\server\\share\\secret.txt',
    '\\\\?\\C:\\secret.txt',
    '\\\\.\\pipe\\x',
    'CON',
    'own.txt::$DATA',
    '~',
    '~/notes.txt',
    '~root/.bashrc',
    '$HOME/notes.txt',
    '`id`',
    '$(id)',
    '-rf',
    '--help',
    'http://127.0.0.1/',
    'https://example.com/own.txt',
    'data:text/plain;base64,not base64',
    'exai://nothing',
    'x'.repeat(255),
    'x'.repeat(256),
    'x/'.repeat(2_000),
    'x'.repeat(5_000),
    '../'.repeat(1_300),
    `${'deep/../'.repeat(400)}to-file`,
  ];
}

/** Folders that a client may name as its own and that must open nothing outside. */
export function hostileRoots({ user, top, state, outside, project }: Traps): readonly string[] {
  return [
    '/',
    '//',
    '/.',
    '/proc/self/root',
    '/proc',
    '/proc/self/cwd',
    '/sys',
    user,
    `${user}/`,
    `${user}/.`,
    `${project}/..`,
    top,
    join(top, '..'),
    state,
    join(outside, 'to-user'),
    join(outside, 'to-root'),
    join(outside, 'to-state'),
    `${project}\0`,
    'user/project',
    '.',
    '~',
    '',
    `/${'x'.repeat(5_000)}`,
    `${user}/notes.txt`,
  ];
}
