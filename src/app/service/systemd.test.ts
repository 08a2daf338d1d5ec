import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { readMark } from './service-file.ts';
import type { ServiceSpec } from './service-spec.ts';
import { parseUnit } from './systemd-parse.fixture.ts';
import { writeUnit } from './systemd.ts';

const SPEC: ServiceSpec = {
  program: ['/usr/bin/node', '/opt/exai/bin/exai.cjs', 'serve'],
  home: '/home/me/.exai',
  homeIs: 'default',
  stopWithinS: 40,
};

const NASTY = String.raw`/a b/%h 100%/$HOME ${'$'}{y}$y $$/it's "quoted"\back\n;#é漢/x`;
const BY_SHELL = ['/bin/sh', '-c', 'exec "$0" "$@"'];

verifies(
  'service:units',
  'the unit runs the daemon at login, again after a failure, and lets it finish',
  () => {
    const { command, environment, settings } = parseUnit(writeUnit(SPEC));
    expect({ command, environment, settings }).toEqual({
      command: SPEC.program,
      environment: {},
      settings: {
        'Unit.Description': 'EX-AI, one local endpoint for AI clients',
        'Unit.StartLimitIntervalSec': '300',
        'Unit.StartLimitBurst': '5',
        'Service.Restart': 'on-failure',
        'Service.RestartSec': '2',
        'Service.RestartPreventExitStatus': '2 3 5 7 22',
        'Service.KillMode': 'mixed',
        'Service.TimeoutStopSec': '40',
        'Service.LimitCORE': '0',
        'Install.WantedBy': 'default.target',
      },
    });
  },
);

test('a home other than the default is passed, and nothing else of the environment', () => {
  const { environment } = parseUnit(writeUnit({ ...SPEC, home: NASTY, homeIs: 'custom' }));
  expect(environment).toEqual({ EXAI_HOME: NASTY });
});

test('a program name that systemd does not accept is started by the shell', () => {
  const { command } = parseUnit(writeUnit({ ...SPEC, program: [NASTY, NASTY, 'serve'] }));
  expect(command).toEqual([...BY_SHELL, NASTY, NASTY, 'serve']);
  const { stdout } = spawnSync('/bin/sh', [...BY_SHELL.slice(1), '/bin/echo', NASTY], {
    encoding: 'utf8',
  });
  expect(stdout).toBe(`${NASTY}\n`);
});

verifies('service:units', 'any path survives the quoting, as program, argument and home', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '%',
      '%h',
      '$',
      '${y}',
      '$y',
      '$$',
      '\\',
      '"',
      "'",
      ' ',
      ';',
      '#',
      '@',
      '-',
      '=',
    ),
    fc.string({ unit: 'grapheme' }),
  );
  const path = fc
    .array(piece, { maxLength: 12 })
    .map((parts) => `/${parts.join('').replaceAll(/\p{Cc}/gu, '')}`)
    .filter((each) => each.isWellFormed());
  fc.assert(
    fc.property(path, path, path, (node, script, home) => {
      const text = writeUnit({ ...SPEC, program: [node, script, 'serve'], home, homeIs: 'custom' });
      const { command, environment } = parseUnit(text);
      expect(command.slice(command[0] === '/bin/sh' ? 3 : 0)).toEqual([node, script, 'serve']);
      expect(environment).toEqual({ EXAI_HOME: home });
      expect(readMark(text)).toEqual({ home, isEdited: false });
    }),
  );
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasSystemd).each([
  { kind: 'a plain', folder: 'plain' },
  { kind: 'a hard', folder: 'a b %h 100% $HOME ${y} $$ it\'s "quoted" \\back;#é漢' },
])('systemd itself has nothing to say against the unit of $kind path', ({ folder }) => {
  const root = mkdtempSync(join(tmpdir(), 'exai-unit-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const node = join(root, folder, 'node');
  mkdirSync(dirname(node));
  copyFileSync('/bin/true', node);
  const file = join(root, 'exai.service');
  const home = join(root, folder);
  const program = [node, join(root, folder, 'exai.cjs'), 'serve'] as const;
  writeFileSync(file, writeUnit({ ...SPEC, program, home, homeIs: 'custom' }));
  const { status, stdout, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', '--user', '--man=no', file],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: root, XDG_RUNTIME_DIR: root } },
  );
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});
