import { describe, expect, test } from 'vitest';
import { commandHelp } from './command-help.ts';
import { defineCommand } from './command.ts';
import { commandDocument } from './help-document.ts';
import { parse } from './parse.ts';

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
    [['--tag', 'x', 'a', '--tag=y'], { options: { tag: ['x', 'y'] }, positionals: { thing: 'a' } }],
    [['--port', '-1', 'a'], { options: { port: '-1' }, positionals: { thing: 'a' } }],
    [['a', '-p', '-.5'], { options: { port: '-.5' }, positionals: { thing: 'a' } }],
    [['--', '--fast'], { options: {}, positionals: { thing: '--fast' } }],
  ])('%j are understood', (argv, args) => {
    expect(parse(command, argv)).toEqual({ wants: 'run', args });
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
    expect(() => parse(command, argv)).toThrow(
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
    expect(parse(secretive, ['a', '--quietly']).args.options).toEqual({ quietly: true });
    expect(commandHelp(secretive)).not.toContain('quietly');
    expect(JSON.stringify(commandDocument(secretive))).not.toContain('quietly');
    expect(() => parse(secretive, ['a', '--quietl'])).toThrow('Unknown option "--quietl".');
  });

  test('a word too many that may be a secret is not repeated', () => {
    const discreet = defineCommand({ ...command, noMoreWords: 'Pipe it.' });
    expect(() => parse(discreet, ['a', 'b', 'sk-secret'])).toThrow(
      expect.objectContaining({ class: 'bad_request', message: 'Pipe it.' }) as Error,
    );
  });

  test('help is given even when the rest is incomplete', () => {
    expect(parse(command, ['-h']).wants).toBe('help');
  });
});
