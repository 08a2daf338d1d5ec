import { createHash } from 'node:crypto';
import { isObject, type Dictionary } from '../is-object.ts';

/** A refusal in Anthropic's words. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

export const invalid = (message: string): Refusal => ({
  status: 400,
  type: 'invalid_request_error',
  message,
});

const MEMBERS: readonly string[] = [
  'model',
  'messages',
  'max_tokens',
  'system',
  'tools',
  'tool_choice',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'stream',
  'thinking',
  'metadata',
  'service_tier',
  'output_config',
];

/** The signature that belongs to a thought; others are refused. */
export const signatureOf = (thinking: string): string =>
  createHash('sha256').update(`emulated ${thinking}`).digest('base64');

export interface ReadMessages {
  /** The messages in OpenAI's form, which the emulated models read. */
  readonly messages: readonly Dictionary[];
  readonly tools: readonly Dictionary[];
  readonly toolChoice: unknown;
}

/** Reads a request, or says what is wrong with it. */
export function readMessages(body: Dictionary): ReadMessages | Refusal {
  const extra = Object.keys(body).find((name) => !MEMBERS.includes(name));
  if (extra !== undefined) return invalid(`${extra}: Extra inputs are not permitted`);
  const { max_tokens: limit, messages: given, temperature } = body;
  if (limit === undefined) return invalid('max_tokens: Field required');
  if (typeof limit !== 'number' || limit < 1)
    return invalid('max_tokens: Input should be greater than or equal to 1');
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 1))
    return invalid('temperature: range: 0..1');
  const all: unknown = given;
  if (!Array.isArray(all) || all.length === 0)
    return invalid('messages: at least one message is required');
  const system = typeof body['system'] === 'string' ? body['system'] : '';
  const messages: Dictionary[] = system === '' ? [] : [{ role: 'system', content: system }];
  let open: string[] = [];
  for (const [index, message] of (all as readonly unknown[]).entries()) {
    if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant'))
      return invalid(`messages.${index}.role: Input should be 'user' or 'assistant'`);
    const turn = readTurn(message, index);
    if ('status' in turn) return turn;
    const missing = open.find((id) => !turn.results.includes(id));
    if (missing !== undefined)
      return invalid(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}`,
      );
    open = turn.calls;
    messages.push(...turn.messages);
  }
  const listed: unknown = body['tools'];
  const tools = Array.isArray(listed) ? (listed as readonly unknown[]).filter(isObject) : [];
  return {
    messages,
    tools: tools.map(({ name, description, input_schema: parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    toolChoice: toolChoiceOf(body['tool_choice']),
  };
}

interface Turn {
  readonly messages: readonly Dictionary[];
  readonly calls: string[];
  readonly results: readonly unknown[];
}

function readTurn(message: Dictionary, index: number): Turn | Refusal {
  const { content } = message;
  if (content === '' || (Array.isArray(content) && content.length === 0))
    return invalid(`messages.${index}: all messages must have non-empty content`);
  const given: unknown = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(given)) return invalid(`messages.${index}.content: Field required`);
  const blocks = (given as readonly unknown[]).filter(isObject);
  for (const { type, thinking, signature } of blocks)
    if (type === 'thinking' && signature !== signatureOf(String(thinking)))
      return invalid(`messages.${index}.content: Invalid \`signature\` in \`thinking\` block`);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const parts = blocks.flatMap((block): Dictionary[] => {
    if (block['type'] === 'text') return [{ type: 'text', text: block['text'] }];
    const source = block['source'];
    if (block['type'] !== 'image' || !isObject(source)) return [];
    const url = `data:${String(source['media_type'])};base64,${String(source['data'])}`;
    return [{ type: 'image_url', image_url: { url } }];
  });
  const isText = parts.every(({ type }) => type === 'text');
  const said = isText ? parts.map(({ text }) => String(text)).join('') : parts;
  return {
    messages: [
      ...results.map((block) => ({
        role: 'tool',
        tool_call_id: block['tool_use_id'],
        content: String(block['content']),
      })),
      ...(parts.length > 0 || uses.length > 0
        ? [
            {
              role: message['role'],
              content: said,
              ...(uses.length > 0 && {
                tool_calls: uses.map(({ id, name, input }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: JSON.stringify(input) },
                })),
              }),
            },
          ]
        : []),
    ],
    calls: uses.map(({ id }) => String(id)),
    results: results.map((block) => block['tool_use_id']),
  };
}

function toolChoiceOf(choice: unknown): unknown {
  if (!isObject(choice)) return undefined;
  if (choice['type'] === 'any') return 'required';
  if (choice['type'] === 'none') return 'none';
  return choice['type'] === 'tool'
    ? { type: 'function', function: { name: choice['name'] } }
    : 'auto';
}
