import { describe, expect, test } from 'vitest';
import { commandJson, formatCommandHelp } from './command-help.ts';
import type { CommandRow } from './command-table.ts';
import { defineCommand } from './command.ts';
import { findCommand, parseCommandLine } from './parse-command-line.ts';

describe('find command', () => {
  const ROWS: CommandRow[] = ['serve', 'keys add', 'keys list'].map((name) => ({
    name,
    summary: name,
    load: () => Promise.reject(new Error('not loaded')),
  }));
  const DESTRUCTIVE: CommandRow[] = ['stop', 'restore', 'keys remove'].map((name) => ({
    name,
    summary: name,
    effect: 'destructive',
    load: () => Promise.reject(new Error('not loaded')),
  }));

  test.each([
    [['serve', '--port', '1'], 'serve', ['--port', '1']],
    [['keys', 'add', 'kimi'], 'keys add', ['kimi']],
  ])('%j is the command %j', (argv, name, rest) => {
    expect(findCommand(argv, ROWS)).toMatchObject({ is: 'command', row: { name }, rest });
  });

  test('the first word of two alone lists what it has', () => {
    expect(findCommand(['keys', '--help'], ROWS)).toMatchObject({
      is: 'group',
      rows: [{ name: 'keys add' }, { name: 'keys list' }],
    });
  });

  test.each([
    [['sreve'], 'Unknown command "sreve", did you mean "serve"?'],
    [['keys', 'ad'], 'Unknown command "keys ad", did you mean "keys add"?'],
    [['kyes', 'list'], 'Unknown command "kyes list", did you mean "keys list"?'],
    [['kyes', 'xyzzyxyzzy'], 'Unknown command "kyes xyzzyxyzzy", did you mean "keys"?'],
    [['kyes'], 'Unknown command "kyes", did you mean "keys"?'],
    [['sreve', 'keys'], 'Unknown command "sreve", did you mean "serve"?'],
    [['keys', 'xyzzyxyzzy'], 'Unknown command "keys xyzzyxyzzy".'],
    [['xyzzy'], 'Unknown command "xyzzy".'],
    [['--json', 'serve'], 'Unknown option "--json". Options come after a command.'],
    [['-x'], 'Unknown option "-x". Options come after a command.'],
    [['-v'], 'Unknown option "-v", did you mean "-V"?'],
    [['--verison'], 'Unknown option "--verison", did you mean "--version"?'],
  ])('%j is refused', (argv, message) => {
    expect(() => findCommand(argv, ROWS)).toThrow(
      expect.objectContaining({ class: 'bad_request', message }) as Error,
    );
  });

  test.each([
    [['restor'], 'Unknown command "restor".'],
    [['stpo'], 'Unknown command "stpo".'],
    [['keys', 'remov'], 'Unknown command "keys remov".'],
    [['kyes', 'remov'], 'Unknown command "kyes remov", did you mean "keys"?'],
    [['keys', 'ad'], 'Unknown command "keys ad", did you mean "keys add"?'],
  ])('%j suggests no command that destroys something', (argv, message) => {
    expect(() => findCommand(argv, [...ROWS, ...DESTRUCTIVE])).toThrow(
      expect.objectContaining({ message }) as Error,
    );
  });

  test.each([
    [['keys', 'xyzzyxyzzy'], 'exai keys --help'],
    [['kyes', 'list'], 'exai keys --help'],
    [['kyes'], 'exai --help'],
    [['xyzzy'], 'exai --help'],
  ])('what can be said after %j is told by %s', (argv, fix) => {
    expect(() => findCommand(argv, ROWS)).toThrow(expect.objectContaining({ fix }) as Error);
  });
});

