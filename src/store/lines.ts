import type { Readable } from 'node:stream';
import { CallError } from '#core/call-error.ts';

const NEWLINE = 0x0a;

/**
 * The lines of a byte stream, without their newline. Node's readline also breaks at U+2028, which JSON leaves as it is,
 * and holds a line of any length.
 */
export async function* readLines(stream: Readable, maxBytes: number): AsyncIterable<string> {
  let pending: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...pending, chunk.subarray(from, end)]).toString('utf8');
      pending = [];
      held = 0;
      from = end + 1;
    }
    held += chunk.length - from;
    if (held > maxBytes)
      throw new CallError('too_large', `A line is longer than ${maxBytes} bytes.`);
    if (from < chunk.length) pending.push(chunk.subarray(from));
  }
  if (held > 0) yield Buffer.concat(pending).toString('utf8');
}
