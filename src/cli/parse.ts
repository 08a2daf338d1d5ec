import { parseArgs } from 'node:util';
import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import { usage } from './command-help.ts';
import { allOptions, shownOptions, type Args, type Command, type Options } from './command.ts';

export interface Parsed {
  readonly wants: 'run' | 'help';
  readonly args: Args;
}

/**
 * The arguments of one command, checked against its description. node:util splits them; what is wrong with them is
 * said here, because its own messages name neither the nearest option nor the usage.
 */
export function parse(command: Command, argv: readonly string[]): Parsed {
  const known = allOptions(command);
  const { tokens } = parseArgs({
    args: [...argv],
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
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const value = optionValue(command, known, token);
    const before = options[token.name];
    if (known[token.name]?.type !== 'texts') options[token.name] = value;
    else options[token.name] = [...(Array.isArray(before) ? before : []), String(value)];
  }
  const wants = options['help'] === true ? 'help' : 'run';
  const positionals = wants === 'help' ? {} : named(command, words);
  return { wants, args: { options: options as Args['options'], positionals } };
}

const NEGATIVE_NUMBER = /^-(?:\d+\.?\d*|\.\d+)$/;

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function optionValue(command: Command, known: Options, token: OptionToken): true | string {
  const { name, rawName, value, inlineValue } = token;
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) {
    const names = shownOptions(command).map(([each]) => `--${each}`);
    throw refusal(
      command,
      `Unknown option "${rawName}"${didYouMean(rawName, names) || '.'}`,
      rawName,
    );
  }
  if (option.type === 'boolean') {
    if (value === undefined) return true;
    throw refusal(command, `${rawName} takes no value.`, rawName);
  }
  // `--port --host x` is a forgotten value, not a port called "--host"; `-1` is a number, if a wrong one.
  const isOption = value !== undefined && /^-./.test(value) && !NEGATIVE_NUMBER.test(value);
  const forgotten = !value || (inlineValue !== true && isOption);
  if (!forgotten) return value;
  throw refusal(
    command,
    `${rawName} needs a value: ${rawName} ${option.value ?? 'VALUE'}`,
    rawName,
  );
}

function named(command: Command, words: readonly string[]): Record<string, string> {
  const expected = command.positionals ?? [];
  const found: Record<string, string> = {};
  for (const [index, { name, need }] of expected.entries()) {
    const word = words[index];
    if (word !== undefined) found[name] = word;
    else if (need === 'required') {
      throw refusal(command, `<${name}> is missing: ${usage(command)}`, name);
    }
  }
  const extra = words[expected.length];
  if (extra !== undefined) {
    const message = command.noMoreWords ?? `Unexpected argument "${extra}": ${usage(command)}`;
    throw refusal(command, message);
  }
  return found;
}

function refusal(command: Command, message: string, field?: string): CallError {
  return new CallError('bad_request', message, {
    fix: `exai ${command.name} --help`,
    ...(field !== undefined && { field }),
  });
}
