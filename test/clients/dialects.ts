/**
 * The wire formats of three model APIs, as far as a model needs them that only ever calls tools.
 */

export interface Turn {
  readonly number: number;
  /** The tool to call, by the client's name for it; without one the answer is a text. */
  readonly call?: { readonly tool: string; readonly arguments: object };
}

export interface Dialect {
  speaks(path: string): boolean;
  /** The names of the tools that the client offers. */
  offered(body: unknown): string[];
  /** What tools answered so far in this conversation. */
  results(body: unknown): string[];
  /** The events of a streamed answer. */
  reply(turn: Turn): readonly string[];
}

const event = (data: object, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

interface AnthropicBody {
  readonly tools?: readonly { name: string }[];
  readonly messages?: readonly {
    content: string | readonly { type: string; content?: unknown }[];
  }[];
}

const anthropic: Dialect = {
  speaks: (path) => path.startsWith('/v1/messages') && !path.includes('count_tokens'),
  offered: (body) => ((body as AnthropicBody).tools ?? []).map(({ name }) => name),
  results: (body) =>
    ((body as AnthropicBody).messages ?? [])
      .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => JSON.stringify(content)),
  reply({ number, call }) {
    const named = (type: string, rest: object = {}) => event({ type, ...rest }, type);
    const block = call
      ? { type: 'tool_use', id: `toolu_${number}`, name: call.tool, input: {} }
      : { type: 'text', text: '' };
    const delta = call
      ? { type: 'input_json_delta', partial_json: JSON.stringify(call.arguments) }
      : { type: 'text_delta', text: 'Done.' };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${number}`, type: 'message', role: 'assistant', model: 'scripted' };
    return [
      named('message_start', {
        message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage },
      }),
      named('content_block_start', { index: 0, content_block: block }),
      named('content_block_delta', { index: 0, delta }),
      named('content_block_stop', { index: 0 }),
      named('message_delta', {
        delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage,
      }),
      named('message_stop'),
    ];
  },
};

interface OpenAiBody {
  readonly tools?: readonly { function: { name: string } }[];
  readonly messages?: readonly { role: string; content: unknown }[];
}

const openAi: Dialect = {
  speaks: (path) => path.endsWith('/chat/completions'),
  offered: (body) => ((body as OpenAiBody).tools ?? []).map(({ function: { name } }) => name),
  results: (body) =>
    ((body as OpenAiBody).messages ?? [])
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => JSON.stringify(content)),
  reply({ number, call }) {
    const chunk = (delta: object, finish_reason: string | null) =>
      event({
        id: `chat_${number}`,
        object: 'chat.completion.chunk',
        created: number,
        model: 'scripted',
        choices: [{ index: 0, delta, finish_reason }],
      });
    const toolCall = (tool: string, args: object) => ({
      index: 0,
      id: `call_${number}`,
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(args) },
    });
    return [
      call
        ? chunk({ tool_calls: [toolCall(call.tool, call.arguments)] }, null)
        : chunk({ role: 'assistant', content: 'Done.' }, null),
      chunk({}, call ? 'tool_calls' : 'stop'),
      'data: [DONE]\n\n',
    ];
  },
};

interface GeminiBody {
  readonly tools?: readonly { functionDeclarations?: readonly { name: string }[] }[];
  readonly contents?: readonly { parts?: readonly { functionResponse?: unknown }[] }[];
}

const gemini: Dialect = {
  speaks: (path) => path.includes(':streamGenerateContent'),
  offered: (body) =>
    ((body as GeminiBody).tools ?? [])
      .flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
      .map(({ name }) => name),
  results: (body) =>
    ((body as GeminiBody).contents ?? [])
      .flatMap(({ parts }) => parts ?? [])
      .filter(({ functionResponse }) => functionResponse !== undefined)
      .map(({ functionResponse }) => JSON.stringify(functionResponse)),
  reply({ call }) {
    const part = call
      ? { functionCall: { name: call.tool, args: call.arguments } }
      : { text: 'Done.' };
    const content = { role: 'model', parts: [part] };
    return [event({ candidates: [{ index: 0, content, finishReason: 'STOP' }] })];
  },
};

export const DIALECTS: readonly Dialect[] = [anthropic, openAi, gemini];
