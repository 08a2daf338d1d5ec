import { createDecipheriv, createHash } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { damaged, needsPassword, unsupported } from '../../document-errors.ts';
import type { ByteView } from '../byte-view.ts';

const SPIN_COUNT = 50_000;
const AES: ReadonlySet<number> = new Set([0x660e, 0x660f, 0x6610]);

/** Decrypts a package of Office 2007: AES in ECB mode, with a key derived by SHA-1. */
export function decryptStandard(
  info: ByteView,
  data: Uint8Array,
  size: number,
  password: string,
  format: string,
): Uint8Array {
  const headerBytes = info.u32(8);
  if (!AES.has(info.u32(12 + 8))) throw unsupported(format, 'it is not encrypted with AES');
  const keyBytes = info.u32(12 + 16) / 8;
  if (keyBytes !== 16 && keyBytes !== 24 && keyBytes !== 32)
    throw damaged(format, 'the size of its key is not valid');
  const verifier = 12 + headerBytes;
  const salt = info.slice(verifier + 4, 16);
  const key = deriveKey(password, salt, keyBytes);
  const decrypt = (bytes: Uint8Array): Buffer => {
    const decipher = createDecipheriv(`aes-${keyBytes * 8}-ecb`, key, null).setAutoPadding(false);
    const whole = bytes.subarray(0, bytes.length & ~15);
    return Buffer.concat([decipher.update(whole), decipher.final()]);
  };
  const check = decrypt(info.slice(verifier + 20, 16));
  const expected = decrypt(info.slice(verifier + 40, 32)).subarray(0, 20);
  if (!createHash('sha1').update(check).digest().equals(expected))
    throw needsPassword(format, 'wrong');
  return decrypt(data).subarray(0, size);
}

function deriveKey(password: string, salt: Uint8Array, keyBytes: number): Buffer {
  const sha1 = (...parts: readonly Uint8Array[]): Buffer =>
    createHash('sha1').update(Buffer.concat(parts)).digest();
  let hash = sha1(salt, Buffer.from(password, 'utf16le'));
  const count = Buffer.alloc(4);
  for (let round = 0; round < SPIN_COUNT; round++) {
    count.writeUInt32LE(round);
    hash = sha1(count, hash);
  }
  const last = sha1(hash, Buffer.alloc(4));
  const pad = (byte: number): Buffer => {
    const block = Buffer.alloc(64, byte);
    last.forEach((each, at) => (block[at] = each ^ byte));
    return sha1(block);
  };
  return Buffer.concat([pad(0x36), pad(0x5c)]).subarray(0, keyBytes);
}
