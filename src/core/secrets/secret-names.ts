// The only list of names that denote secrets, used for logs, recordings and URLs in settings.

/**
 * What to hide of a value, by its name: nothing, its texts, or everything except whether it is set.
 */
export type Hiding = 'nothing' | 'texts' | 'all';

/** Replaces what was hidden. */
export const MASK = '[redacted]';

const ALL =
  /password|passwd|passphrase|passcode|secret|privatekey|credential|authorization|cookie|api(?:access)?key|accesskey|signingkey|encryptionkey|masterkey|servicekey|sshkey|authkey/;

// Logs contain many token counts, so numbers under the names below stay visible.
const TEXTS =
  /(?:access|auth|bearer|client|csrf|id|refresh|session|user|xsrf)tokens?$|^(?:auth|basicauth|bearer|connectsid|csrf|session|sid|xauth|xsrf)$|session(?:id|key)$/;
const LAST_WORDS = new Set(['jwt', 'otp', 'pass', 'pwd', 'token', 'tokens']);

// Last words of names that describe a secret but do not contain one: `api_key_env`, `token_type`,
// `password_length`.
const ABOUT = new Set([
  'at',
  'budget',
  'count',
  'dir',
  'enabled',
  'endpoint',
  'env',
  'expires',
  'expiry',
  'file',
  'folder',
  'length',
  'limit',
  'ms',
  'name',
  'names',
  'origin',
  'path',
  'policy',
  'present',
  'required',
  'seconds',
  'size',
  'source',
  'total',
  'ttl',
  'type',
  'uri',
  'url',
  'var',
]);

// Last words without a meaning by themselves: `token_value` is the token.
const EMPTY = /^(?:data|plain|raw|str|string|text|val|values?|\d+)$/;

/** Of a longer name only the end is checked, as its last words say what it names. */
export const MAX_NAME = 256;

/** Classifies a key, header or parameter name; case and separators do not matter. */
export function hidingOf(name: string): Hiding {
  const words = wordsOf(name.slice(-MAX_NAME));
  while (EMPTY.test(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  const joined = words.join('');
  if (ABOUT.has(last)) return 'nothing';
  if (ALL.test(joined)) return 'all';
  if (LAST_WORDS.has(last) || TEXTS.test(joined)) return 'texts';
  return 'nothing';
}

/** Vendors use other names for token counts, so numbers under these are hidden, too. */
const TOKEN_FIELD = /^(?:(?:access|auth|bearer|id|refresh|session)[-_]?)?token$/i;

/** Classifies a field of the JSON exchanged with a vendor. */
export function hidingOfField(name: string): Hiding {
  return TOKEN_FIELD.test(name) ? 'all' : hidingOf(name);
}

const SECRET_PART = /pass|pwd|secret|token|key/i;
const SECRET_WEB_PART = /auth|cookie|credential|session|sig|^code$/i;

/** Classifies an option of a database URL; there are few, and all are known. */
export function isSecretOption(name: string): boolean {
  return SECRET_PART.test(name) || hidingOf(name) !== 'nothing';
}

/**
 * Classifies a header, a URL parameter or an argument of a tool, whose value must not appear in a
 * message. Vendors choose these names freely, and hiding too many does little harm.
 */
export function isSecretParameter(name: string): boolean {
  return SECRET_WEB_PART.test(name) || isSecretOption(name);
}

function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return words.map((word) => word.toLowerCase());
}
