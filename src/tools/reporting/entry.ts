import type { JsonObject } from '#core/json.ts';
import type { CallRecord } from '#core/stores/calls.ts';

/** One thing that happened: as a line to read and search, and as data. */
export interface Entry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly line: string;
  readonly row: JsonObject;
}

/** A call of the audit: who did what, when and how it ended. */
export function callEntry(call: CallRecord): Entry {
  const { reqId, principal, agent, door, tool, status, errorClass } = call;
  const at = new Date(call.at).toISOString();
  const elapsedMs = Math.round(call.elapsedMs);
  const outcome = errorClass === null ? status : `${status} ${errorClass}`;
  const who = agent === null ? principal : `${agent} of ${principal}`;
  return {
    at: call.at,
    line: oneLine(`${at} ${tool} ${outcome} ${elapsedMs} ms, ${who} by ${door}, ${reqId}`),
    row: {
      at,
      req_id: reqId,
      principal,
      agent,
      door,
      tool,
      status,
      error_class: errorClass,
      elapsed_ms: elapsedMs,
    },
  };
}

const HEAD = new Set(['timestamp_unix', 'timestamp_utc', 'timestamp_local', 'level', 'event']);

/** A line of the daemon's log; nothing when it is none of ours. */
export function logEntry(stored: string): (Entry & { readonly level: string }) | undefined {
  const row = parse(stored);
  const { timestamp_unix: unix, timestamp_utc: utc, level, event } = row ?? {};
  if (typeof unix !== 'number' || typeof level !== 'string' || !row) return undefined;
  const fields = Object.entries(row)
    .filter(([name, value]) => value !== null && !HEAD.has(name))
    .map(([name, value]) => `${name}=${words(value)}`);
  const line = [utc, level, event, ...fields].map(String).join(' ');
  return { at: unix * 1000, level, line: oneLine(line), row };
}

/** A failure is told by its message; the rest of it is in the row. */
function words(value: unknown): string {
  if (typeof value === 'string') return value;
  const { class: errorClass, name, message, fix } = isObject(value) ? value : {};
  if (typeof message !== 'string') return JSON.stringify(value);
  return [
    ...[errorClass ?? name].flatMap((kind) => (typeof kind === 'string' ? `${kind}:` : [])),
    message,
    ...(typeof fix === 'string' ? [fix] : []),
  ].join(' ');
}

function parse(stored: string): JsonObject | undefined {
  try {
    const row: unknown = JSON.parse(stored);
    return isObject(row) ? row : undefined;
  } catch {
    // Not a line of ours, or half of one: there is nothing to tell from it.
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an entry quotes may come from a stranger: it stays on its line, and no terminal obeys it. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
