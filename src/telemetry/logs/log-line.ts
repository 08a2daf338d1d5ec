import { oldEventName } from '#core/telemetry/renamed-names.ts';
import type { LogFields } from '#core/telemetry/telemetry.ts';
import type { Timestamps } from '#core/time/timestamps.ts';

export type Level = 'info' | 'warn' | 'error';

export interface LogLineHead {
  readonly moment: Timestamps;
  readonly level: Level;
  readonly event: string;
}

/** Fields of every line of a log, serialized once when the log is created. */
export interface BoundFields {
  readonly fields: LogFields;
  /** The request id as JSON; `null` without one. */
  readonly reqId: string;
  /** The fields after the head: empty, or `,"name":value,…`. */
  readonly body: string;
}

export const UNBOUND: BoundFields = { fields: {}, reqId: 'null', body: '' };

const HEAD = new Set([
  'timestamp_unix',
  'timestamp_utc',
  'timestamp_local',
  'level',
  'event',
  'event_alias',
]);
const MAX_SHORT_TEXT = 120;

/** Adds redacted fields; they replace earlier ones of the same name. */
export function bindFields(bound: BoundFields, { req_id: reqId, ...own }: LogFields): BoundFields {
  const fields: Record<string, unknown> = { ...bound.fields, ...own };
  for (const name of HEAD) {
    if (!Object.hasOwn(fields, name)) continue;
    fields[`${name}_`] = fields[name];
    delete fields[name];
  }
  return {
    fields,
    reqId: reqId === undefined ? bound.reqId : JSON.stringify(reqId),
    body: bodyOf(fields),
  };
}

/** Formats one line of JSON of at most `maxBytes`. `own` is redacted already. */
export function formatLogJson(
  head: LogLineHead,
  bound: BoundFields,
  own: LogFields | undefined,
  maxBytes: number,
): string {
  const { reqId, body } = own === undefined ? bound : combine(bound, own);
  const line = `${headOf(head, reqId)}${body}}\n`;
  // A UTF-16 unit takes at most three bytes, so most lines need not be measured.
  if (line.length * 3 <= maxBytes || Buffer.byteLength(line) <= maxBytes) return line;
  const shortHead = { ...head, event: head.event.slice(0, MAX_SHORT_TEXT) };
  const shortId = reqId.length > MAX_SHORT_TEXT ? 'null' : reqId;
  return shorten(line, headOf(shortHead, shortId), body, maxBytes);
}

/** The result of `bindFields`, without merging the fields when no name clashes. */
function combine(bound: BoundFields, own: LogFields): Pick<BoundFields, 'reqId' | 'body'> {
  let isFirst = true;
  for (const name in own) {
    const clashes = HEAD.has(name) || Object.hasOwn(bound.fields, name);
    if (clashes || (name === 'req_id' && !isFirst)) return bindFields(bound, own);
    isFirst = false;
  }
  if (own['req_id'] === undefined) return { reqId: bound.reqId, body: bound.body + bodyOf(own) };
  // `req_id` is the first field, so the rest is the body.
  const reqId = JSON.stringify(own['req_id']);
  const rest = JSON.stringify(own).slice(`{"req_id":${reqId}`.length, -1);
  return { reqId, body: bound.body + rest };
}

function bodyOf(fields: LogFields): string {
  const json = JSON.stringify(fields);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}

function headOf({ moment, level, event }: LogLineHead, reqId: string): string {
  const { timestamp_unix: unix, timestamp_utc: utc, timestamp_local: local } = moment;
  const times = `"timestamp_unix":${unix},"timestamp_utc":"${utc}","timestamp_local":"${local}"`;
  const old = oldEventName(event);
  const alias = old === undefined ? '' : `,"event_alias":"${old}"`;
  return `{${times},"level":"${level}","event":${JSON.stringify(event)}${alias},"req_id":${reqId}`;
}

/** Shortens a line over the limit to its head and the beginning of its fields as text. */
function shorten(line: string, head: string, body: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(line);
  const format = (chars: number) =>
    `${head},"shortened_from_bytes":${bytes},"fields_begin":${JSON.stringify(body.slice(1, chars))}}\n`;
  let chars = Math.min(body.length, maxBytes);
  while (chars > 0 && Buffer.byteLength(format(chars)) > maxBytes) chars >>= 1;
  return format(chars);
}
