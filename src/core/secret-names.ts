// The one list of names that stand for secrets: of logs, of recordings and of the URLs in settings.

/** What to hide of a value by the name it stands under: nothing, its texts, or everything but whether it is set. */
export type Hiding = 'nothing' | 'texts' | 'all';

/** Stands in the place of what was hidden. */
export const MASK = '[redacted]';

const ALL =
  /password|passwd|passphrase|passcode|secret|privatekey|credential|authorization|cookie|api(?:access)?key|accesskey|signingkey|encryptionkey|masterkey|servicekey|sshkey|authkey/;

// Counts of tokens are the daily bread of these logs, so under the names below numbers stay.
const TEXTS =
  /(?:access|auth|bearer|client|csrf|id|refresh|session|user|xsrf)tokens?$|^(?:auth|basicauth|bearer|connectsid|csrf|session|sid|xauth|xsrf)$|session(?:id|key)$/;
const LAST_WORDS = new Set(['jwt', 'otp', 'pass', 'pwd', 'token', 'tokens']);

// A word that makes the name speak about a secret, not hold one: `api_key_env`, `token_type`, `password_length`.
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

// Words that say nothing more about what comes before them: `token_value` is the token.
const EMPTY = /^(?:data|plain|raw|str|string|text|val|values?|\d+)$/;

/** The end of a longer one decides: its last words say what it names. */
export const MAX_NAME = 256;

/** Judges a key, header or parameter name, whatever its case and separators. */
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

/** Counts stand under other names in what vendors send, so of these numbers are hidden, too. */
const TOKEN_FIELD = /^(?:(?:access|auth|bearer|id|refresh|session)[-_]?)?token$/i;

/** Of a field of the JSON that goes to a vendor or comes from one. */
export function hidingOfField(name: string): Hiding {
  return TOKEN_FIELD.test(name) ? 'all' : hidingOf(name);
}

const SECRET_PART = /pass|pwd|secret|token|key/i;
const SECRET_WEB_PART = /auth|cookie|credential|session|sig|^code$/i;

/** An option in the URL of a database, whose names are few and known. */
export function isSecretOption(name: string): boolean {
  return SECRET_PART.test(name) || hidingOf(name) !== 'nothing';
}

/** A header, or a parameter of a web address: names are any vendor's, and hiding too much of them costs little. */
export function isSecretParameter(name: string): boolean {
  return SECRET_WEB_PART.test(name) || isSecretOption(name);
}

function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return words.map((word) => word.toLowerCase());
}
