import { CallError } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import type { ArgumentKind, PromptRow, RowArgument } from './prompt-row.ts';

/** The arguments of a prompt, converted to those of its tool. */
export interface PromptInput {
  /** Empty if no text was given. */
  readonly text: string;
  readonly args: Readonly<Record<string, Json>>;
  /** `split`: the client split a sentence at spaces and spread its words over the arguments. */
  readonly form: 'whole' | 'split';
}

/** Whether a value fits its argument. */
export type Fit = 'yes' | 'no' | 'unknown';
export type Fits = (argument: RowArgument, value: string) => Fit;

/** Longer text belongs in a file, because the client would get it back in full. */
const MAX_TEXT_CHARS = 400_000;
const MAX_CHARS: Readonly<Record<ArgumentKind, number>> = {
  model: 256,
  models: 2_000,
  thread: 256,
  choice: 256,
  paths: 100_000,
  words: 20_000,
};

/**
 * Converts the arguments of a prompt. Some clients split the text after a command at spaces and
 * fill one argument per word: then the text is one word and an argument such as the model does not
 * fit, so the words are joined again.
 */
export function readPromptInput(
  row: PromptRow,
  given: Readonly<Record<string, string>>,
  fits: Fits,
): PromptInput {
  const text = valueOf(given, row.text.name, MAX_TEXT_CHARS);
  const values = row.more.flatMap((argument) => {
    const value = valueOf(given, argument.name, MAX_CHARS[argument.kind]);
    return value === '' ? [] : [{ argument, value, fit: fits(argument, value) }];
  });
  const isWord = (value: string) => value !== '' && !/\s/.test(value);
  const isSplit = isWord(text) && values.some(({ value, fit }) => fit === 'no' && isWord(value));
  const words = isSplit ? values.filter(({ value, fit }) => fit !== 'yes' && isWord(value)) : [];
  return {
    text: [text, ...words.map(({ value }) => value)].join(' '),
    args: Object.fromEntries(
      values
        .filter((value) => !words.includes(value))
        .map(({ argument, value }) => [argument.to ?? argument.name, toJson(argument, value)]),
    ),
    form: isSplit ? 'split' : 'whole',
  };
}

function valueOf(given: Readonly<Record<string, string>>, name: string, maxChars: number): string {
  const value = (Object.hasOwn(given, name) ? given[name] : undefined)?.trim() ?? '';
  if (value.length <= maxChars) return value;
  throw new CallError('too_large', `The argument "${name}" has ${value.length} characters.`, {
    field: `arguments.${name}`,
    fix: `At most ${maxChars} go here; put the text into a file, and name the file.`,
  });
}

function toJson({ kind }: RowArgument, value: string): Json {
  switch (kind) {
    case 'paths':
    case 'models':
      return splitList(value);
    case 'choice':
      return value.toLowerCase();
    case 'model':
    case 'thread':
    case 'words':
      return value;
  }
}

/** Splits a list at commas and line ends only, because a name may contain spaces. */
export function splitList(value: string): string[] {
  return value
    .split(/[,\r\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
