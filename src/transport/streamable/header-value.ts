import { isUtf8 } from 'node:buffer';

const PREFIX = '=?base64?';
const SUFFIX = '?=';
// With its padding, as the specification wants it; node would take less for it.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * What a header of MCP stands for. Values that a header cannot hold come as `=?base64?…?=`; nothing when such a one is
 * malformed. Everything else is meant literally.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const coded = value.slice(PREFIX.length, -SUFFIX.length);
  if (value.length < PREFIX.length + SUFFIX.length || !BASE64.test(coded)) return undefined;
  const bytes = Buffer.from(coded, 'base64');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
