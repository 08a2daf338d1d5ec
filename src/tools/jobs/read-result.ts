import * as z from 'zod';
import { CallError } from '#core/call-error.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import type { Tool } from '#core/tool.ts';
import type { JobToolDeps } from './deps.ts';
import { fittingHead } from './fitting-head.ts';
import { MAX_ID_CHARS, readResultId } from './read-id.ts';

/** What an answer of plain words has for the tokens that a client takes. */
const USUAL_CHARS = 60_000;
const USUAL_MAX_TOKENS = 25_000;
/** The rest is for what stands around the piece. */
const PART_OF_LIMIT = 0.8;
const MIN_CHARS = 100;
export const MAX_CHARS = 1_000_000;

/** A piece of an answer that was too long for its client. */
export function readResult(deps: Pick<JobToolDeps, 'results' | 'maxTokens'>): Tool {
  return defineTool({
    name: 'read_result',
    title: 'Read a long result',
    description: 'The next piece of an answer that was too long to give whole.',
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
    handOff: 'never',
    async run({ id: given, offset: from, max_chars: maxChars }, { caller: { principal } }) {
      const id = readResultId(given, 'id');
      const part = await deps.results
        .read(principal, id, from, maxChars ?? USUAL_CHARS)
        .catch((thrown: unknown) => {
          throw named(thrown);
        });
      const { tool, chars, offset } = part;
      const { maxTokens = USUAL_MAX_TOKENS } = deps;
      // Who names a number of characters knows what it can take.
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

/** The argument at fault, where the error does not tell. */
function named(thrown: unknown): CallError {
  const error = CallError.from(thrown);
  if (error.class === 'not_found') return CallError.from(error, { field: 'id' });
  return error.class === 'validation' ? CallError.from(error, { field: 'offset' }) : error;
}
