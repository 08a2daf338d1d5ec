import * as z from 'zod';
import type { AskAnswer, AskRequest } from '#core/ask.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import type { ToolAnswer } from '#core/tool.ts';
import * as fields from './asking/fields.ts';
import { readAskRequest } from './asking/read-request.ts';
import { sourceContent, sourceList } from './asking/sources.ts';
import { CHAT_PROMPT } from './chat.prompt.ts';

// It may search the web, and think long: as long as every flow that goes there.
const TIMEOUT_MS = 300_000;

export const chat = defineTool({
  name: 'chat',
  title: 'Chat',
  description:
    'Ask another model: a second opinion, an explanation, a design to weigh, a text to work on, or what is new on the web. The model that suits is chosen; another answers when it fails.',
  input: z.strictObject({
    prompt: fields.promptField,
    files: fields.filesField.optional(),
    images: fields.imagesField.optional(),
    model: fields.modelField.optional(),
    use_websearch: fields.webSearchField.optional(),
    thinking_mode: fields.thinkingField.optional(),
    temperature: fields.temperatureField.optional(),
    max_output_tokens: fields.maxOutputField.optional(),
    prefer: fields.preferField.optional(),
    fallback: fields.fallbackField.optional(),
    max_cost_usd: fields.maxCostField.optional(),
  }),
  output: z.union([
    z.string(),
    z.strictObject({
      text: z.string(),
      finish: z.enum(['stop', 'length', 'tool_calls']),
      citations: z
        .array(
          z.strictObject({
            title: z.string(),
            url: z.string(),
            mark: z.string().optional().describe('How the text refers to it.'),
            date: z.string().optional(),
          }),
        )
        .optional(),
    }),
  ]),
  effect: 'reads',
  openWorld: true,
  category: 'fast_response',
  profile: 'lean',
  lane: 'provider',
  // Who asks twice wants two answers.
  coalesce: false,
  timeoutMs: TIMEOUT_MS,
  wouldAsk: toRequest,
  async run(args, context) {
    const answer = await context.ask(toRequest(args), {
      onText: (text) => context.progress({ text }),
      onNote: (note) => context.progress({ note }),
    });
    return toToolAnswer(answer);
  },
});

function toRequest(args: Readonly<Record<string, unknown>>): AskRequest {
  return { ...readAskRequest(args), system: CHAT_PROMPT };
}

const CUT =
  'The answer ends where its limit of tokens was reached: raise max_output_tokens, or ask for the rest.';

function toToolAnswer({ text, citations, finish }: AskAnswer): ToolAnswer {
  const isCut = finish === 'length';
  const isPlain = citations.length === 0 && finish === 'stop';
  return {
    text: `${text}${isCut ? `\n\n[${CUT}]` : ''}${sourceList(citations)}`,
    ...(!isPlain && {
      content: {
        text,
        finish,
        ...(citations.length > 0 && { citations: citations.map(sourceContent) }),
      },
    }),
    ...(isCut && { detail: CUT }),
  };
}
