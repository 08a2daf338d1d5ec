import { CallError } from '#core/call-error.ts';
import type { Json } from '#core/json.ts';
import type { ArgumentKind, PromptRow, RowArgument } from './row.ts';

/** What a person gave a prompt, as arguments of its tool. */
export interface Given {
  /** Empty where nothing was said. */
  readonly text: string;
  readonly args: Readonly<Record<string, Json>>;
  /** `split`: the client cut a sentence at its blanks, and gave its words to one argument after the other. */
  readonly came: 'whole' | 'split';
}

/** Whether a value can be what its argument stands for. */
export type Fit = 'yes' | 'no' | 'unknown';
export type Fits = (argument: RowArgument, value: string) => Fit;

/** What is longer belongs into a file; it would come back to the client as long as it is. */
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
 * Some clients cut what follows a command at its blanks and fill one argument with each word. Then the text is one word, and what
 * came as a model is none: such words are put together again.
 */
export function readGiven(
  row: PromptRow,
  given: Readonly<Record<string, string>>,
  fits: Fits,
): Given {
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
    came: isSplit ? 'split' : 'whole',
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
      return parts(value);
    case 'choice':
      return value.toLowerCase();
    case 'model':
    case 'thread':
    case 'words':
      return value;
  }
}

/** A name may hold blanks, so only commas and line ends divide them. */
export function parts(value: string): string[] {
  return value
    .split(/[,\r\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
