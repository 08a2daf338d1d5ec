import type { Envelope } from '#core/calls/envelope.schema.ts';
import { ENVELOPE_KEY } from '#mcp/meta-keys.ts';

/** The envelope of a `tools/call` result; throws if it has none. */
export function envelopeOf(result: unknown): Envelope {
  const { _meta } = (result ?? {}) as { readonly _meta?: Readonly<Record<string, unknown>> };
  const envelope = _meta?.[ENVELOPE_KEY];
  if (envelope === undefined) throw new Error(`No envelope: ${JSON.stringify(result)}`);
  return envelope as Envelope;
}

/** The part of a `tools/call` result that has the envelope. */
export function withEnvelope<E>(envelope: E): { readonly _meta: { readonly [ENVELOPE_KEY]: E } } {
  return { _meta: { [ENVELOPE_KEY]: envelope } };
}
