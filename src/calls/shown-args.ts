import { METADATA_KEY } from './request-metadata.ts';

const MAX_VALUE_CHARS = 200;
const MAX_KEYS = 50;

/** Arguments as a person shall read them: every name, values shortened, nothing that hides or turns what follows. */
export function shownArgs(args: unknown): string {
  const entries = Object.entries(args ?? {}).filter(([name]) => name !== METADATA_KEY);
  if (entries.length === 0) return 'no arguments';
  const shown = entries.slice(0, MAX_KEYS).map(([name, value]) => {
    return `${shortened(plain(JSON.stringify(name)))}: ${shortened(plain(JSON.stringify(value) ?? 'nothing'))}`;
  });
  const more = entries.length - shown.length;
  return `{${shown.join(', ')}${more > 0 ? `, and ${more} more arguments` : ''}}`;
}

function shortened(json: string): string {
  const more = json.length - MAX_VALUE_CHARS;
  return more <= 0 ? json : `${json.slice(0, MAX_VALUE_CHARS)}… (${more} more characters)`;
}

/** Control and format characters can hide, turn or imitate what is around them; they are written as what they are. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
