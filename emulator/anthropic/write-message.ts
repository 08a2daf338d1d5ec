import type { Dictionary } from '../is-object.ts';
import { failAfter } from '../openai/broken-stream.ts';
import type { BudgetedAnswer } from '../openai/budgeted-answer.ts';
import { toPieces } from '../tokens.ts';
import type { Fault, Reply } from '../vendor.ts';
import { signatureOf } from './read-messages.ts';

export interface WrittenMessage {
  readonly id: string;
  readonly model: string;
  readonly said: BudgetedAnswer;
  readonly inputTokens: number;
  readonly fault: Fault | undefined;
}

const STOP: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
};

const stopOf = ({ finish }: BudgetedAnswer): string => STOP[finish] ?? finish;

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The blocks of the answer, in the order in which Anthropic has them. */
function blocksOf({ said, id }: WrittenMessage): readonly Dictionary[] {
  const { reasoning, text, calls } = said;
  return [
    ...(reasoning === ''
      ? []
      : [{ type: 'thinking', thinking: reasoning, signature: signatureOf(reasoning) }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ name, arguments: args }, index) => ({
      type: 'tool_use',
      id: `toolu_${id.slice(4)}${index}`,
      name,
      input: inputOf(args),
      written: args,
    })),
  ];
}

const usageOf = ({ inputTokens, said, fault }: WrittenMessage): Dictionary =>
  fault?.id === 'F7.missing'
    ? {}
    : {
        usage: {
          input_tokens: inputTokens,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: said.outputTokens,
        },
      };

export function wholeMessage(message: WrittenMessage): Dictionary {
  const { id, model, said } = message;
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocksOf(message).map(({ written: _written, ...block }) => block),
    stop_reason: stopOf(said),
    stop_sequence: null,
    ...usageOf(message),
  };
}

const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

export async function streamMessage(reply: Reply, message: WrittenMessage): Promise<void> {
  const { id, model, said, fault } = message;
  const plain = reply.sse({ 'request-id': `req_${id.slice(4)}` });
  const sse =
    fault?.id === 'F11.error'
      ? failAfter(plain, fault.after ?? 0, async (broken) => {
          await broken.event(OVERLOADED, 'error');
          await broken.end();
        })
      : plain;
  const event = (data: Dictionary) => sse.event(data, String(data['type']));
  const { usage } = usageOf(message);
  const begun = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  await event({ type: 'message_start', message: { ...begun, ...(usage ? { usage } : {}) } });
  await event({ type: 'ping' });
  for (const [index, block] of blocksOf(message).entries()) {
    const { written, thinking, signature, text, ...head } = block;
    const opened = {
      ...head,
      ...(head['type'] === 'text' && { text: '' }),
      ...(head['type'] === 'thinking' && { thinking: '', signature: '' }),
      ...(head['type'] === 'tool_use' && { input: {} }),
    };
    await event({ type: 'content_block_start', index, content_block: opened });
    const delta = (piece: Dictionary) =>
      event({ type: 'content_block_delta', index, delta: piece });
    for (const piece of toPieces(textOf(thinking)))
      await delta({ type: 'thinking_delta', thinking: piece });
    if (signature !== undefined) await delta({ type: 'signature_delta', signature });
    for (const piece of toPieces(textOf(text))) await delta({ type: 'text_delta', text: piece });
    for (const piece of toPieces(textOf(written)))
      await delta({ type: 'input_json_delta', partial_json: piece });
    await event({ type: 'content_block_stop', index });
  }
  await event({
    type: 'message_delta',
    delta: { stop_reason: stopOf(said), stop_sequence: null },
    ...(usage ? { usage: { output_tokens: said.outputTokens } } : {}),
  });
  await event({ type: 'message_stop' });
  await sse.end();
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