describe('parse', () => {
  const command = defineCommand({
    name: 'fetch',
    summary: 'Fetch a thing',
    positionals: [
      { name: 'thing', need: 'required', help: 'What' },
      { name: 'place', need: 'optional', help: 'Where' },
    ],
    options: {
      port: { type: 'string', short: 'p', value: 'N', help: 'Port' },
      fast: { type: 'boolean', help: 'Fast' },
      tag: { type: 'texts', value: 'T', help: 'Tag' },
    },
    run: () => Promise.resolve(),
  });

  describe('arguments', () => {
    test.each([
      [['a'], { options: {}, positionals: { thing: 'a' } }],
      [['a', 'b', '--fast'], { options: { fast: true }, positionals: { thing: 'a', place: 'b' } }],
      [['--port', '80', 'a'], { options: { port: '80' }, positionals: { thing: 'a' } }],
      [['-p', '80', 'a'], { options: { port: '80' }, positionals: { thing: 'a' } }],
      [
        ['--port=-1', 'a', '--json'],
        { options: { port: '-1', json: true }, positionals: { thing: 'a' } },
      ],
      [
        ['--tag', 'x', 'a', '--tag=y'],
        { options: { tag: ['x', 'y'] }, positionals: { thing: 'a' } },
      ],
      [['--port', '-1', 'a'], { options: { port: '-1' }, positionals: { thing: 'a' } }],
      [['a', '-p', '-.5'], { options: { port: '-.5' }, positionals: { thing: 'a' } }],
      [['--', '--fast'], { options: {}, positionals: { thing: '--fast' } }],
    ])('%j are understood', (argv, args) => {
      expect(parseCommandLine(command, argv)).toEqual({ wants: 'run', args });
    });

    test.each([
      [['a', '--prot', '1'], 'Unknown option "--prot", did you mean "--port"?'],
      [['a', '--no-such-thing'], 'Unknown option "--no-such-thing".'],
      [['a', '-x'], 'Unknown option "-x".'],
      [['a', '--constructor'], 'Unknown option "--constructor".'],
      [['a', '--port'], '--port needs a value: --port N'],
      [['a', '--tag'], '--tag needs a value: --tag T'],
      [['a', '--port', '--fast'], '--port needs a value: --port N'],
      [['a', '--port', '-p'], '--port needs a value: --port N'],
      [['a', '--port', '-1x'], '--port needs a value: --port N'],
      [['a', '--port='], '--port needs a value: --port N'],
      [['a', '--fast=yes'], '--fast takes no value.'],
      [['a', 'b', 'c'], 'Unexpected argument "c": exai fetch <thing> [place] [options]'],
      [[], '<thing> is missing: exai fetch <thing> [place] [options]'],
    ])('%j are refused', (argv, message) => {
      expect(() => parseCommandLine(command, argv)).toThrow(
        expect.objectContaining({
          class: 'bad_request',
          message,
          fix: 'exai fetch --help',
        }) as Error,
      );
    });

    test('a hidden option works, and neither help nor a suggestion names it', () => {
      const secretive = defineCommand({
        ...command,
        options: { ...command.options, quietly: { type: 'boolean', help: 'Q', hidden: true } },
      });
      expect(parseCommandLine(secretive, ['a', '--quietly']).args.options).toEqual({
        quietly: true,
      });
      expect(formatCommandHelp(secretive)).not.toContain('quietly');
      expect(JSON.stringify(commandJson(secretive))).not.toContain('quietly');
      expect(() => parseCommandLine(secretive, ['a', '--quietl'])).toThrow(
        'Unknown option "--quietl".',
      );
    });

    test('a word too many that may be a secret is not repeated', () => {
      const discreet = defineCommand({ ...command, extraArgumentError: 'Pipe it.' });
      expect(() => parseCommandLine(discreet, ['a', 'b', 'sk-secret'])).toThrow(
        expect.objectContaining({ class: 'bad_request', message: 'Pipe it.' }) as Error,
      );
    });

    test('the words after the positionals are kept where a command takes any', () => {
      const open = defineCommand({ ...command, rest: { name: 'word', help: 'Words' } });
      expect(parseCommandLine(open, ['a', 'b', 'c', '--fast', 'd', '--', '-x']).args).toEqual({
        options: { fast: true },
        positionals: { thing: 'a', place: 'b' },
        rest: ['c', 'd', '-x'],
      });
      expect(parseCommandLine(open, ['a']).args.rest).toEqual([]);
      expect(formatCommandHelp(open)).toContain('exai fetch <thing> [place] [word ...] [options]');
      expect(commandJson(open)).toMatchObject({ rest: { name: 'word' } });
      expect(() => parseCommandLine(open, ['a', '-x'])).toThrow(
        'Unknown option "-x". Words that begin with "-" come after "--".',
      );
    });

    test('words for another program begin at the first that is not for the command', () => {
      const passing = defineCommand({
        ...command,
        rest: { name: 'args', help: 'Passed on', use: 'passed_on' },
      });
      const rows = [
        [['a', 'b', '--fast', '-q', '--fast'], ['-q', '--fast'], { fast: true }],
        [['--fast', 'a', 'b', 'c', '--', '-h'], ['c', '--', '-h'], { fast: true }],
        [['a', '--', '--fast', '--', 'x'], ['--fast', '--', 'x'], {}],
        [['a', 'b'], [], {}],
        [['a', '-', 'c'], ['c'], {}],
        [['a', 'b', '--fast', '-x=y'], ['-x=y'], { fast: true }],
      ] as const;
      for (const [argv, rest, options] of rows) {
        expect(parseCommandLine(passing, argv).args).toMatchObject({ rest, options });
      }
      expect(parseCommandLine(passing, ['a', '--help', '-q']).wants).toBe('help');
      expect(parseCommandLine(passing, ['a', 'b', 'c', '--help']).wants).toBe('run');
      expect(formatCommandHelp(passing)).toContain(
        'exai fetch <thing> [place] [options] [args ...]',
      );
    });

    test('help is shown even when the other arguments are incomplete', () => {
      expect(parseCommandLine(command, ['-h']).wants).toBe('help');
    });
  });
});
