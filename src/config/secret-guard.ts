// A key is easily pasted into the wrong setting, or where a name belongs, and messages end up in terminals, logs and
// screenshots. What could be one is therefore not quoted: the place it stands at is enough to find it.

export const WITHHELD = '(not shown, as it may be secret)';

const MAX_SHOWN = 32;
/** Letters and digits mixed, which words and names of settings hardly do; or the credentials of a URL. */
const KEY_LIKE = /(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{10}|@/;
/** Values are short, or have blanks, dots and slashes where keys go on. */
const LONG_VALUE = /^.{25}|[A-Za-z0-9+=]{16}/s;
/** Names of variables are as long as keys and may have digits, but go by words in capitals. */
const VARIABLE = /^[A-Z]+(?:_[A-Z0-9]{1,16}){1,8}$/;

export function mayBeSecret(name: string): boolean {
  return !VARIABLE.test(name) && (name.length > MAX_SHOWN || KEY_LIKE.test(name));
}

/** A name in quotes, or words in its place. */
export function quoteName(name: string): string {
  return mayBeSecret(name) ? `A name ${WITHHELD}` : JSON.stringify(name);
}

/** What stands there: `is "abc"`, or that it holds something else. */
export function quoteValue(value: string | number, verb: 'is' | 'says'): string {
  const text = String(value);
  if (mayBeSecret(text) || LONG_VALUE.test(text)) return withhold(value);
  return `${verb} ${JSON.stringify(value)}`;
}

export function withhold(value: string | number): string {
  return `holds ${typeof value === 'number' ? 'a number' : 'something else'} ${WITHHELD}`;
}
