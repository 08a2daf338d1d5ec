import type { Fields } from '#core/telemetry.ts';
import type { Timestamps } from '#core/timestamps.ts';

export type Level = 'info' | 'warn' | 'error';

export interface Head {
  readonly moment: Timestamps;
  readonly level: Level;
  readonly event: string;
}

/** What every line of a log carries, as JSON text: made once, when the log is made. */
export interface Bound {
  readonly fields: Fields;
  /** Of the call that the lines belong to; `null` when they belong to none. */
  readonly reqId: string;
  /** The fields behind the head: empty, or `,"name":value,…`. */
  readonly body: string;
}

export const UNBOUND: Bound = { fields: {}, reqId: 'null', body: '' };

const HEAD = new Set(['timestamp_unix', 'timestamp_utc', 'timestamp_local', 'level', 'event']);
const MAX_SHORT_TEXT = 120;

/** Adds fields that have been redacted; those of the same name take the place of earlier ones. */
export function bind(bound: Bound, { req_id: reqId, ...own }: Fields): Bound {
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

/** One line of JSON, at most `maxBytes` long. `own` has been redacted. */
export function formatLine(
  head: Head,
  bound: Bound,
  own: Fields | undefined,
  maxBytes: number,
): string {
  const { reqId, body } = own === undefined ? bound : combine(bound, own);
  const line = `${headOf(head, reqId)}${body}}\n`;
  // No character takes more than three bytes, so most lines need not be measured.
  if (line.length * 3 <= maxBytes || Buffer.byteLength(line) <= maxBytes) return line;
  const shortHead = { ...head, event: head.event.slice(0, MAX_SHORT_TEXT) };
  const shortId = reqId.length > MAX_SHORT_TEXT ? 'null' : reqId;
  return shorten(line, headOf(shortHead, shortId), body, maxBytes);
}

/** What `bind` gives, without building the fields anew when no name clashes. */
function combine(bound: Bound, own: Fields): Pick<Bound, 'reqId' | 'body'> {
  let isFirst = true;
  for (const name in own) {
    const clashes = HEAD.has(name) || Object.hasOwn(bound.fields, name);
    if (clashes || (name === 'req_id' && !isFirst)) return bind(bound, own);
    isFirst = false;
  }
  if (own['req_id'] === undefined) return { reqId: bound.reqId, body: bound.body + bodyOf(own) };
  // It comes first, so that what follows it is the body.
  const reqId = JSON.stringify(own['req_id']);
  const rest = JSON.stringify(own).slice(`{"req_id":${reqId}`.length, -1);
  return { reqId, body: bound.body + rest };
}

function bodyOf(fields: Fields): string {
  const json = JSON.stringify(fields);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}

function headOf({ moment, level, event }: Head, reqId: string): string {
  const { timestamp_unix: unix, timestamp_utc: utc, timestamp_local: local } = moment;
  const times = `"timestamp_unix":${unix},"timestamp_utc":"${utc}","timestamp_local":"${local}"`;
  return `{${times},"level":"${level}","event":${JSON.stringify(event)},"req_id":${reqId}`;
}

/** A line over the limit keeps its head and, as text, as much of its fields as there is room for. */
function shorten(line: string, head: string, body: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(line);
  const format = (chars: number) =>
    `${head},"shortened_from_bytes":${bytes},"fields_begin":${JSON.stringify(body.slice(1, chars))}}\n`;
  let chars = Math.min(body.length, maxBytes);
  while (chars > 0 && Buffer.byteLength(format(chars)) > maxBytes) chars >>= 1;
  return format(chars);
}
