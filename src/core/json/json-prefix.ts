type Expected = 'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end';

const BLANK = /\s/;
const SCALAR = /[^\s,:[\]{}"]*/y;
const WHOLE_SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const CUT_SCALAR =
  /^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-|-?(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][+-]?))$/;

/**
 * Whether a text is the beginning of one or several JSON objects, so that more text could make it
 * valid. A text that is cut off always is; a text with a mistake in it is not. Characters that a
 * string must escape are accepted, because models write them.
 */
export function isJsonPrefix(text: string): boolean {
  const closers: ('}' | ']')[] = [];
  let expected = 'value' as Expected;
  let at = 0;

  function isExpected(char: string): boolean {
    switch (expected) {
      case 'key':
        return char === '"';
      case 'key_or_end':
        return char === '"' || char === '}';
      case 'colon':
        return char === ':';
      case 'comma_or_end':
        return char === ',' || char === closers.at(-1);
      case 'value':
        return closers.length === 0 ? char === '{' : !',:]}'.includes(char);
      case 'value_or_end':
        return !',:}'.includes(char);
    }
  }

  for (;;) {
    while (at < text.length && BLANK.test(text.charAt(at))) at += 1;
    if (at >= text.length) return true;
    const char = text.charAt(at);
    if (!isExpected(char)) return false;
    if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      expected = char === '{' ? 'key_or_end' : 'value_or_end';
      at += 1;
    } else if (char === '}' || char === ']') {
      closers.pop();
      expected = closers.length === 0 ? 'value' : 'comma_or_end';
      at += 1;
    } else if (char === ',') {
      expected = closers.at(-1) === '}' ? 'key' : 'value';
      at += 1;
    } else if (char === ':') {
      expected = 'value';
      at += 1;
    } else if (char === '"') {
      at = stringEnd(text, at);
      expected = expected === 'key' || expected === 'key_or_end' ? 'colon' : 'comma_or_end';
    } else {
      SCALAR.lastIndex = at;
      const scalar = SCALAR.exec(text)?.[0] ?? '';
      at += scalar.length;
      const isCut = at >= text.length && CUT_SCALAR.test(scalar);
      if (!isCut && !WHOLE_SCALAR.test(scalar)) return false;
      expected = 'comma_or_end';
    }
  }
}

/** The index after a string; the length of the text if the string does not end. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '"') return at + 1;
  }
  return text.length;
}
