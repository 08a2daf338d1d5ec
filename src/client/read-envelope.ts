import { ENVELOPE_KEY } from '#mcp/meta-keys.ts';

/**
 * The envelope of a `tools/call` result, not validated. Daemons before 0.2 send it as
 * `structuredContent` only. Undefined if the result has none.
 */
export function readEnvelope(result: unknown): unknown {
  const { _meta, structuredContent, content } = asRecord(result);
  const envelope = asRecord(_meta)[ENVELOPE_KEY];
  if (envelope === undefined) return structuredContent;
  if (!isOfUpstreamTool(asRecord(envelope))) return envelope;
  return { ...asRecord(envelope), content: structuredContent ?? textOf(content) };
}

/** Envelopes of tools of other servers leave out the content, which is in the result itself. */
function isOfUpstreamTool({ tool, content, error_class: errorClass }: Record<string, unknown>) {
  const isAnswer = errorClass === undefined || errorClass === 'tool_error';
  return content === null && isAnswer && typeof tool === 'string' && tool.startsWith('mcp__');
}

/** The text of content blocks, or the blocks where others are among them. */
function textOf(blocks: unknown): unknown {
  if (!Array.isArray(blocks)) return null;
  const texts = blocks
    .map((block) => asRecord(block))
    .map(({ type, text }) => type === 'text' && text);
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : blocks;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
