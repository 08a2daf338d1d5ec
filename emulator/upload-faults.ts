import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import { readBody } from './ask.ts';
import type { Fault } from './vendor.ts';

/** Faults that come while an upload is received. */
export const UPLOAD_FAULTS: Readonly<Record<string, string>> = {
  'F15.cut': 'the connection is reset when half of an upload has come',
  'F15.slow': 'an upload is received only after with.ms',
};

export function isUpload(req: IncomingMessage): boolean {
  return (
    req.method === 'POST' && req.headers['content-type']?.startsWith('multipart/form-data') === true
  );
}

const DEFAULT_MS = 200;

/** The body of a request, or `cut` if the connection was reset within it. */
export async function receive(
  req: IncomingMessage,
  fault: Fault | undefined,
): Promise<Buffer | 'too large' | 'cut'> {
  if (fault?.id === 'F15.slow') await sleep(Number(fault.with?.['ms'] ?? DEFAULT_MS));
  if (fault?.id !== 'F15.cut') return readBody(req);
  const half = Number(req.headers['content-length'] ?? 0) / 2;
  let bytes = 0;
  for await (const chunk of req) {
    bytes += (chunk as Buffer).length;
    if (bytes >= half) break;
  }
  req.socket.resetAndDestroy();
  return 'cut';
}
