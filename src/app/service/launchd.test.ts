import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { acquireProcessLock } from '#store/sqlite/process-lock.ts';
import { verifies } from '../../../test/verifies.ts';
import { writeDaemonFile } from '../daemon/daemon-file.ts';
import { systemClock } from '../system.ts';
import { fakePrograms, type FakeProgramOutput } from './fake-programs.fixture.ts';
import { installService } from './install-service.ts';
import { readLaunchdState, writePlist } from './launchd.ts';
import { removeService } from './remove-service.ts';
import { readMark } from './service-file.ts';
import type { ServiceSpec } from './service-spec.ts';
import { serviceStatus } from './service-status.ts';
import { createServiceContext, settingsLeftBehind } from './service-context.ts';

describe('launchd', () => {
  const uid = process.getuid?.() ?? 0;
  const target = `gui/${uid}/exai.daemon`;
  const LATER = { force: 'never', start: 'at_login' } as const;

  function tempHome(): string {
    const root = mkdtempSync(join(tmpdir(), 'exai-launchd-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    return root;
  }

  function contextOf(root: string, path: string, platform = 'darwin') {
    return createServiceContext({
      env: { HOME: root, EXAI_HOME: join(root, '.exai'), PATH: path, GLM_API_KEY: 'some.key0001' },
      platform,
      program: ['/usr/bin/node', '/opt/exai.cjs'],
      clock: systemClock,
      token: '',
      onWait: () => undefined,
    });
  }

  verifies(
    'service:units',
    'a launch agent is written, loaded and inspected, each by a program with arguments only',
    async () => {
      const root = tempHome();
      let loaded: 'loaded' | 'not' = 'not';
      const held: { release(): void }[] = [];
      onTestFinished(() => held.forEach((lock) => lock.release()));
      const launchctl = (_: string, [verb]: readonly string[]): FakeProgramOutput => {
        if (verb === 'bootstrap') {
          loaded = 'loaded';
          held.push(becomeDaemon(join(root, '.exai')));
        }
        if (verb === 'bootout') loaded = 'not';
        if (verb === 'print') {
          const shown = `${target} = {\n\tstate = running\n\n\tpid = ${process.pid}\n}\n`;
          return loaded === 'loaded' ? { stdout: shown } : { code: 113, stderr: 'Could not find' };
        }
        return {};
      };
      const { path, calls, variables } = await fakePrograms(['launchctl'], launchctl);
      const file = join(root, 'Library', 'LaunchAgents', 'exai.daemon.plist');
      const later = await installService(contextOf(root, path), LATER);
      expect(later).toEqual({ file, change: 'written', enabled: true });
      expect(calls.splice(0)).toEqual([
        `launchctl print-disabled gui/${uid}`,
        `launchctl enable ${target}`,
      ]);
      expect(readFileSync(file, 'utf8')).toContain(`<string>${join(root, '.exai')}</string>`);
      expect(readFileSync(file, 'utf8')).not.toContain('some.key0001');

      const now = await installService(contextOf(root, path), { force: 'never', start: 'now' });
      expect(now).toMatchObject({ change: 'none', enabled: true, daemon: { pid: process.pid } });
      expect(calls.splice(0)).toContain(`launchctl bootstrap gui/${uid} ${file}`);
      const again = await installService(contextOf(root, path), { force: 'never', start: 'now' });
      expect(again).toEqual({ ...now, change: 'none' });
      expect(calls.splice(0).filter((call) => /boot/.test(call))).toEqual([]);
      expect(await serviceStatus(contextOf(root, path))).toMatchObject({
        found: { is: 'current' },
        state: { enabled: true, is: 'running', pid: process.pid },
        runs: 'as_service',
      });
      expect(new Set(variables.flat())).toEqual(new Set(['PATH', 'HOME', 'LC_ALL']));
    },
  );

  verifies(
    'service:careful',
    'a launch agent whose session cannot be reached is written, and the commands are returned',
    async () => {
      const root = tempHome();
      const { path } = await fakePrograms(['launchctl'], () => ({
        code: 125,
        stderr: 'Domain does not support specified action\n',
      }));
      const context = contextOf(root, path);
      const { file } = context.manager;
      expect(await installService(context, { force: 'never', start: 'now' })).toMatchObject({
        change: 'written',
        enabled: false,
        trouble: {
          error: {
            class: 'tool_error',
            message:
              'launchctl print-disabled failed with code 125: Domain does not support specified action',
          },
          commands: [`launchctl enable ${target}`, `launchctl bootstrap gui/${uid} ${file}`],
        },
      });
      const removed = await removeService(context, 'never');
      expect(removed).toMatchObject({
        was: 'removed',
        trouble: { commands: [`launchctl bootout ${target}`] },
      });
      expect(existsSync(file)).toBe(false);
      expect(await removeService(context, 'never')).toEqual({ file, was: 'absent' });
    },
  );

  test('the output of launchctl is parsed as far as possible', () => {
    const shown = (stdout: string, code = 0) => ({ code, stdout, stderr: '' });
    expect(readLaunchdState('', shown('', 113))).toEqual({
      enabled: true,
      is: 'stopped',
      detail: 'not loaded',
    });
    const failed = '\tstate = not running\n\tlast exit code = 7\n\tendpoints = {\n\t\tstate = up\n';
    expect(readLaunchdState('\t"exai.daemon" => disabled\n', shown(failed))).toEqual({
      enabled: false,
      is: 'failed',
      detail: 'not running, last exit code 7',
    });
    expect(readLaunchdState('"exaixdaemon" => true\n', shown('no words of ours'))).toEqual({
      enabled: true,
      is: 'stopped',
      detail: 'unknown',
    });
  });

  test.each([
    { platform: 'win32', name: 'Windows', fix: 'schtasks /Create' },
    {
      platform: 'freebsd',
      name: 'freebsd',
      fix: 'Have your system start it at login with: exai serve',
    },
  ])('on $platform the error says what to do instead', ({ platform, name, fix }) => {
    expect(() => contextOf(tempHome(), '', platform)).toThrow(
      expect.objectContaining({
        class: 'not_configured',
        message: `EX-AI installs no service on ${name}.`,
        fix: expect.stringContaining(fix) as string,
      }) as Error,
    );
  });

  test('settings that only the environment has are named, those that the home has, too, are not', () => {
    const root = tempHome();
    const env = { HOME: root, EXAI_HOME: root, GLM_API_KEY: 'some.key0001', EXAI_PORT: '9000' };
    expect(settingsLeftBehind(env)).toEqual(['EXAI_PORT', 'GLM_API_KEY']);
    writeFileSync(join(root, '.env'), 'GLM_API_KEY=some.key0001\n', { mode: 0o600 });
    expect(settingsLeftBehind(env)).toEqual(['EXAI_PORT']);
    expect(settingsLeftBehind({ ...env, EXAI_PORT: 'many' })).toEqual([]);
  });

  /** Acts as a daemon: holds the lock of its home and writes its record. */
  function becomeDaemon(home: string): { release(): void } {
    mkdirSync(home);
    writeDaemonFile(join(home, 'daemon.json'), {
      pid: process.pid,
      url: 'http://127.0.0.1:1',
      host: '127.0.0.1',
      port: 1,
      version: '1.0.0',
      startedAt: new Date(0).toISOString(),
      node: process.version,
      instance: 'one',
      pidNamespace: '',
      storedIn: 'nowhere',
    });
    const lock = acquireProcessLock(join(home, 'daemon.lock'));
    if (!lock) throw new Error('The home is taken');
    return lock;
  }
});

describe('launchd plist', () => {
  const SPEC: ServiceSpec = {
    program: ['/usr/bin/node', '/opt/exai/bin/exai.cjs', 'serve'],
    home: '/Users/me/.exai',
    homeIs: 'default',
    stopWithinS: 40,
  };

  type Plist = string | number | boolean | Plist[] | { [key: string]: Plist };

  /** A strict XML parser: only well-nested tags of a fixed list are accepted. */
  function parsePlist(text: string): Plist {
    const body = text
      .replace(
        /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<!DOCTYPE plist PUBLIC "[^"<&]*" "[^"<&]*">\n/,
        '',
      )
      .replace(/<!--((?:(?!--)[^])*)-->\n/, '');
    const tokens = [...body.matchAll(/<(\/?)(\w+)([^<>]*?)(\/?)>|([^<]+)/g)];
    expect(tokens.map(([whole]) => whole).join('')).toBe(body);
    const significant = tokens.filter(([whole, , tag]) => tag !== undefined || whole.trim() !== '');
    let at = 0;
    const next = () => significant[at++]?.[0] ?? 'nothing';
    const isEnd = (tag: string) => significant[at]?.[0] === `</${tag}>`;
    const take = (tag: string) => expect(next()).toBe(tag);
    const inner = (tag: string) => {
      const content = isEnd(tag) ? '' : next();
      take(`</${tag}>`);
      expect(content).not.toMatch(/&(?!(?:amp|lt|gt);)|[<>]/);
      return content.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    };
    const value = (): Plist => {
      const open = next();
      if (open === '<string>') return inner('string');
      if (open === '<integer>') return Number(inner('integer'));
      if (open === '<true/>' || open === '<false/>') return open === '<true/>';
      if (open === '<array>') {
        const items: Plist[] = [];
        while (!isEnd('array')) items.push(value());
        take('</array>');
        return items;
      }
      expect(open).toBe('<dict>');
      const entries: [string, Plist][] = [];
      while (!isEnd('dict')) {
        take('<key>');
        entries.push([inner('key'), value()]);
      }
      take('</dict>');
      return Object.fromEntries(entries);
    };
    take('<plist version="1.0">');
    const whole = value();
    take('</plist>');
    expect(at).toBe(significant.length);
    return whole;
  }

  test('the launch agent runs the daemon at login, again after a failure, and lets it finish', () => {
    expect(parsePlist(writePlist(SPEC))).toEqual({
      Label: 'exai.daemon',
      ProgramArguments: SPEC.program,
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 60,
      ExitTimeOut: 40,
      SoftResourceLimits: { Core: 0 },
    });
  });

  verifies(
    'service:units',
    'any path survives the escapes, as argument, home and note in a comment',
    () => {
      const piece = fc.oneof(
        fc.constantFrom('&', '&amp;', '<', '>', ']]>', '--', '-->', '"', "'", ' ', '\\', '$', '%'),
        fc.string({ unit: 'grapheme' }),
      );
      const path = fc
        .array(piece, { maxLength: 12 })
        .map((parts) => `/${parts.join('').replaceAll(/\p{Cc}/gu, '')}`)
        .filter((each) => each.isWellFormed());
      fc.assert(
        fc.property(path, path, (script, home) => {
          const text = writePlist({ ...SPEC, program: ['/node', script], home, homeIs: 'custom' });
          expect(parsePlist(text)).toMatchObject({
            ProgramArguments: ['/node', script],
            EnvironmentVariables: { EXAI_HOME: home },
          });
          expect(readMark(text)).toEqual({ home, isEdited: false });
        }),
      );
    },
  );

  const hasPython = spawnSync('python3', ['--version']).status === 0;

  test.skipIf(!hasPython)('a property list reader that is not ours understands it', () => {
    const home = `/a & b <c> "d" 'e' -- f\\g`;
    const read =
      'import json,plistlib,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const input = writePlist({ ...SPEC, home, homeIs: 'custom' });
    const { stdout } = spawnSync('python3', ['-c', read], { input, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual(parsePlist(input));
  });
});
