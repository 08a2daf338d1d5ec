import type { Progress } from '#core/calls/call.ts';
import type { LogLevel } from '#core/tools/input-request.ts';
import { oneLine } from '#core/text/text.ts';
import type { Members } from '#mcp/json-rpc.ts';
import { isLogLevel } from '#mcp/protocol-meta.ts';

/** The progress that a server reports, as far as it is valid. */
export function toProgress(params: Members, maxNoteChars: number): Progress {
  const { progress, total, message } = params;
  return {
    ...(isAmount(progress) && { done: progress }),
    ...(isAmount(total) && { total }),
    ...(typeof message === 'string' && { note: oneLine(message, maxNoteChars) }),
  };
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function toLogMessage(
  params: Members,
): { readonly level: LogLevel; readonly data: unknown } | undefined {
  const { level, data } = params;
  return isLogLevel(level) ? { level, data } : undefined;
}
