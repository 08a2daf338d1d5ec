import { isSecretOption, isSecretParameter } from '#core/secrets/secret-names.ts';
import type { Config } from '../schema/config.schema.ts';
import { CONFIG_SCHEMA } from '../schema/settings.ts';
import { valueAt, type Setting, type SettingSchema } from '../schema/setting-schema.ts';
import { formatUrl, parseUrl } from './url.ts';

const HIDDEN = '****';
/** Shorter secrets are hidden completely: four characters would be too large a part of them. */
const MIN_LENGTH_FOR_TAIL = 20;
/** A shorter value of a variable or header is a word such as `true`. */
const MIN_LENGTH_OF_NAMED = 6;
/** A query value of this length may be a key, whatever its name. */
const MIN_LENGTH_OF_KEY = 12;

/** Masks a secret but for its last four characters, enough to tell two keys apart. */
export function maskSecret(secret: string): string {
  if (secret === '') return '';
  return secret.length < MIN_LENGTH_FOR_TAIL ? HIDDEN : `${HIDDEN}${secret.slice(-4)}`;
}

/** The value of a setting, masked for display. */
export function maskValue(setting: Setting, value: unknown): unknown {
  const texts = setting.kind === 'map' ? textsOf(value) : undefined;
  if (texts && setting.meta.secret) {
    return Object.fromEntries(texts.map(([name, text]) => [name, maskSecret(text)]));
  }
  if (typeof value !== 'string') return value;
  switch (setting.meta.secret) {
    case 'whole':
      return maskSecret(value);
    case 'password':
      return maskUrl(value);
    case undefined:
      return value;
  }
}

/** Whether a value contains a secret. */
export function holdsSecret(setting: Setting, value: unknown): boolean {
  return secretsOf(setting, value).length > 0;
}

/** Every secret of a configuration, for redaction. */
export function secretValues(config: Config): string[] {
  return secretsIn(config, CONFIG_SCHEMA);
}

export function secretsIn<C>(config: C, schema: SettingSchema<C>): string[] {
  const secrets = schema
    .settingsIn(config)
    .flatMap((setting) => secretsOf(setting, valueAt(config, setting.path)));
  return [...new Set(secrets)];
}

function secretsOf(setting: Setting, value: unknown): string[] {
  const { meta, kind } = setting;
  if (kind === 'map') return meta.secret ? textsOf(value).flatMap(secretsOfNamed) : [];
  if (typeof value !== 'string' || value === '') return [];
  // Several keys in one setting are separated by commas.
  if (meta.secret === 'whole') return value.includes(',') ? [value, ...splitKeys(value)] : [value];
  return meta.secret === 'password' ? urlSecrets(value) : [];
}

function textsOf(value: unknown): [name: string, text: string][] {
  return Object.entries(value ?? {}).filter((entry) => typeof entry[1] === 'string');
}

/**
 * The secrets of a variable or header. Its name tells whether it is one: a word such as `info` must
 * stay readable in logs. Of `Bearer abc` the part after the scheme is a secret, too.
 */
function secretsOfNamed([name, text]: [name: string, text: string]): string[] {
  if (text.length < MIN_LENGTH_OF_NAMED || !isSecretParameter(name)) return urlSecrets(text);
  const scheme = /^(?:basic|bearer|token)\s+(.+)$/i.exec(text);
  return scheme?.[1] === undefined ? [text] : [text, scheme[1]];
}

/** The keys of a setting that may hold several, separated by commas. */
export function splitKeys(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((key) => key !== '');
}

/** Masks a URL. Query parameters may have any name, so every value may be a secret. */
function maskUrl(text: string): string {
  const url = parseUrl(text);
  if (!url) return text;
  const before = url.href;
  if (url.password !== '') url.password = HIDDEN;
  if (url.username !== '' && isWeb(url)) url.username = HIDDEN;
  if (url.hash !== '') url.hash = HIDDEN;
  const parameters = [...url.searchParams];
  // A parameter without a value may itself be a key.
  if (parameters.some(([, value]) => value === '')) url.search = HIDDEN;
  else for (const [name] of parameters) url.searchParams.set(name, HIDDEN);
  return url.href === before ? text : formatUrl(url);
}

/** The secrets in a URL, as written and decoded. */
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

/**
 * Whether the user name is a secret: web services accept a token there; a database user is not
 * secret.
 */
function isTokenName({ protocol, username, password }: URL): boolean {
  return isWeb({ protocol }) && (password === '' || username.length >= MIN_LENGTH_OF_KEY);
}

/**
 * Whether a query value is a secret. A word such as `require` must stay readable in logs; database
 * options have known names.
 */
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
    // With a stray % the text is not encoded and stands for itself.
    return text;
  }
}
