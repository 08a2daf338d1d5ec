import { isSecretOption } from '#core/secret-names.ts';
import type { Config } from './config.schema.ts';
import { SETTINGS, type Setting } from './settings.ts';
import { formatUrl, parseUrl } from './url.ts';

const HIDDEN = '****';
/** Shorter secrets show nothing at all: four characters would be too large a part of them. */
const MIN_LENGTH_FOR_TAIL = 20;
/** Whatever its name is, a value of a query that is as long as this may be a key. */
const MIN_LENGTH_OF_KEY = 12;

/** Enough of a key to tell two apart. */
export function maskSecret(secret: string): string {
  if (secret === '') return '';
  return secret.length < MIN_LENGTH_FOR_TAIL ? HIDDEN : `${HIDDEN}${secret.slice(-4)}`;
}

/** The value of a setting as it may be shown. */
export function maskValue(setting: Setting, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  switch (setting.facts.secret) {
    case 'whole':
      return maskSecret(value);
    case 'password':
      return maskUrl(value);
    case undefined:
      return value;
  }
}

/** Whether a value holds what other users must not read. */
export function holdsSecret(setting: Setting, value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return secretsOf(setting, value).length > 0;
}

/** Every secret text of a configuration, for whoever must keep them out of what is written. */
export function secretValues(config: Config): string[] {
  const secrets = SETTINGS.flatMap((setting) => {
    const value = valueAt(config, setting.path);
    return typeof value === 'string' && value !== '' ? secretsOf(setting, value) : [];
  });
  return [...new Set(secrets)];
}

function secretsOf({ facts }: Setting, value: string): string[] {
  if (facts.secret === 'whole') return [value];
  return facts.secret === 'password' ? urlSecrets(value) : [];
}

export function valueAt(config: Config, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);
}

/** Whoever made an address chose the names in its query, so every value of it may be a secret. */
function maskUrl(text: string): string {
  const url = parseUrl(text);
  if (!url) return text;
  const before = url.href;
  if (url.password !== '') url.password = HIDDEN;
  if (url.username !== '' && isWeb(url)) url.username = HIDDEN;
  if (url.hash !== '') url.hash = HIDDEN;
  const parameters = [...url.searchParams];
  // One without a value may be a key that stands alone.
  if (parameters.some(([, value]) => value === '')) url.search = HIDDEN;
  else for (const [name] of parameters) url.searchParams.set(name, HIDDEN);
  return url.href === before ? text : formatUrl(url);
}

/** What of an address must stay out of every text that is written, as it stands there and decoded. */
function urlSecrets(text: string): string[] {
  const url = parseUrl(text);
  if (!url) return [];
  const secrets = [
    url.password,
    ...(isTokenName(url) ? [url.username] : []),
    ...[...url.searchParams].flatMap(([name, value]) => (isSecret(url, name, value) ? value : [])),
  ];
  return secrets.flatMap((secret) => (secret === '' ? [] : [secret, decode(secret)]));
}

/** Web services also take a token in place of the user's name; a database user is no secret. */
function isTokenName({ protocol, username, password }: URL): boolean {
  return isWeb({ protocol }) && (password === '' || username.length >= MIN_LENGTH_OF_KEY);
}

/** A word such as `require` must not vanish from the logs; the options of a database have known names. */
function isSecret(url: URL, name: string, value: string): boolean {
  return isSecretOption(name) || (isWeb(url) && value.length >= MIN_LENGTH_OF_KEY);
}

function isWeb({ protocol }: Pick<URL, 'protocol'>): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray % makes it no encoding at all; the text is then its own plain form.
    return text;
  }
}
