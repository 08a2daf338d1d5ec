import type { ContentBlock } from './content-blocks.ts';

/** One event of a stream, ready to be sent. */
export function event(type: string, data: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

export const PING = event('ping', {});
export const MESSAGE_STOP = event('message_stop', {});

export function blockStart(index: number, block: ContentBlock): string {
  return event('content_block_start', { index, content_block: block });
}

export function blockStop(index: number): string {
  return `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`;
}

/** What is added to a block, under these names. */
export const DELTAS = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  signature: ['signature_delta', 'signature'],
  tool_use: ['input_json_delta', 'partial_json'],
} as const;

/** Everything of such an event before its text, which is the same for all of a block. */
export function deltaHead(index: number, kind: keyof typeof DELTAS): string {
  const [type, member] = DELTAS[kind];
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":`;
}

export function delta(head: string, text: string): string {
  return `${head}${JSON.stringify(text)}}}\n\n`;
}
