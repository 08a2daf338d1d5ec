import type { Message } from './wire.ts';

/** What a client understands of a message: the answer to something it asked, or anything else. */
export type Heard =
  | {
      readonly is: 'answer';
      readonly id: string;
      /** Of calls that ran. */
      readonly tool?: string;
      readonly reqId?: string;
      readonly ended: 'well' | 'badly';
    }
  | { readonly is: 'other' };

/** How a client puts things. */
export interface Speech {
  /** What must be said first. */
  hello(token: string | undefined): readonly string[];
  call(id: string, tool: string, args: unknown): string;
  cancel(id: string): string;
  /** Asks for something else than a call; with an id where answers have one. */
  list(id: string): string;
  garbage: readonly string[];
  hear(message: Message): Heard;
  /** The id that a message of ours cancels. */
  cancelled(text: string): string | undefined;
  /** What becomes of a call that is cancelled, and of one whose id is in use. */
  readonly afterCancel: 'no-answer' | 'answer';
  readonly duplicate: 'answered' | 'ignored';
  readonly listIsAnswered: boolean;
}

const OTHER: Heard = { is: 'other' };

type Era = 'modern' | 'legacy';

function mcp(era: Era): Speech {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = (id: string, method: string, params: object) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: era === 'modern' ? { ...params, _meta: { ...meta, progressToken: id } } : params,
    });
  return {
    hello: () => [],
    call: (id, name, args) => request(id, 'tools/call', { name, arguments: args }),
    cancel: (requestId) =>
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
    list: (id) => request(id, 'tools/list', {}),
    garbage: ['{', '[]', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"1.0","id":1}'],
    hear(message) {
      const { id, result, error } = message as { id?: unknown; result?: object; error?: object };
      if (typeof id !== 'string' || !(result ?? error)) return OTHER;
      const { structuredContent: envelope, isError } = (result ?? {}) as Record<string, unknown>;
      return heard(id, envelope, error || isError ? 'badly' : 'well');
    },
    cancelled: (text) => /"notifications\/cancelled".*"requestId":"([^"]+)"/.exec(text)?.[1],
    afterCancel: 'no-answer',
    duplicate: 'answered',
    listIsAnswered: true,
  };
}

const exai: Speech = {
  hello: (token) => [JSON.stringify({ op: 'hello', session_id: 's', token: token ?? '' })],
  call: (request_id, name, args) =>
    JSON.stringify({ op: 'call_tool', request_id, name, arguments: args }),
  cancel: (request_id) => JSON.stringify({ op: 'cancel', request_id }),
  list: () => '{"op":"list_tools"}',
  garbage: ['{', '[]', '{"op":7}', '{"op":"helo"}', '{"op":"call_tool"}', '{"op":"health"}'],
  hear(message) {
    const { op, request_id: id, envelope, error } = message;
    if (op !== 'call_tool_res' || typeof id !== 'string') return OTHER;
    return heard(id, envelope, error ? 'badly' : 'well');
  },
  cancelled: (text) => /^{"op":"cancel","request_id":"([^"]+)"/.exec(text)?.[1],
  afterCancel: 'answer',
  duplicate: 'ignored',
  listIsAnswered: false,
};

function heard(id: string, envelope: unknown, ended: 'well' | 'badly'): Heard {
  const { tool, req_id } = (envelope ?? {}) as { tool?: string; req_id?: string };
  return {
    is: 'answer',
    id,
    ended,
    ...(tool !== undefined && { tool }),
    ...(req_id !== undefined && { reqId: req_id }),
  };
}

export const SPEECHES = { modern: mcp('modern'), legacy: mcp('legacy'), exai } as const;
export type SpeechName = keyof typeof SPEECHES;
