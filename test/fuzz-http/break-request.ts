import type { SeededRandom } from '../sim/random.ts';

const GARBAGE = Buffer.from('}}garbage\r\n\r\n');

type Break = (random: SeededRandom, head: string, body: Buffer) => Buffer;

/** Ways in which a request is none by the rules of HTTP, or ends too early. */
const BREAKS: readonly Break[] = [
  (random, head, body) => {
    const whole = joined(head, body);
    return whole.subarray(0, random.between(5, whole.length - 1));
  },
  flipped,
  (_, head, body) =>
    joined(withHeaders(head, 'Content-Length: 4', 'Transfer-Encoding: chunked'), body),
  (_, head, body) => joined(withHeaders(head, 'Content-Length: 3', 'Content-Length: 5'), body),
  (random, head, body) => {
    const length = random.pick(['-1', '1e9', '0x10', '99999999999999999999', '4, 4', ' ', '+4']);
    return joined(withHeaders(head, `Content-Length: ${length}`), body);
  },
  (random, head) => {
    const size = random.pick(['zz', '-1', 'ffffffffffffffff1', '', '5;', ' 5', '5\n', '0x5']);
    return joined(
      withHeaders(head, 'Transfer-Encoding: chunked'),
      Buffer.from(`${size}\r\nhello\r\n`),
    );
  },
  (random, head, body) => {
    const coding = random.pick(['gzip', 'chunked, chunked', 'chunked, gzip', 'x', 'identity']);
    return joined(withHeaders(head, `Transfer-Encoding: ${coding}`), body);
  },
  // Shorter than it says, and longer.
  (random, head, body) => {
    return joined(
      withHeaders(head, `Content-Length: ${body.length + random.between(1, 1e6)}`),
      body,
    );
  },
  tooShortALength,
  (_, head, body) => joined(withLine(head, 'X-Folded: a\r\n b'), body),
  (_, head, body) => joined(withLine(head, 'X-Nul: a\0b'), body),
  (_, head, body) => joined(withLine(head, 'X-Space : a'), body),
  (_, head, body) => joined(withLine(head, 'no colon at all'), body),
  (_, head, body) => joined(withLine(head, `X-Huge: ${'h'.repeat(20_000)}`), body),
  (_, head, body) =>
    joined(
      withLine(head, Array.from({ length: 3000 }, (_each, n) => `X-${n}: 1`).join('\r\n')),
      body,
    ),
  (_, head, body) => joined(head.replaceAll('\r\n', '\n'), body),
  (_, head, body) => joined(head.replaceAll('\r\n', '\r'), body),
  (random, head, body) => {
    const version = random.pick(['', 'HTTP/9.9', 'HTTX/1.1', 'HTTP/1.1 x', 'http/1.1']);
    return joined(head.replace(/HTTP\/1\.[01]/, version), body);
  },
  (random) => Buffer.from([0x16, 0x03, 0x01, ...random.bytes(random.between(1, 500))]),
  (random, head, body) => joined(` ${random.pick(['\0', '{', 'GET', 'x'])}${head}`, body),
  () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  (random, head) => Buffer.from(head.split(' ')[0]?.repeat(random.between(2, 50)) ?? 'x'),
];

export function breakRequest(random: SeededRandom, bytes: Buffer): Buffer {
  const end = bytes.indexOf('\r\n\r\n') + 4;
  return random.pick(BREAKS)(random, bytes.toString('latin1', 0, end), bytes.subarray(end));
}

/** Among other things what it says of its length may be gone. */
function flipped(random: SeededRandom, head: string, body: Buffer): Buffer {
  const whole = Buffer.from(joined(head, body));
  const times = random.between(1, 5);
  for (let n = 0; n < times; n++) {
    whole[random.between(0, head.length - 1)] = random.between(0, 255);
  }
  return whole;
}

function tooShortALength(random: SeededRandom, head: string, body: Buffer): Buffer {
  const less = Math.max(0, body.length - random.between(1, 50));
  return joined(withHeaders(head, `Content-Length: ${less}`), Buffer.concat([body, GARBAGE]));
}

function joined(head: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

/** With these in the place of what it says about its length. */
function withHeaders(head: string, ...lines: readonly string[]): string {
  const rest = head.replaceAll(/^(?:content-length|transfer-encoding):.*\r\n/gim, '');
  return withLine(rest, lines.join('\r\n'));
}

function withLine(head: string, line: string): string {
  return `${head.slice(0, -2)}${line}\r\n\r\n`;
}
