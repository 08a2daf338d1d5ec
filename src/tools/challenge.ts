import * as z from 'zod';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import * as fields from './shared/fields.ts';
import { CHALLENGE_PROMPT } from './challenge.prompt.ts';

const STATUS = 'challenge_accepted';
const NEXT =
  'Work through challenge_prompt now, and answer with what you find; agree only where it holds.';

/** Asks no model: the calling model is to reconsider the statement itself. */
export const challenge: Tool = defineTool({
  name: 'challenge',
  title: 'Challenge',
  description:
    'Critically re-examine a statement before agreeing. Use when the user pushes back or you are about to concede. Makes no model call.',
  input: z.strictObject({ prompt: fields.statementField }),
  output: z.strictObject({
    status: z.literal(STATUS),
    original_statement: z.string(),
    challenge_prompt: z.string(),
    instructions: z.string(),
  }),
  effect: 'reads',
  profile: 'standard',
  async run({ prompt }) {
    const wrapped = `${CHALLENGE_PROMPT}\n\n${prompt}`;
    return {
      status: STATUS,
      text: wrapped,
      content: {
        status: STATUS,
        original_statement: prompt,
        challenge_prompt: wrapped,
        instructions: NEXT,
      },
    };
  },
});
