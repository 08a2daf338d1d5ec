import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { CallError } from '#core/call-error.ts';

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** For servers that compress though they were asked not to. What grows beyond the limit is refused. */
export async function decoded(
  bytes: Uint8Array,
  encoding: string | undefined,
  { maxBytes, host }: { readonly maxBytes: number; readonly host: string },
): Promise<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity' || bytes.length === 0) return bytes;
  if (!isKnown(name)) {
    throw new CallError('bad_response', `${host} compresses in a way that was not asked for.`);
  }
  try {
    return await DECODERS[name](bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new CallError('too_large', `${host} answers with more than ${maxBytes} bytes.`);
    }
    throw new CallError('bad_response', `What ${host} compressed cannot be read.`, {
      cause: error,
    });
  }
}

function isKnown(name: string): name is keyof typeof DECODERS {
  return Object.hasOwn(DECODERS, name);
}
