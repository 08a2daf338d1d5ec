import { parseArgs } from 'node:util';
import { CallError } from '#core/errors/call-error.ts';
import { didYouMean, nearest } from '#core/text/text.ts';
import { formatUsage } from './command-help.ts';
import type { CommandRow } from './command-table.ts';
import {
  allOptions,
  shownOptions,
  type Command,
  type CommandArgs,
  type CommandOptions,
} from './command.ts';

type FoundCommand =
  | { readonly is: 'command'; readonly row: CommandRow; readonly rest: readonly string[] }
  /** The first word of two-word commands, such as `keys`, alone or followed by an option. */
  | { readonly is: 'group'; readonly name: string; readonly rows: readonly CommandRow[] };

/** The command that the first one or two words name. */
export function findCommand(argv: readonly string[], rows: readonly CommandRow[]): FoundCommand {
  const [first = '', second] = argv;
  const pair = rows.find(({ name }) => name === `${first} ${second}`);
  if (pair) return { is: 'command', row: pair, rest: argv.slice(2) };
  const single = rows.find(({ name }) => name === first);
  if (single) return { is: 'command', row: single, rest: argv.slice(1) };

  const group = rows.filter(({ name }) => name.startsWith(`${first} `));
  const unfinished = second === undefined || second.startsWith('-');
  if (group.length > 0 && unfinished) return { is: 'group', name: first, rows: group };
  if (first.startsWith('-')) throw unknownOption(first);
  throw suggestCommand(first, unfinished ? undefined : second, rows);
}

/**
 * The error for an unknown command. The first word is matched first, then the second among the
 * commands of that group.
 */
function suggestCommand(
  first: string,
  second: string | undefined,
  rows: readonly CommandRow[],
): CallError {
  const suggested = nearest(first, new Set(rows.map(({ name }) => name.split(' ', 1)[0] ?? name)));
  const group = rows.map(({ name }) => name).filter((name) => name.startsWith(`${suggested} `));
  if (group.length === 0 || second === undefined) {
    return unknownCommandError(`Unknown command "${first}"${suggestion(suggested, rows) ?? '.'}`);
  }
  const whole = `${first} ${second}`;
  const other = first === suggested ? '.' : `, did you mean "${suggested}"?`;
  return unknownCommandError(
    `Unknown command "${whole}"${suggestion(nearest(whole, group), rows) ?? other}`,
    `exai ${suggested} --help`,
  );
}

/**
 * Undefined for a destructive command, which a user may repeat without reading it. The next similar one is
 * not offered in its place, because it is unlikely to be meant.
 */
function suggestion(name: string | undefined, rows: readonly CommandRow[]): string | undefined {
  const effect = rows.find((row) => row.name === name)?.effect;
  return name === undefined || effect === 'destructive' ? undefined : `, did you mean "${name}"?`;
}

/** The only options that are accepted without a command. */
const LONG = ['--help', '--version'];
const SHORT = ['-h', '-V'];

function unknownOption(name: string): CallError {
  // Every letter is similar to every other, so only wrong case counts as a typo.
  const slips = SHORT.filter((short) => short.toLowerCase() === name.toLowerCase());
  const near = didYouMean(name, name.startsWith('--') ? LONG : slips);
  return unknownCommandError(
    `Unknown option "${name}"${near || '. Options come after a command.'}`,
  );
}

function unknownCommandError(message: string, fix = 'exai --help'): CallError {
  return new CallError('bad_request', message, { fix });
}

interface ParsedCommandLine {
  readonly wants: 'run' | 'help';
  readonly args: CommandArgs;
}

/**
 * The arguments of one command, checked against its description. node:util splits them; the errors
 * are ours, because its messages suggest neither the nearest option nor the usage.
 */
