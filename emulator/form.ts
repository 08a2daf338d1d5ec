import type { FormPart } from './vendor.ts';

const BREAK = Buffer.from('\r\n\r\n');

/** Reads a `multipart/form-data` body; nothing of it that is malformed becomes a part. */
export function readForm(contentType: string | undefined, body: Buffer): readonly FormPart[] {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return [];
  const first = Buffer.from(`--${boundary}`);
  const between = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  let start = body.indexOf(first) + first.length;
  while (start >= first.length && body[start] === 0x0d) {
    const next = body.indexOf(between, start);
    if (next === -1) break;
    const part = readPart(body.subarray(start + 2, Math.max(start + 2, next)));
    if (part !== undefined) parts.push(part);
    start = next + between.length;
  }
  return parts;
}

function boundaryOf(contentType: string | undefined): string | undefined {
  if (contentType?.startsWith('multipart/form-data') !== true) return undefined;
  const match = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

function readPart(raw: Buffer): FormPart | undefined {
  const head = raw.indexOf(BREAK);
  if (head === -1) return undefined;
  const headers = new Map<string, string>();
  for (const line of raw.subarray(0, head).toString('utf8').split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0)
      headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = headers.get('content-disposition') ?? '';
  const name = /[;\s]name="([^"]*)"/i.exec(disposition)?.[1];
  if (name === undefined) return undefined;
  return {
    name,
    filename: /[;\s]filename="([^"]*)"/i.exec(disposition)?.[1],
    type: headers.get('content-type'),
    data: raw.subarray(head + BREAK.length),
  };
}
