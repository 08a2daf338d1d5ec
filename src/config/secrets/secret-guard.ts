// Keeps keys out of error messages. A key is easily pasted into the wrong setting, and messages end
// up in terminals, logs and screenshots. Text that could be a key is not quoted; its position is
// enough to find it.

export const WITHHELD = '(not shown, as it may be secret)';

const MAX_SHOWN = 32;
/**
 * Mixed letters and digits, which are rare in words and setting names; or the credentials of a URL.
 */
const KEY_LIKE = /(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{10}|@/;
/** A long run without blanks, dots and slashes, as keys have and values do not. */
const LONG_VALUE = /^.{25}|[A-Za-z0-9+=]{16}/s;
/** Names of variables, which are as long as keys but consist of words in capitals. */
const VARIABLE = /^[A-Z]+(?:_[A-Z0-9]{1,16}){1,8}$/;

export function mayBeSecret(name: string): boolean {
  return !VARIABLE.test(name) && (name.length > MAX_SHOWN || KEY_LIKE.test(name));
}

/** A name in quotes, or a placeholder if it may be a secret. */
export function quoteName(name: string): string {
  return mayBeSecret(name) ? `A name ${WITHHELD}` : JSON.stringify(name);
}

/** A value for a message: `is "abc"`, or that it is withheld. */
export function quoteSafely(value: string | number, verb: 'is' | 'says'): string {
  const text = String(value);
  if (mayBeSecret(text) || LONG_VALUE.test(text)) return withhold(value);
  return `${verb} ${JSON.stringify(value)}`;
}

export function withhold(value: string | number): string {
  return `holds ${typeof value === 'number' ? 'a number' : 'something else'} ${WITHHELD}`;
}
