import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import { oneLine } from '#core/one-line.ts';
import { THINKING_MODES } from '#core/route.ts';

export const PREFERENCES = ['speed', 'cost'] as const;

/** As much as a daemon takes in one message, and some room for what stands around it. */
const MAX_MESSAGE_BYTES = 33_000_000;

/** As the tool has it. */
const MAX_COST_USD = 10_000;

/** How the piped text is called where the question speaks of it. */
const INPUT_NAME = 'stdin';

export interface AskWishes {
  readonly model?: string;
  readonly web?: true;
  readonly 'no-fallback'?: true;
  readonly prefer?: string;
  readonly think?: string;
  readonly 'max-cost'?: string;
}

/** The arguments of the tool `chat`, or what is wrong with the wishes. */
export function wishArgs(wishes: AskWishes): Record<string, unknown> {
  const { model, prefer, think, 'max-cost': maxCost } = wishes;
  return {
    ...(model !== undefined && { model }),
    ...(wishes.web && { use_websearch: true }),
    ...(wishes['no-fallback'] && { fallback: 'none' }),
    ...(prefer !== undefined && { prefer: oneOf('--prefer', prefer, PREFERENCES) }),
    ...(think !== undefined && { thinking_mode: oneOf('--think', think, THINKING_MODES) }),
    ...(maxCost !== undefined && { max_cost_usd: usdOf(maxCost) }),
  };
}

/** What is asked, and about what: what was piped in is the text, or the question itself when there is no other. */
export function questionArgs(
  question: string | undefined,
  input: string,
): { prompt: string; files?: readonly { name: string; text: string }[] } {
  if (question?.trim() === '') throw noQuestion();
  const isPiped = input.trim() !== '';
  if (question !== undefined) {
    return { prompt: question, ...(isPiped && { files: [{ name: INPUT_NAME, text: input }] }) };
  }
  if (!isPiped) throw noQuestion();
  return { prompt: input.trim() };
}

/** Some texts grow when they are written as JSON; a daemon would hang up on them without a word. */
export function checkSize(args: object): void {
  if (Buffer.byteLength(JSON.stringify(args)) <= MAX_MESSAGE_BYTES) return;
  throw new CallError('too_large', 'The question and its text are too large for one message.', {
    field: INPUT_NAME,
    fix: 'Pipe in the part that matters.',
  });
}

function noQuestion(): CallError {
  return new CallError('bad_request', 'There is no question.', {
    field: 'question',
    fix: 'exai ask "What is a monad?", or pipe one in; exai ask --help has more.',
  });
}

function oneOf<T extends string>(option: string, given: string, known: readonly T[]): T {
  const found = known.find((each) => each === given);
  if (found !== undefined) return found;
  const near = didYouMean(given, known) || '.';
  throw new CallError('validation', `${option} cannot be "${oneLine(given, 40)}"${near}`, {
    field: option,
    fix: `Use one of ${known.join(', ')}.`,
  });
}

function usdOf(given: string): number {
  const usd = /^\d+(\.\d+)?$|^\.\d+$/.test(given) ? Number(given) : Number.NaN;
  if (usd <= MAX_COST_USD) return usd;
  const shown = oneLine(given, 40);
  const message = `--max-cost must be an amount in dollars from 0 to ${MAX_COST_USD}, but is "${shown}".`;
  throw new CallError('validation', message, {
    field: '--max-cost',
    fix: 'Write it like: --max-cost 0.05; 0 asks only models that are free.',
  });
}
