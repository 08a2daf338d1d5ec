import * as z from 'zod';
import type { ToolChoice } from '#core/llm/chat.ts';

const named = z.looseObject({ name: z.string().min(1).max(64) });

export const toolChoiceField = z
  .union([
    z.enum(['auto', 'none', 'required']),
    named,
    z.looseObject({ type: z.literal('function'), function: named }),
  ])
  .describe('Which tool it is to call.');

/** The choice, whichever of OpenAI's forms it has. */
export function readToolChoice(given: z.output<typeof toolChoiceField>): ToolChoice {
  if (typeof given === 'string') return given;
  const { name } = 'function' in given ? (given.function as { name: string }) : given;
  return { name: String(name) };
}
