import { MASK } from '#core/secret-names.ts';

/**
 * A shorter value would be found in ordinary words and hide half of every line. Keys are far longer; a token that
 * opens the daemon to other machines must be, too, and one for this machine alone is worth nothing elsewhere.
 */
const SHORTEST = 6;

export interface SecretValues {
  mask(text: string): string;
  /** Characters of the longest form searched for. */
  readonly longest: number;
}

/** Finds the given secrets in a text, plain or as URLs, JSON, HTML forms, hex and base64 carry them, in capitals or not. */
export function createSecretValues(secrets: readonly string[]): SecretValues {
  const forms = new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf));
  if (forms.size === 0) return { mask: (text) => text, longest: 0 };
  // The longest first, so that a secret which begins like another is hidden whole.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  const shortest = sorted.at(-1)?.length ?? 0;
  const pattern = new RegExp(sorted.map(escapeForRegExp).join('|'), 'gi');
  return {
    mask: (text) => (text.length < shortest ? text : text.replace(pattern, MASK)),
    longest: sorted[0]?.length ?? 0,
  };
}

function formsOf(secret: string): string[] {
  const escaped = inJson(secret);
  const url = inUrl(secret);
  return [
    secret,
    escaped,
    inJson(escaped),
    url,
    url.replaceAll('%20', '+'),
    Buffer.from(secret).toString('hex'),
    ...inBase64(secret),
  ];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inUrl(text: string): string {
  // Half a surrogate pair cannot be encoded; Buffer writes the replacement character as a server would.
  return encodeURIComponent(Buffer.from(text).toString());
}

/** The characters that a secret yields at each of the three positions it can have in a longer encoded text. */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    // A character at either end that also encodes a neighbour's bits differs from text to text.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const own = encoded.slice(start, end);
    return [own, own.replaceAll('-', '+').replaceAll('_', '/')];
  });
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
