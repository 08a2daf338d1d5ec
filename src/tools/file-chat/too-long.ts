import { CallError } from '#core/errors/call-error.ts';
import type { AskText } from '#core/llm/ask.ts';
import { formatWhole } from '#core/text/format.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';

const MAX_LISTED = 20;

interface SizedFile {
  readonly name: string;
  readonly tokens: number;
}

/**
 * The error for files that no window holds: the size of each, the window, and what to leave out.
 * Any other error is returned unchanged.
 */
export function explainTooLong(thrown: unknown, texts: readonly AskText[]): unknown {
  const error = CallError.from(thrown);
  if (error.class !== 'context_length' || texts.length === 0) return thrown;
  const files = texts
    .map(({ name, text }) => ({ name, tokens: estimateTokens(text) }))
    .toSorted((a, b) => b.tokens - a.tokens);
  const total = sum(files);
  const window = error.contextTokens;
  const listed = files
    .slice(0, MAX_LISTED)
    .map(({ name, tokens }) => `${name}: ${formatWhole(tokens)}`);
  const more = files.slice(MAX_LISTED);
  const rest = more.length === 0 ? '' : `; ${more.length} more: ${formatWhole(sum(more))}`;
  const room = window === undefined ? '' : ` The largest window has ${formatWhole(window)} tokens.`;
  const message = `The files are too long for one question: about ${formatWhole(total)} tokens (${listed.join('; ')}${rest}).${room}`;
  return new CallError('context_length', message, {
    field: 'files',
    fixes: [leaveOut(files, total, window), ...error.fixes],
    ...(window !== undefined && { contextTokens: window }),
    cause: thrown,
  });
}

/** Part of a window that files may take; the rest is for the question and the answer. */
const FILES_SHARE = 0.8;

/** The fewest files whose absence makes the others fit. */
function leaveOut(files: readonly SizedFile[], total: number, window: number | undefined): string {
  let left = total;
  const out: string[] = [];
  for (const { name, tokens } of files) {
    if (window === undefined || left <= window * FILES_SHARE) break;
    out.push(name);
    left -= tokens;
  }
  if (out.length === 0 || out.length === files.length || out.length > MAX_LISTED) {
    return 'Give fewer files, or parts of them.';
  }
  return `Leave out ${out.join(', ')}: the others have about ${formatWhole(left)} tokens.`;
}

function sum(files: readonly SizedFile[]): number {
  return files.reduce((all, { tokens }) => all + tokens, 0);
}
