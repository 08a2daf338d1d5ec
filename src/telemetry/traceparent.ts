import type { SpanContext } from '@opentelemetry/api';

// W3C Trace Context: version 00 ends after the flags; later versions may go on after another dash. ff is not one.
const SHAPE = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const MAX_CHARS = 256;

/** The caller's span, or nothing when the header is not a valid one. */
export function parseTraceparent(header: string): SpanContext | undefined {
  if (header.length > MAX_CHARS) return undefined;
  const [, version, traceId, spanId, flags, more] = SHAPE.exec(header.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
