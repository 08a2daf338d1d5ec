import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { WorkspaceBench } from '../workspace.fixture.ts';
import { createVictim, isSprung, outcomeOf, PRIVATE_LINE, trap } from './hostile.fixture.ts';

interface Trapped {
  readonly name: string;
  /** Content of `.gitattributes` as a byte string. */
  readonly attributes?: string;
  /** Added to `.git/config` as a byte string; `TRAP` is the program. */
  readonly config: string;
  readonly more?: (bench: WorkspaceBench, program: string) => void;
  /** Whether plain `git diff` runs it, which proves that the trap works. */
  readonly plain: 'springs' | 'other';
}

const TRAPS: readonly Trapped[] = [
  filter('an ordinary name', 'evil'),
  filter('an empty name', ''),
  filter('a name that is no UTF-8', 'a\xff'),
  filter('a name that is half a character', '\xe2\x82'),
  filter('a name with a dot', 'a.b.clean'),
  filter('a name with an equals sign', 'a=b'),
  filter('a name in upper case', 'EVIL'),
  {
    name: 'very many filters',
    attributes: '* filter=f499\n',
    config: Array.from({ length: 500 }, (_, at) => `[filter "f${at}"]\n\tclean = TRAP\n`).join(''),
    plain: 'springs',
  },
  {
    name: 'a filter of an included file',
    attributes: '* filter=evil\n',
    config: '[include]\n\tpath = more\n',
    more: (bench, program) => {
      bench.write('project/.git/more', `[filter "evil"]\n\tclean = ${program}\n`);
    },
    plain: 'springs',
  },
  {
    name: 'a filter of a file that is included for this branch',
    attributes: '* filter=evil\n',
    config: '[includeIf "onbranch:main"]\n\tpath = more\n',
    more: (bench, program) => {
      bench.write('project/.git/more', `[filter "evil"]\n\tclean = ${program}\n`);
    },
    plain: 'springs',
  },
  {
    name: 'a filter of config.worktree',
    attributes: '* filter=evil\n',
    config: '[extensions]\n\tworktreeConfig = true\n',
    more: (bench, program) => {
      bench.write('project/.git/config.worktree', `[filter "evil"]\n\tprocess = ${program}\n`);
    },
    plain: 'springs',
  },
  {
    name: 'a filter that info/attributes chooses',
    config: '[filter ""]\n\tclean = TRAP\n',
    more: (bench) => {
      bench.write('project/.git/info/attributes', '* filter=\n');
    },
    plain: 'springs',
  },
  setting('core.fsmonitor', '[core]\n\tfsmonitor = TRAP\n', 'springs'),
  setting('diff.external', '[diff]\n\texternal = TRAP\n', 'springs'),
  setting('a textconv without a name', '[diff ""]\n\ttextconv = TRAP\n', 'springs', '* diff=\n'),
  setting('a diff command', '[diff "a\xff"]\n\tcommand = TRAP\n', 'springs', '* diff=a\xff\n'),
  setting('core.alternateRefsCommand', '[core]\n\talternateRefsCommand = TRAP\n', 'other'),
  setting('core.gitProxy', '[core]\n\tgitProxy = TRAP\n', 'other'),
  setting('gpg.program', '[gpg]\n\tprogram = TRAP\n[log]\n\tshowSignature = true\n', 'other'),
  setting('a merge driver', '[merge "evil"]\n\tdriver = TRAP\n', 'other', '* merge=evil\n'),
  setting('an alias', '[alias]\n\tdiff = !TRAP\n\tls-files = !TRAP\n', 'other'),
  setting('hooks', '[core]\n\thooksPath = ../traps\n', 'other'),
  setting('trace2 to a program', '[trace2]\n\tnormalTarget = TRAP\n', 'other'),
];

