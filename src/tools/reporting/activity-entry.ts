import type { JsonObject } from '#core/json/json.ts';
import { currentEventName } from '#core/telemetry/renamed-names.ts';
import type { CallRecord } from '#core/stores/calls.ts';

/** A call or log line, as text to search and as data. */
export interface ActivityEntry {
  readonly at: number;
  readonly line: string;
  readonly row: JsonObject;
}

/** An entry of the call audit. */
export function callEntry(call: CallRecord): ActivityEntry {
  const { reqId, principal, agent, door, tool, via, status, errorClass, clientInfo, access } = call;
  const at = new Date(call.at).toISOString();
  const elapsedMs = Math.round(call.elapsedMs);
  const outcome = errorClass === null ? status : `${status} ${errorClass}`;
  const person = agent === null ? principal : `${agent} of ${principal}`;
  const who = clientInfo ? `${person} with ${clientInfo.name}` : person;
  return {
    at: call.at,
    line: oneLine(
      `${at} ${tool}${via === undefined ? '' : ` (via ${via})`} ${outcome} ${elapsedMs} ms, ${who} by ${door}, ${reqId}`,
    ),
    row: {
      at,
      req_id: reqId,
      principal,
      agent,
      ...(clientInfo && { client: { ...clientInfo } }),
      door,
      tool,
      ...(via !== undefined && { via }),
      status,
      error_class: errorClass,
      elapsed_ms: elapsedMs,
      ...(access && { access: { verdict: access.verdict, because: [...access.because] } }),
    },
  };
}

const HEAD = new Set(['timestamp_unix', 'timestamp_utc', 'timestamp_local', 'level', 'event']);

/** An entry of the daemon's log; undefined for a foreign line. */
export function logEntry(stored: string): (ActivityEntry & { readonly level: string }) | undefined {
  const row = withCurrentEvent(parse(stored));
  const { timestamp_unix: unix, timestamp_utc: utc, level, event } = row ?? {};
  if (typeof unix !== 'number' || typeof level !== 'string' || !row) return undefined;
  const fields = Object.entries(row)
    .filter(([name, value]) => value !== null && !HEAD.has(name))
    .map(([name, value]) => `${name}=${formatField(value)}`);
  const line = [utc, level, event, ...fields].map(String).join(' ');
  return { at: unix * 1000, level, line: oneLine(line), row };
}

/**
 * A line written before 0.2.0 gets the event name of today and the old one as alias, as new lines
 * have both.
 */
function withCurrentEvent(row: JsonObject | undefined): JsonObject | undefined {
  const old = row?.['event'];
  if (typeof old !== 'string') return row;
  const event = currentEventName(old);
  return event === undefined ? row : { ...row, event, event_alias: old };
}

/** A field of a log line as text; an error is shown by its message. */
function formatField(value: unknown): string {
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
    // A foreign or incomplete line.
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces control characters: quoted text may be untrusted and must not reach a terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
