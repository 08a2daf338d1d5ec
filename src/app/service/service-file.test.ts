import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { homePaths } from '#config/home/home.ts';
import {
  readServiceFile,
  refuseServiceFile,
  writeServiceFile,
  type ServiceFileAction,
  type ServiceFile,
} from './service-file.ts';
import { serviceSpec } from './service-spec.ts';
import { writeUnit } from './systemd.ts';

const HOME = '/home/me/.exai';

function unitOf(home: string, node = '/usr/bin/node'): string {
  return writeUnit({ program: [node, 'serve'], home, homeIs: 'custom', stopWithinS: 40 });
}

function place(): string {
  const root = mkdtempSync(join(tmpdir(), 'exai-service-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return join(root, 'made', 'on the way', 'exai.service');
}

function thrownBy(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

const wanted = unitOf(HOME);

test.each<{ what: string; text: string; is: ServiceFile['is'] }>([
  { what: 'what would be written now', text: wanted, is: 'current' },
  { what: 'what was written for another Node.js', text: unitOf(HOME, '/old/node'), is: 'outdated' },
  { what: 'the service of another home', text: unitOf('/other'), is: 'of_another_home' },
  { what: 'a line more', text: `${wanted}Nice=5\n`, is: 'edited' },
  { what: 'another home in the note', text: wanted.replace('/me/', '/you/'), is: 'edited' },
  { what: 'no note', text: wanted.replace(/^#.*\n/gm, ''), is: 'foreign' },
  {
    what: 'a note that is cut',
    text: wanted.replace(/exai-home ".*/, 'exai-home "'),
    is: 'foreign',
  },
  { what: 'nothing', text: '', is: 'foreign' },
  { what: 'more than we would ever write', text: wanted + '#'.repeat(70_000), is: 'foreign' },
])('$what is reported as $is', ({ text, is }) => {
  const file = place();
  expect(readServiceFile(file, wanted, HOME)).toEqual({ is: 'absent' });
  writeServiceFile(file, text);
  expect(readServiceFile(file, wanted, HOME).is).toBe(is);
  expect(readdirSync(join(file, '..'))).toEqual(['exai.service']);
});

verifies('service:careful', 'a link or a folder in its place is never followed', () => {
  const file = place();
  writeServiceFile(`${file}.other`, wanted);
  symlinkSync(`${file}.other`, file);
  expect(readServiceFile(file, wanted, HOME)).toEqual({ is: 'no_file' });
  rmSync(file);
  mkdirSync(file);
  expect(readServiceFile(file, wanted, HOME)).toEqual({ is: 'no_file' });
});

test.each<{ is: ServiceFile['is']; refused: string[] }>([
  { is: 'absent', refused: [] },
  { is: 'current', refused: [] },
  { is: 'outdated', refused: [] },
  { is: 'edited', refused: ['install', 'remove'] },
  { is: 'of_another_home', refused: ['install', 'remove'] },
  { is: 'foreign', refused: ['install', 'remove', 'remove --force'] },
  {
    is: 'no_file',
    refused: ['install', 'install --force', 'remove', 'remove --force'],
  },
])('where $is stands, $refused is refused', ({ is, refused }) => {
  const deeds: ServiceFileAction[] = (['install', 'remove'] as const).flatMap((verb) => [
    { verb, force: 'never' },
    { verb, force: 'asked' },
  ]);
  const found = { is, home: '/other' } as ServiceFile;
  const outcomes = deeds.map((deed) => {
    const name = `${deed.verb}${deed.force === 'asked' ? ' --force' : ''}`;
    return { name, thrown: thrownBy(() => refuseServiceFile(found, '/f', deed)) };
  });
  const refusals = outcomes.filter(({ thrown }) => thrown !== undefined);
  expect(refusals).toEqual(
    refused.map((name) => ({
      name,
      thrown: expect.objectContaining({
        class: 'conflict',
        fix: expect.stringMatching(/\w/) as string,
      }) as Error,
    })),
  );
});

test('an unwritable folder is reported with the fix, and nothing is left', () => {
  const file = place();
  const folder = join(file, '..', '..', '..');
  chmodSync(folder, 0o555);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(1);
  try {
    expect(() => writeServiceFile(file, wanted)).toThrow(
      expect.objectContaining({
        class: 'permission',
        message: expect.stringContaining(file) as string,
      }) as Error,
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o755);
  }
  expect(existsSync(file)).toBe(false);
});

test('a folder that can never be created is an error, too', () => {
  expect(() => writeServiceFile('/proc/nowhere/exai.service', wanted)).toThrow(
    'The service file /proc/nowhere/exai.service cannot be written.',
  );
});

test('the home is passed unless it is the daemon’s default', () => {
  const specOf = (root: string, accountFolder: string | undefined) =>
    serviceSpec({
      home: homePaths({ EXAI_HOME: root }),
      program: ['/node', '/exai'],
      accountFolder,
      drainMs: 10_001,
    });
  expect(specOf('/home/me/.exai', '/home/me')).toEqual({
    program: ['/node', '/exai', 'serve'],
    home: '/home/me/.exai',
    homeIs: 'default',
    stopWithinS: 41,
  });
  expect(specOf('/home/me/.exai', '/root').homeIs).toBe('custom');
  expect(specOf('/home/me/.exai', undefined).homeIs).toBe('custom');
  expect(() => specOf('/home/a\nEnvironment=X=1', '/home/me')).toThrow(
    expect.objectContaining({ class: 'validation' }) as Error,
  );
});

test('the written file is complete and readable only by its owner', () => {
  const file = place();
  writeServiceFile(file, wanted);
  expect(readFileSync(file, 'utf8')).toBe(wanted);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
