import fc from 'fast-check';
import type { StreamPart } from '#core/llm/stream-part.ts';
import type { ToolCall } from '#core/llm/chat.ts';

const GLM = { type: 'asked', provider: 'glm', model: 'glm-5.3', attempt: 2 } as const;

/** Tool call arguments as models write them. */
const argumentText = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value })),
  fc.constantFrom('', '{}', ' {"a":"\\"}"} ', '{"a":[1,{"b":"{"}]}', '{"a":', 'no', '```{}```'),
);
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('\ud800', '\u2028', '\r\n\n', 'data: {}\n\n'),
);
type Step =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly chars: number }
  | typeof GLM;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'reasoning'), text: words }),
  fc.record({
    type: fc.constant('call'),
    index: fc.nat({ max: 3 }),
    chars: fc.integer({ min: 0, max: 6 }),
  }),
  fc.constant(GLM),
);

/**
 * The stream of a model that interleaves texts, reasoning and up to four tool calls, a few
 * characters at a time.
 */
export function play(steps: readonly Step[], texts: readonly string[]) {
  const pieces: StreamPart[] = [];
  const sent = new Map<number, number>();
  const add = (index: number, chars: number) => {
    const from = sent.get(index);
    const added = (texts[index] ?? '').slice(from ?? 0, (from ?? 0) + chars);
    sent.set(index, (from ?? 0) + chars);
    const about = from === undefined && { id: `call_${index}`, name: `tool_${index}` };
    pieces.push({ type: 'tool_call', index, arguments: added, ...about });
  };
  for (const each of steps) {
    if (each.type === 'call') add(each.index, each.chars);
    else pieces.push(each);
  }
  for (const index of sent.keys()) add(index, 1_000);
  const toolCalls: readonly ToolCall[] = [...sent.keys()].map((index) => ({
    id: `call_${index}`,
    name: `tool_${index}`,
    arguments: texts[index] ?? '',
  }));
  return { pieces, toolCalls };
}

export function textOf(pieces: readonly StreamPart[], type: 'text' | 'reasoning'): string {
  return pieces.map((piece) => (piece.type === type ? piece.text : '')).join('');
}

/** Arbitrary steps of a model, and the arguments of its calls. */
export const script = fc.record({
  steps: fc.array(step, { maxLength: 40 }),
  texts: fc.array(argumentText, { minLength: 4, maxLength: 4 }),
});
