import { ENVELOPE_KEY } from '#mcp/meta-keys.ts';

/**
 * The envelope of a `tools/call` result, not validated. Daemons before 0.2 send it as
 * `structuredContent` only. Undefined if the result has none.
 */
export function readEnvelope(result: unknown): unknown {
  const { _meta, structuredContent } = asRecord(result);
  return asRecord(_meta)[ENVELOPE_KEY] ?? structuredContent;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
