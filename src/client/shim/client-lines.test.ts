import { expect } from 'vitest';
import type { CallError } from '#core/errors/call-error.ts';
import { LARGE_BODY_BYTES } from '#core/large-json/parse-large-body.ts';
import { verifies } from '../../../test/verifies.ts';
import { createClientLines } from './client-lines.ts';
import { readRpcLine, type RpcLine } from './rpc-lines.ts';

interface Told {
  readonly line: string;
  readonly message: RpcLine | undefined;
}

function collect() {
  const told: Told[] = [];
  const reading: string[] = [];
  const refused: CallError['class'][] = [];
  const lines = createClientLines({
    maxBytes: 4 * LARGE_BODY_BYTES,
    mark: 'secret',
    onLine: (line, message) => void told.push({ line, message }),
    onRefused: (error) => void refused.push(error.class),
    onReading: (state) => void reading.push(state),
  });
  const push = (...texts: readonly string[]) => {
    for (const text of texts) lines.push(Buffer.from(`${text}\n`));
  };
  const end = () => new Promise<void>((resolve) => lines.end(resolve));
  return { lines, push, end, told, reading, refused };
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
/** A call with a file as content, and one with a text that has escapes. */
const CALLS = [
  { filename: 'a.bin', content: 'QUJD'.repeat(LARGE_BODY_BYTES / 4) },
  { name: 'a.txt', text: 'é "quoted"\n'.repeat(LARGE_BODY_BYTES / 10) },
].map((file) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 'large',
    method: 'tools/call',
    params: { name: 'chat', arguments: { files: [file] } },
  }),
);

verifies('transports:large', 'the shim reads a large line as it reads any other', async () => {
  for (const call of CALLS) {
    const { push, end, told, reading } = collect();
    push(PING, call, PING);
    expect(told).toEqual([{ line: PING, message: undefined }]);
    await end();
    expect(told.map(({ line }) => line)).toEqual([PING, call, PING]);
    expect(told[1]?.message).toEqual(readRpcLine(call));
    expect(reading).toEqual(['off', 'on']);
  }
});

verifies('transports:large', 'the shim passes on a large line that is no JSON', async () => {
  const { push, end, told } = collect();
  const broken = (CALLS[0] ?? '').slice(0, -1);
  push(broken);
  await end();
  expect(told).toEqual([{ line: broken, message: { is: 'other' } }]);
});

verifies('transports:large', 'the shim refuses a large line that is not UTF-8', async () => {
  const { lines, push, end, told, refused } = collect();
  lines.push(Buffer.alloc(LARGE_BODY_BYTES + 1, 0xff));
  push('', PING);
  await end();
  expect(refused).toEqual(['bad_request']);
  expect(told).toEqual([{ line: PING, message: undefined }]);
});