function filter(name: string, value: string): Trapped {
  const config = `[filter "${value}"]\n\tclean = TRAP\n\tprocess = TRAP\n`;
  return { name: `filter: ${name}`, attributes: `* filter=${value}\n`, config, plain: 'springs' };
}

function setting(
  name: string,
  config: string,
  plain: Trapped['plain'],
  attributes?: string,
): Trapped {
  return { name, config, plain, ...(attributes !== undefined && { attributes }) };
}

function lay(
  bench: WorkspaceBench,
  { attributes, config, more }: Omit<Trapped, 'name' | 'plain'>,
): void {
  const program = trap(bench, 'own');
  const path = join(bench.root, '.git/config');
  const before = readFileSync(path, 'latin1');
  writeFileSync(path, before + config.replaceAll('TRAP', program), 'latin1');
  // Outside the work tree, so that the expected change stays the only one.
  if (attributes !== undefined) {
    writeFileSync(join(bench.root, '.gitattributes'), attributes, 'latin1');
    bench.write('project/.git/info/exclude', '.gitattributes\n');
  }
  more?.(bench, program);
}

test.each(TRAPS)('runs nothing: $name', async ({ plain, ...trapped }) => {
  const bench = createVictim();
  lay(bench, trapped);
  for (const compareTo of [undefined, 'HEAD', 'HEAD~1']) {
    const { said, changes } = await outcomeOf(bench, { compareTo });
    expect([changes?.files.map(({ path }) => path), said]).toEqual([['a.ts'], expect.any(String)]);
    expect(changes?.diffs[0]?.text).toContain('\n+changed\n');
  }
  expect(isSprung(bench, 'own')).toBe(false);
  if (plain === 'other') return;
  try {
    bench.git(bench.root, 'diff');
  } catch {
    // Git may reject the trap's output.
  }
  expect(isSprung(bench, 'own')).toBe(true);
});

verifies(
  'security:repository-config',
  'settings that are changed over and over while they are read run nothing',
  async () => {
    const bench = createVictim();
    const config = join(bench.root, '.git/config');
    const harmless = readFileSync(config, 'utf8');
    const evil = `${harmless}[filter "evil"]\n\tclean = ${trap(bench, 'own')}\n[core]\n\tfsmonitor = ${trap(bench, 'own')}\n`;
    bench.write('project/.gitattributes', '* filter=evil\n');
    bench.write('good', harmless);
    bench.write('evil', evil);
    const loop = `while cp ../evil .git/c && mv .git/c .git/config && cp ../good .git/c && mv .git/c .git/config; do :; done`;
    const flipping = spawn('sh', ['-c', loop], { cwd: bench.root, stdio: 'ignore' });
    try {
      for (let round = 0; round < 5; round++) {
        expect(await outcomeOf(bench)).toMatchObject({ is: 'shown' });
      }
    } finally {
      flipping.kill('SIGKILL');
      await once(flipping, 'close');
    }
    expect(isSprung(bench, 'own')).toBe(false);
  },
);

test('a forged index names nothing outside the repository', async () => {
  for (const name of ['../private/secret.txt', 'sub/../../private/x', '.git/config']) {
    const bench = createVictim();
    bench.write('private/x', PRIVATE_LINE);
    const placeholder = 'x'.repeat(name.length);
    bench.write(`project/${placeholder}`, 'x\n');
    bench.git(bench.root, 'add', placeholder);
    rename(join(bench.root, '.git/index'), placeholder, name);
    const { is, said } = await outcomeOf(bench);
    expect([name, is]).toEqual([name, 'tool_error']);
    expect(said).not.toContain(PRIVATE_LINE);
  }
});

/** Writes another path of the same length into an index, with a matching checksum. */
function rename(index: string, from: string, to: string): void {
  const bytes = readFileSync(index).subarray(0, -20);
  bytes.write(to, bytes.indexOf(from), 'latin1');
  const whole = Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
  writeFileSync(`${index}.new`, whole);
  renameSync(`${index}.new`, index);
}
