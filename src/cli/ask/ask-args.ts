import { CallError } from '#core/errors/call-error.ts';
import { THINKING_MODES } from '#core/llm/route.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import type { AskAttachments, AttachedFile } from './attachments.ts';

export const PREFERENCES = ['speed', 'cost'] as const;

/** The largest message that a daemon accepts, minus room for the JSON around it. */
export const MAX_MESSAGE_BYTES = 33_000_000;

/** The limit of the tool. */
const MAX_COST_USD = 10_000;

/** The file name of the piped text, by which the question can refer to it. */
const INPUT_NAME = 'stdin';

export interface AskCommandOptions {
  readonly model?: string;
  readonly web?: true;
  readonly 'no-fallback'?: true;
  readonly prefer?: string;
  readonly think?: string;
  readonly 'max-cost'?: string;
  readonly cite?: true;
}

/** What `file_chat` does not take. */
const NOT_WITH_CITE = ['web', 'no-fallback', 'prefer'] as const;

/** The arguments of the tool, or an error that names the invalid option. */
export function askArgs(options: AskCommandOptions): Record<string, unknown> {
  const other = options.cite && NOT_WITH_CITE.find((name) => options[name] !== undefined);
  if (other !== undefined) {
    throw new CallError('bad_request', `--${other} cannot be used with --cite.`, {
      field: `--${other}`,
      fix: `Leave out --${other} or --cite.`,
    });
  }
  const { model, prefer, think, 'max-cost': maxCost } = options;
  return {
    ...(model !== undefined && { model }),
    ...(options.web && { use_websearch: true }),
    ...(options['no-fallback'] && { fallback: 'none' }),
    ...(prefer !== undefined && { prefer: parseChoice('--prefer', prefer, PREFERENCES) }),
    ...(think !== undefined && { thinking_mode: parseChoice('--think', think, THINKING_MODES) }),
    ...(maxCost !== undefined && { max_cost_usd: parseUsd(maxCost) }),
  };
}

export interface QuestionArgs {
  readonly prompt: string;
  readonly files?: readonly (AttachedFile | { readonly name: string; readonly text: string })[];
  readonly images?: readonly AttachedFile[];
}

/**
 * The prompt, its files and pictures. Piped text is attached to the question, or is the question if
 * there is no other.
 */
export function questionArgs(
  question: string | undefined,
  input: string,
  { files: named = [], images = [], stdin = 'text' }: Partial<AskAttachments> = {},
): QuestionArgs {
  if (question?.trim() === '') throw noQuestion();
  const isPiped = input.trim() !== '';
  const isQuestionPiped = question === undefined && stdin === 'text';
  const prompt = isQuestionPiped ? input.trim() : (question ?? '');
  if (prompt === '') throw noQuestion();
  const isFile = isPiped && !isQuestionPiped;
  const files = [...named, ...(isFile ? [{ name: INPUT_NAME, text: input }] : [])];
  return {
    prompt,
    ...(files.length > 0 && { files }),
    ...(images.length > 0 && { images }),
  };
}

/** The same for `file_chat`, which takes pictures as files. */
export function citedArgs({ prompt, files = [], images = [] }: QuestionArgs): object {
  if (files.length + images.length > 0) return { prompt, files: [...files, ...images] };
  throw new CallError('bad_request', '--cite needs a file to cite.', {
    field: '--cite',
    fix: 'Add --file report.pdf, or pipe a text in.',
  });
}

/** Rejects what the daemon would close the connection for. Some texts grow when encoded as JSON. */
export function checkMessageSize(args: object): void {
  if (Buffer.byteLength(JSON.stringify(args)) > MAX_MESSAGE_BYTES) throw messageTooLarge();
}

export function messageTooLarge(): CallError {
  return new CallError(
    'too_large',
    'The question and its attachments are too large for one message.',
    {
      field: INPUT_NAME,
      fix: 'Attach the part that matters, and smaller pictures.',
    },
  );
}

function noQuestion(): CallError {
  return new CallError('bad_request', 'There is no question.', {
    field: 'question',
    fix: 'exai ask "What is a monad?", or pipe one in; exai ask --help has more.',
  });
}

function parseChoice<T extends string>(option: string, value: string, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  const near = didYouMean(value, known) || '.';
  throw new CallError('validation', `${option} cannot be "${oneLine(value, 40)}"${near}`, {
    field: option,
    fix: `Use one of ${known.join(', ')}.`,
  });
}

function parseUsd(value: string): number {
  const usd = /^\d+(\.\d+)?$|^\.\d+$/.test(value) ? Number(value) : Number.NaN;
  if (usd <= MAX_COST_USD) return usd;
  const shown = oneLine(value, 40);
  const message = `--max-cost must be an amount in dollars from 0 to ${MAX_COST_USD}, but is "${shown}".`;
  throw new CallError('validation', message, {
    field: '--max-cost',
    fix: 'Write it like: --max-cost 0.05; 0 asks only models that are free.',
  });
}
