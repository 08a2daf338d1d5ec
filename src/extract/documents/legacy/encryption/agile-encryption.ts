import { createDecipheriv, createHash } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { damaged, needsPassword, tooLarge, unsupported } from '../../document-errors.ts';

const SEGMENT_BYTES = 4096;
const MAX_DESCRIPTION_BYTES = 64 * 1024;
const MAX_SPIN_COUNT = 2_000_000;
/** Which of the values is decrypted with a derived key (MS-OFFCRYPTO 2.3.4.13). */
const PURPOSE = {
  check: Buffer.from('fea7d2763b4b9e79', 'hex'),
  checkHash: Buffer.from('d7aa0f6d3061344e', 'hex'),
  key: Buffer.from('146e0be7abacd0d6', 'hex'),
} as const;
const HASHES = new Set(['SHA1', 'SHA256', 'SHA384', 'SHA512', 'MD5']);

interface CipherSettings {
  readonly salt: Buffer;
  readonly blockBytes: number;
  readonly keyBytes: number;
  readonly hash: string;
}

/** Decrypts a package of Office 2010 and later: AES in CBC mode, described in XML. */
export function decryptAgile(
  description: Uint8Array,
  data: Uint8Array,
  size: number,
  password: string,
  format: string,
): Uint8Array {
  const xml = Buffer.from(description.subarray(0, MAX_DESCRIPTION_BYTES)).toString('utf8');
  const own = /<keyData\b([^>]*)>/.exec(xml)?.[1];
  const forPassword = /<(?:\w+:)?encryptedKey\b([^>]*)>/.exec(xml)?.[1];
  if (own === undefined || forPassword === undefined)
    throw unsupported(format, 'it is not encrypted with a password');
  const settings = readSettings(own, format);
  const keySettings = readSettings(forPassword, format);
  const spins = Number(attribute(forPassword, 'spinCount'));
  if (!(spins >= 0 && spins <= MAX_SPIN_COUNT))
    throw tooLarge('rounds of its key derivation', MAX_SPIN_COUNT);
  const base = spin(password, keySettings, spins);
  const open = (name: string, purpose: Buffer): Buffer => {
    const sealed = Buffer.from(attribute(forPassword, name), 'base64');
    const key = fit(hash(keySettings.hash, base, purpose), keySettings.keyBytes);
    return decrypt(key, fit(keySettings.salt, keySettings.blockBytes), sealed, format);
  };
  const check = open('encryptedVerifierHashInput', PURPOSE.check);
  const expected = open('encryptedVerifierHashValue', PURPOSE.checkHash);
  const actual = hash(keySettings.hash, check.subarray(0, keySettings.salt.length));
  if (!expected.subarray(0, actual.length).equals(actual)) throw needsPassword(format, 'wrong');
  const key = open('encryptedKeyValue', PURPOSE.key).subarray(0, settings.keyBytes);
  const segments: Buffer[] = [];
  const number = Buffer.alloc(4);
  for (let at = 0; at < data.length; at += SEGMENT_BYTES) {
    number.writeUInt32LE(at / SEGMENT_BYTES);
    const start = fit(hash(settings.hash, settings.salt, number), settings.blockBytes);
    segments.push(decrypt(key, start, data.subarray(at, at + SEGMENT_BYTES), format));
  }
  return Buffer.concat(segments).subarray(0, size);
}

function readSettings(attributes: string, format: string): CipherSettings {
  const name = attribute(attributes, 'hashAlgorithm').toUpperCase().replace('-', '');
  const keyBytes = Number(attribute(attributes, 'keyBits')) / 8;
  const isKnown =
    HASHES.has(name) &&
    attribute(attributes, 'cipherAlgorithm') === 'AES' &&
    attribute(attributes, 'cipherChaining').endsWith('CBC') &&
    (keyBytes === 16 || keyBytes === 24 || keyBytes === 32);
  if (!isKnown) throw unsupported(format, 'its encryption is not known');
  return {
    salt: Buffer.from(attribute(attributes, 'saltValue'), 'base64'),
    blockBytes: 16,
    keyBytes,
    hash: name.toLowerCase(),
  };
}

function attribute(attributes: string, name: string): string {
  return new RegExp(String.raw`\b${name}\s*=\s*"([^"]*)"`).exec(attributes)?.[1] ?? '';
}

function spin(password: string, settings: CipherSettings, spins: number): Buffer {
  let value = hash(settings.hash, settings.salt, Buffer.from(password, 'utf16le'));
  const count = Buffer.alloc(4);
  for (let round = 0; round < spins; round++) {
    count.writeUInt32LE(round);
    value = hash(settings.hash, count, value);
  }
  return value;
}

function hash(name: string, ...parts: readonly Uint8Array[]): Buffer {
  const digest = createHash(name);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** Cut, or filled up with 0x36. */
function fit(bytes: Buffer, length: number): Buffer {
  const fitted = Buffer.alloc(length, 0x36);
  bytes.copy(fitted, 0, 0, length);
  return fitted;
}

function decrypt(key: Buffer, start: Buffer, sealed: Uint8Array, format: string): Buffer {
  const whole = sealed.subarray(0, sealed.length & ~15);
  if (whole.length === 0 && sealed.length > 0) return Buffer.alloc(0);
  if (key.length !== 16 && key.length !== 24 && key.length !== 32)
    throw damaged(format, 'its key is not valid');
  const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, start).setAutoPadding(false);
  return Buffer.concat([decipher.update(whole), decipher.final()]);
}
