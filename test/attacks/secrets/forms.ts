/** A text that must not be found anywhere, in every form that would give it away. */
export interface Sought {
  readonly secret: string;
  readonly form: string;
  readonly text: string;
}

/** Less could be there by chance. */
const LEAST_CHARS = 10;

export function formsOf(secret: string): readonly Sought[] {
  const bytes = Buffer.from(secret);
  const half = Math.floor(secret.length / 2);
  const forms: readonly (readonly [string, string])[] = [
    ['as it is', secret],
    ['its first half', secret.slice(0, half)],
    ['its second half', secret.slice(half)],
    ['reversed', Array.from(secret).toReversed().join('')],
    ['hex', bytes.toString('hex')],
    ['upper-case hex', bytes.toString('hex').toUpperCase()],
    ['escaped for JSON', Array.from(secret, (letter) => unicodeEscape(letter)).join('')],
    ['percent-encoded', Array.from(bytes, (byte) => `%${byte.toString(16)}`).join('')],
    ['with spaces', Array.from(secret).join(' ')],
    ['in UTF-16', Array.from(secret).join('\0')],
    ...aligned(bytes).map(([form, text]) => [form, text] as const),
  ];
  return forms.flatMap(([form, text]) => {
    return text.length < LEAST_CHARS ? [] : [{ secret, form, text }];
  });
}

/**
 * Base64 depends on where in the encoded text it begins: three ways, each without the letters that
 * others share.
 */
function aligned(bytes: Buffer): (readonly [string, string])[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const from = offset === 0 ? 0 : 4;
    const whole = Math.floor(padded.length / 3) * 4;
    const plain = padded.toString('base64').slice(from, whole);
    const url = padded.toString('base64url').slice(from, whole);
    return [
      [`base64 at ${offset}`, plain] as const,
      ...(url === plain ? [] : [[`base64url at ${offset}`, url] as const]),
    ];
  });
}

function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** What of it stands in a text or in the bytes of a file. */
export function findSecrets(where: string | Buffer, sought: readonly Sought[]): readonly string[] {
  return sought
    .filter(({ text }) => where.includes(text))
    .map(({ secret, form }) => `${secret.slice(0, 6)}… ${form}`);
}