export function parseCommandLine(command: Command, argv: readonly string[]): ParsedCommandLine {
  const known = allOptions(command);
  const { own, passedOn } =
    command.rest?.use === 'passed_on'
      ? splitPassedOn(command, known, argv)
      : { own: argv, passedOn: [] };
  const { tokens } = parseArgs({
    args: [...own],
    options: Object.fromEntries(
      Object.entries(known).map(([name, option]) => {
        const type = option.type === 'boolean' ? 'boolean' : 'string';
        return [name, option.short === undefined ? { type } : { type, short: option.short }];
      }),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const options: Record<string, true | string | string[]> = {};
  const positionalWords: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionalWords.push(token.value);
    if (token.kind !== 'option') continue;
    const value = optionValue(command, known, token);
    const before = options[token.name];
    if (known[token.name]?.type !== 'texts') options[token.name] = value;
    else options[token.name] = [...(Array.isArray(before) ? before : []), String(value)];
  }
  const wants = options['help'] === true ? 'help' : 'run';
  const positionals = wants === 'help' ? {} : readPositionals(command, positionalWords);
  const words = positionalWords.slice(command.positionals?.length ?? 0);
  const rest = command.rest && [...words, ...passedOn];
  return {
    wants,
    args: { options: options as CommandArgs['options'], positionals, ...(rest && { rest }) },
  };
}

/** The words for the command itself, and those for the program that it starts. */
function splitPassedOn(
  { positionals = [] }: Command,
  known: CommandOptions,
  argv: readonly string[],
): { readonly own: readonly string[]; readonly passedOn: readonly string[] } {
  let at = 0;
  let positionalsLeft = positionals.length;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return { own: argv.slice(0, at), passedOn: argv.slice(at + 1) };
    if (/^-./.test(word)) {
      const [flag = ''] = word.split('=', 1);
      const [, option] =
        Object.entries(known).find(
          ([name, { short }]) => flag === `--${name}` || flag === `-${short}`,
        ) ?? [];
      if (option === undefined) break;
      if (option.type !== 'boolean' && flag === word) at += 1;
    } else if (positionalsLeft > 0) positionalsLeft -= 1;
    else break;
  }
  return { own: argv.slice(0, at), passedOn: argv.slice(at) };
}

/** For commands that take any words. */
const DASHES = ' Words that begin with "-" come after "--".';
const NEGATIVE_NUMBER = /^-(?:\d+\.?\d*|\.\d+)$/;

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function optionValue(command: Command, known: CommandOptions, token: OptionToken): true | string {
  const { name, rawName, value, inlineValue } = token;
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) {
    const names = shownOptions(command).map(([each]) => `--${each}`);
    throw badArgumentError(
      command,
      `Unknown option "${rawName}"${didYouMean(rawName, names) || '.'}${command.rest ? DASHES : ''}`,
      rawName,
    );
  }
  if (option.type === 'boolean') {
    if (value === undefined) return true;
    throw badArgumentError(command, `${rawName} takes no value.`, rawName);
  }
  // `--port --host x` is a missing value, not a port named "--host"; `-1` is a number, if an
  // invalid one.
  const isOption = value !== undefined && /^-./.test(value) && !NEGATIVE_NUMBER.test(value);
  const forgotten = !value || (inlineValue !== true && isOption);
  if (!forgotten) return value;
  throw badArgumentError(
    command,
    `${rawName} needs a value: ${rawName} ${option.value ?? 'VALUE'}`,
    rawName,
  );
}

function readPositionals(command: Command, words: readonly string[]): Record<string, string> {
  const expected = command.positionals ?? [];
  const found: Record<string, string> = {};
  for (const [index, { name, need }] of expected.entries()) {
    const word = words[index];
    if (word !== undefined) found[name] = word;
    else if (need === 'required') {
      throw badArgumentError(command, `<${name}> is missing: ${formatUsage(command)}`, name);
    }
  }
  const extra = command.rest ? undefined : words[expected.length];
  if (extra !== undefined) {
    const message =
      command.extraArgumentError ?? `Unexpected argument "${extra}": ${formatUsage(command)}`;
    throw badArgumentError(command, message);
  }
  return found;
}

function badArgumentError(command: Command, message: string, field?: string): CallError {
  return new CallError('bad_request', message, {
    fix: `exai ${command.name} --help`,
    ...(field !== undefined && { field }),
  });
}
