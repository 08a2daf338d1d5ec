import type { Config } from './config.schema.ts';
import { SETTINGS, type Setting } from './settings.ts';
import { formatUrl, parseUrl } from './url.ts';

const HIDDEN = '****';
/** Shorter secrets show nothing at all: four characters would be too large a part of them. */
const MIN_LENGTH_FOR_TAIL = 20;
const SECRET_PARAMETER = /pass|pwd|secret|token|key/i;

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

/** Every secret text of a configuration, for whoever must keep them out of what is written. */
export function secretValues(config: Config): string[] {
  const secrets = SETTINGS.flatMap((setting) => {
    const value = valueAt(config, setting.path);
    if (typeof value !== 'string' || value === '') return [];
    if (setting.facts.secret === 'whole') return value;
    return setting.facts.secret === 'password' ? urlSecrets(value) : [];
  });
  return [...new Set(secrets)];
}

export function valueAt(config: Config, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);
}

function maskUrl(text: string): string {
  const url = parseUrl(text);
  if (!url || urlSecrets(text).length === 0) return text;
  const part = credentialPart(url);
  if (url[part] !== '') url[part] = HIDDEN;
  for (const name of secretParameters(url)) url.searchParams.set(name, HIDDEN);
  return formatUrl(url);
}

/** Credentials and the parameters that hold some, as written and decoded. */
function urlSecrets(text: string): string[] {
  const url = parseUrl(text);
  if (!url) return [];
  const parameters = secretParameters(url).flatMap((name) => url.searchParams.getAll(name));
  return [url[credentialPart(url)], ...parameters].flatMap((secret) =>
    secret === '' ? [] : [secret, decode(secret)],
  );
}

/** Web services also take a token in place of the user's name; a database user is no secret. */
function credentialPart(url: URL): 'username' | 'password' {
  return url.password === '' && /^https?:$/.test(url.protocol) ? 'username' : 'password';
}

function secretParameters(url: URL): string[] {
  return [...new Set(url.searchParams.keys())].filter((name) => SECRET_PARAMETER.test(name));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray % makes it no encoding at all; the text is then its own plain form.
    return text;
  }
}
