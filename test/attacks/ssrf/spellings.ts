/** An IPv4 address that is not public, written as a URL may write it. */
export interface Spelled {
  readonly address: string;
  /** As the host of a URL. */
  readonly host: string;
}

const NOT_PUBLIC = ['127.0.0.1', '169.254.169.254', '10.0.0.1', '172.16.0.1', '100.64.0.1'];

const FULLWIDTH_ZERO = 0xff10;
const CIRCLED_ONE = 0x2460;

type Bytes = readonly [number, number, number, number];

const SPELLINGS: readonly ((bytes: Bytes) => string)[] = [
  (bytes) => bytes.join('.'),
  (bytes) => `${bytes.join('.')}.`,
  (bytes) => `${numberOf(bytes)}`,
  (bytes) => `0x${numberOf(bytes).toString(16)}`,
  (bytes) => `0${numberOf(bytes).toString(8)}`,
  (bytes) => bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
  (bytes) => bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
  (bytes) => bytes.map((byte) => `0000${byte.toString(8)}`).join('.'),
  ([a, b, c, d]) => `${a}.${b * 65_536 + c * 256 + d}`,
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  ([a, b, c, d]) => `0x${a.toString(16)}.${b}.0${c.toString(8)}.${d}`,
  (bytes) => bytes.join('。'),
  (bytes) => bytes.join('．'),
  (bytes) => bytes.map(fullwidth).join('.'),
  (bytes) => bytes.map(circled).join('.'),
  (bytes) => percentEncoded(bytes.join('.')),
  (bytes) => `[::ffff:${bytes.join('.')}]`,
  (bytes) => `[::ffff:${groups(bytes)}]`,
  (bytes) => `[0:0:0:0:0:ffff:${groups(bytes)}]`,
  (bytes) => `[::${bytes.join('.')}]`,
  (bytes) => `[::ffff:0:${bytes.join('.')}]`,
  (bytes) => `[64:ff9b::${groups(bytes)}]`,
  (bytes) => `[64:ff9b:1::${groups(bytes)}]`,
  (bytes) => `[2002:${groups(bytes)}::1]`,
  (bytes) => `[2001:0:${groups(bytes)}::1]`,
];

/** Each of the addresses in each of the spellings. */
export const SPELLED: readonly Spelled[] = NOT_PUBLIC.flatMap((address) => {
  const bytes = address.split('.').map(Number) as unknown as Bytes;
  return SPELLINGS.map((spell) => ({ address, host: spell(bytes) }));
});

function numberOf(bytes: Bytes): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

function groups([a, b, c, d]: Bytes): string {
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function fullwidth(byte: number): string {
  return Array.from(`${byte}`)
    .map((digit) => String.fromCodePoint(FULLWIDTH_ZERO + Number(digit)))
    .join('');
}

function circled(byte: number): string {
  const digitOf = (digit: number) =>
    digit === 0 ? '⓪' : String.fromCodePoint(CIRCLED_ONE + digit - 1);
  return Array.from(`${byte}`)
    .map((digit) => digitOf(Number(digit)))
    .join('');
}

function percentEncoded(text: string): string {
  return Array.from(text)
    .map((letter) => `%${letter.charCodeAt(0).toString(16)}`)
    .join('');
}
