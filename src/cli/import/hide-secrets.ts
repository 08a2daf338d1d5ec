import { parseUrl } from '#config/secrets/url.ts';
import { hidingOf, isSecretParameter } from '#core/secrets/secret-names.ts';
import { SECRET_RULES } from '#files/secrets/secret-rules.ts';
import { mapTexts, type ServerSettings, type TextPlace } from './server-entry.ts';
import { joinParts, textPartsOf } from './server-texts.ts';

/** A value that goes to .env. */
export interface HiddenValue {
  readonly variable: string;
  readonly value: string;
}

interface HiddenSettings {
  readonly settings: ServerSettings;
  readonly hidden: readonly HiddenValue[];
}

/**
 * Replaces the secrets of an entry by variables with new names. `reserve` returns a free name for a
 * wanted one, the same for the same value.
 */
export function hideSecrets(
  settings: ServerSettings,
  reserve: (wanted: string, value: string) => string,
): HiddenSettings {
  const hidden = new Map<string, string>();
  const store = (wanted: string, value: string): string => {
    const variable = reserve(toVariableName(wanted), value);
    hidden.set(variable, value);
    return variable;
  };
  const changed = mapTexts(settings, (text, place) => {
    const parts = textPartsOf(text).flatMap((part) => {
      if (part.is === 'reference') return [part];
      return secretsIn(part.text, place, settings.args ?? []).map((piece) =>
        piece.name === undefined
          ? ({ is: 'literal', text: piece.text } as const)
          : ({ is: 'reference', text: store(piece.name, piece.text) } as const),
      );
    });
    return joinParts(parts);
  });
  return {
    settings: changed,
    hidden: [...hidden].map(([variable, value]) => ({ variable, value })),
  };
}

/** A piece of a text; one with a name is a secret. */
interface Piece {
  readonly text: string;
  readonly name?: string;
}

function secretsIn(text: string, place: TextPlace, args: readonly string[]): readonly Piece[] {
  switch (place.field) {
    case 'env':
      if (hidingOf(place.name) !== 'nothing' && !isHarmless(text))
        return [{ text, name: place.name }];
      return looseSecrets(text, place.name);
    case 'headers':
      return inHeader(text, place.name);
    case 'args':
      return inArgument(text, args[place.index - 1]);
    case 'url':
      return inUrl(text);
    case 'command':
    case 'cwd':
      return [{ text }];
  }
}

/** Values that say nothing even where a secret is expected. */
function isHarmless(text: string): boolean {
  return text.trim() === '' || /^(?:true|false|yes|no|on|off|none|null|\d{1,4})$/i.test(text);
}

const PLAIN_HEADERS =
  /^(?:accept|accept-language|content-type|user-agent|mcp-protocol-version|x-mcp-(?:readonly|toolsets|tools|lockdown))$/i;
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey|Digest)\s+/i;

/** A header of one word, such as a region, stays; anything else may be a secret. */
function inHeader(text: string, header: string): readonly Piece[] {
  if (PLAIN_HEADERS.test(header) || isHarmless(text)) return [{ text }];
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  const isPlain =
    scheme === '' && !isSecretParameter(header) && /^[a-z]+(?:[-_.][a-z\d]+){0,3}$/.test(rest);
  if (isPlain || rest === '') return [{ text }];
  return [...literal(scheme), { text: rest, name: header }];
}

/** `--token X`, `--token=X`, `NAME=X` and `Name: X`, which a URL may follow, too. */
function inArgument(text: string, before: string | undefined): readonly Piece[] {
  const option = /^--?([A-Za-z][\w-]*)$/.exec(before ?? '')?.[1];
  const isValue = !text.startsWith('-');
  if (option !== undefined && isValue && hidingOf(option) !== 'nothing' && !isHarmless(text)) {
    return [{ text, name: option }];
  }
  const assigned = /^(-{0,2}([A-Za-z_][\w.-]*)=)(.+)$/s.exec(text);
  if (assigned) {
    const [, begin = '', name = '', value = ''] = assigned;
    const pieces =
      hidingOf(name) !== 'nothing' && !isHarmless(value)
        ? [{ text: value, name }]
        : looseSecrets(value, name);
    return [...literal(begin), ...pieces];
  }
  const header = /^(([A-Za-z][\w-]*):\s*)(.+)$/s.exec(text);
  const isHeader = option === 'header' || option === 'H' || option === 'headers';
  if (header && isHeader) {
    const [, begin = '', name = '', value = ''] = header;
    return [...literal(begin), ...inHeader(value, name)];
  }
  return looseSecrets(text, option ?? 'argument');
}

function inUrl(text: string): readonly Piece[] {
  const secrets = new Map<string, string>();
  const url = parseUrl(text);
  if (url) {
    if (url.password !== '') secrets.set(url.password, 'password');
    for (const pair of url.search.slice(1).split('&')) {
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (at < 1 || isHarmless(value)) continue;
      if (isSecretParameter(name) || isRandom(value)) secrets.set(value, name);
    }
    for (const part of url.pathname.split('/')) if (isRandom(part)) secrets.set(part, 'path');
  }
  return cutOut(text, secrets);
}

/** Secrets that their name does not tell: a token of a known form, a password in a URL. */
function looseSecrets(text: string, name: string): readonly Piece[] {
  if (parseUrl(text) && /^[a-z][\w+.-]*:\/\//i.test(text)) {
    const url = parseUrl(text);
    const isDatabase = url !== undefined && url.password !== '';
    // As one value: what comes of it is a URL that works.
    return isDatabase ? [{ text, name }] : inUrl(text);
  }
  return isKnownSecret(text) || isRandom(text) ? [{ text, name }] : [{ text }];
}

function isKnownSecret(text: string): boolean {
  return SECRET_RULES.some(({ pattern }) => new RegExp(pattern.source, pattern.flags).test(text));
}

/** Long, of letters and digits in no order: a key, until shown otherwise. */
function isRandom(text: string): boolean {
  if (!/^[\w+/=.~-]{20,}$/.test(text) || /^[./~]/.test(text)) return false;
  const runs = text.match(/[A-Za-z\d]{16,}/g) ?? [];
  return runs.some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));
}

function cutOut(text: string, secrets: ReadonlyMap<string, string>): readonly Piece[] {
  let pieces: readonly Piece[] = [{ text }];
  for (const [secret, name] of secrets) {
    pieces = pieces.flatMap((piece) => {
      if (piece.name !== undefined) return [piece];
      const at = piece.text.lastIndexOf(secret);
      if (at < 0) return [piece];
      const after = piece.text.slice(at + secret.length);
      return [...literal(piece.text.slice(0, at)), { text: secret, name }, ...literal(after)];
    });
  }
  return pieces;
}

function literal(text: string): Piece[] {
  return text === '' ? [] : [{ text }];
}

const MAX_VARIABLE_CHARS = 120;

/** `X-Api-Key` as `X_API_KEY`. */
export function toVariableName(text: string): string {
  const spaced = text.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2');
  return spaced
    .toUpperCase()
    .replaceAll(/[^A-Z\d]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MAX_VARIABLE_CHARS);
}
