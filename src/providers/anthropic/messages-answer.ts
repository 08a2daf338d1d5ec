import type { JsonObject } from '#core/json/json.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  type Unknown,
} from '../openai-compatible/response/json.ts';

/** Statuses of error types, for errors inside a stream, which has begun with 200. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Translates the events of a streamed message into chunks of chat completions. */
export interface MessageTranslator {
  /** The chunks of one event; `done` after the last one. */
  take(event: Unknown): readonly (JsonObject | 'done')[];
}

export function createMessageTranslator(): MessageTranslator {
  let usage: Unknown = {};
  const calls = new Map<unknown, number>();
  const thoughts = new Map<unknown, { text: string; signature: string }>();

  function begin(index: unknown, block: Unknown): readonly JsonObject[] {
    switch (block['type']) {
      case 'tool_use': {
        const at = calls.size;
        calls.set(index, at);
        const { id = '', name = '' } = block as { id?: string; name?: string };
        return [delta({ tool_calls: [call(at, { id, name, text: '' })] })];
      }
      case 'thinking':
        thoughts.set(index, { text: '', signature: '' });
        return [];
      case 'redacted_thinking':
        return [delta({ reasoning_details: [redacted(block)] })];
      default:
        return [];
    }
  }

  function add(index: unknown, piece: Unknown): readonly JsonObject[] {
    switch (piece['type']) {
      case 'text_delta':
        return [delta({ content: asText(piece['text']) ?? '' })];
      case 'thinking_delta': {
        const text = asText(piece['thinking']) ?? '';
        const thought = thoughts.get(index);
        if (thought) thought.text += text;
        return [delta({ reasoning: text })];
      }
      case 'signature_delta': {
        const thought = thoughts.get(index);
        if (thought) thought.signature += asText(piece['signature']) ?? '';
        return [];
      }
      case 'input_json_delta': {
        const text = asText(piece['partial_json']) ?? '';
        const at = calls.get(index);
        return at === undefined || text === '' ? [] : [delta({ tool_calls: [call(at, { text })] })];
      }
      default:
        return [];
    }
  }

  function end(index: unknown): readonly JsonObject[] {
    const thought = thoughts.get(index);
    if (!thought || thought.signature === '') return [];
    return [delta({ reasoning_details: [detailOf(thought.text, thought.signature)] })];
  }

  return {
    take(event) {
      const { index } = event;
      switch (event['type']) {
        case 'message_start': {
          const message = asObject(event['message']) ?? {};
          usage = { ...usage, ...asObject(message['usage']) };
          const { id, model } = message;
          return [{ id: asText(id) ?? '', model: asText(model) ?? '', choices: [] }];
        }
        case 'content_block_start':
          return begin(index, asObject(event['content_block']) ?? {});
        case 'content_block_delta':
          return add(index, asObject(event['delta']) ?? {});
        case 'content_block_stop':
          return end(index);
        case 'message_delta': {
          // Counts are cumulative: the last ones are the whole.
          usage = { ...usage, ...asObject(event['usage']) };
          const reason = asText(asObject(event['delta'])?.['stop_reason']);
          const choice = { index: 0, delta: {}, finish_reason: reason ?? null };
          return [{ choices: [choice], ...toUsage(usage) }];
        }
        case 'message_stop':
          return ['done'];
        case 'error':
          return [toStreamError(event)];
        default:
          // `ping`, and whatever comes later.
          return [];
      }
    },
  };
}

/** Translates a whole message. */
export function toCompletion(message: Unknown): JsonObject {
  const blocks = asList(message['content'])
    .map(asObject)
    .filter((block) => block !== undefined);
  const textOf = (type: string, field: string) =>
    blocks
      .filter((block) => block['type'] === type)
      .map((block) => asText(block[field]) ?? '')
      .join('');
  const details = blocks.flatMap((block) => {
    if (block['type'] === 'redacted_thinking') return [redacted(block)];
    const { thinking, signature } = block;
    const isWhole = typeof thinking === 'string' && typeof signature === 'string';
    return block['type'] === 'thinking' && isWhole ? [detailOf(thinking, signature)] : [];
  });
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }, at) =>
      call(at, {
        id: asText(id) ?? '',
        name: asText(name) ?? '',
        text: JSON.stringify(input ?? {}),
      }),
    );
  const reasoning = textOf('thinking', 'thinking');
  return {
    id: asText(message['id']) ?? '',
    model: asText(message['model']) ?? '',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textOf('text', 'text'),
          ...(reasoning !== '' && { reasoning }),
          ...(details.length > 0 && { reasoning_details: details }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: asText(message['stop_reason']) ?? null,
      },
    ],
    ...toUsage(asObject(message['usage']) ?? {}),
  };
}

function delta(fields: JsonObject): JsonObject {
  return { choices: [{ index: 0, delta: fields }] };
}

interface CallPiece {
  readonly id?: string;
  readonly name?: string;
  readonly text: string;
}

function call(index: number, { id, name, text }: CallPiece): JsonObject {
  return {
    index,
    ...(id !== undefined && { id, type: 'function' }),
    function: { ...(name !== undefined && { name }), arguments: text },
  };
}

function detailOf(text: string, signature: string): JsonObject {
  return { type: 'reasoning.text', text, signature, format: 'anthropic-claude-v1' };
}

function redacted({ data }: Unknown): JsonObject {
  return { type: 'reasoning.encrypted', data: asText(data) ?? '', format: 'anthropic-claude-v1' };
}

/** Anthropic counts cached input apart from the rest. */
function toUsage(usage: Unknown): JsonObject {
  const input = asCount(usage['input_tokens']);
  const output = asCount(usage['output_tokens']);
  if (input === undefined && output === undefined) return {};
  const cached = asCount(usage['cache_read_input_tokens']) ?? 0;
  const written = asCount(usage['cache_creation_input_tokens']) ?? 0;
  return {
    usage: {
      prompt_tokens: (input ?? 0) + cached + written,
      completion_tokens: output ?? 0,
      prompt_tokens_details: { cached_tokens: cached },
    },
  };
}

function toStreamError(event: Unknown): JsonObject {
  const error = asObject(event['error']) ?? {};
  const type = asText(error['type']) ?? 'api_error';
  const code = Object.hasOwn(STATUS, type) ? STATUS[type] : 500;
  return { error: { type, message: asText(error['message']) ?? '', code: code ?? 500 } };
}
