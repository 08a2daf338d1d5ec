import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { MAX_ID_CHARS, readResultId, type JobToolDeps } from './job-lookup.ts';
import { resultsFor } from './jobs-of-agent.ts';

/** Characters of ordinary prose within a usual token limit. */
const USUAL_CHARS = 60_000;
const USUAL_MAX_TOKENS = 25_000;
/** The rest is for the text around the piece. */
const PART_OF_LIMIT = 0.8;
const MIN_CHARS = 100;
export const MAX_CHARS = 1_000_000;

/** Returns a piece of an answer that was too long for its client. */
export function readResult(deps: Pick<JobToolDeps, 'results' | 'maxTokens'>): Tool {
  return defineTool({
    name: 'read_result',
    title: 'Read a long result',
    description: 'Read the next part of a result that was too large to return at once.',
    input: z.strictObject({
      id: z.string().max(MAX_ID_CHARS).describe('res_…'),
      offset: z.int().min(0).default(0).describe('What next said.'),
      max_chars: z.int().min(MIN_CHARS).max(MAX_CHARS).optional(),
    }),
    output: z.strictObject({
      id: z.string(),
      tool: z.string().describe('Whose answer it is.'),
      offset: z.number(),
      chars: z.number().describe('Of the whole.'),
      next: z.number().optional().describe('Absent at the end.'),
      text: z.string(),
    }),
    effect: 'reads',
    profile: 'lean',
    background: 'never',
    async run({ id: given, offset: from, max_chars: maxChars }, context) {
      const id = readResultId(given, 'id');
      const part = await resultsFor(context, deps.results)
        .read(context.caller.principal, id, from, maxChars ?? USUAL_CHARS)
        .catch((thrown: unknown) => {
          throw named(thrown);
        });
      const { tool, chars, offset } = part;
      const { maxTokens = USUAL_MAX_TOKENS } = deps;
      // An explicit number of characters is not reduced further.
      const text =
        maxChars === undefined ? fittingHead(part.text, maxTokens * PART_OF_LIMIT) : part.text;
      const end = offset + text.length;
      const isEnd = end >= chars || text === '';
      const place = `Characters ${offset} to ${end} of ${chars}`;
      const next = isEnd
        ? `${place}: the end.`
        : `${place}. Next: read_result with {"id": "${id}", "offset": ${end}}`;
      return {
        text: text === '' ? `[${next}]` : `${text}\n\n[${next}]`,
        content: { id, tool, offset, chars, ...(!isEnd && { next: end }), text },
      };
    },
  });
}

/** Adds the argument that caused the error. */
function named(thrown: unknown): CallError {
  const error = CallError.from(thrown);
  if (error.class === 'not_found') return CallError.from(error, { field: 'id' });
  return error.class === 'validation' ? CallError.from(error, { field: 'offset' }) : error;
}

/** Shortest cut that cannot split a character. */
const LEAST_CHARS = 2;

/**
 * The head of a text that has about so many tokens. Never splits a character, and is never empty.
 */
export function fittingHead(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  let fits = LEAST_CHARS;
  // Binary search, because the token density varies within the text.
  for (let over = text.length; over - fits > 1;) {
    const half = Math.floor((fits + over) / 2);
    if (estimateTokens(text.slice(0, half)) <= maxTokens) fits = half;
    else over = half;
  }
  return text.slice(0, isWithinCharacter(text, fits) ? fits - 1 : fits);
}

function isWithinCharacter(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
}
