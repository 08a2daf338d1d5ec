import { JsonFault, match, OPEN_STRING, type Scanner } from './json-scanner.ts';

// Why a text is not JSON, in words for the person who wrote it. Only reached when the parser has already refused.

const BY_FIRST_CHARACTER: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'The file ends here, but a value is missing'],
  [/^,/, 'A value is missing before this comma'],
  [/^[}\]]/, 'A value is missing here; the last one must not be followed by a comma'],
  [/^[/#]/, 'JSON has no comments'],
  [/^'/, 'Text stands in double quotes, not single ones'],
  [/^(?:true|false|null)\b/i, 'true, false and null are written in small letters'],
  [/^[-+.]?\d/, 'This is not a number as JSON writes it: digits only, no leading zero'],
  [/^[\p{L}$_~]/u, 'Text stands in double quotes'],
];

export function explainValue(scanner: Scanner): JsonFault {
  const rest = scanner.text.slice(scanner.at, scanner.at + 16);
  if (rest.startsWith('"')) return explainString(scanner);
  const known = BY_FIRST_CHARACTER.find(([pattern]) => pattern.test(rest));
  return new JsonFault(known?.[1] ?? 'This character cannot stand here', scanner.at);
}

export function explainKey(scanner: Scanner): JsonFault {
  const next = scanner.text[scanner.at];
  if (next === '"') return explainString(scanner);
  if (next === undefined) return explainSeparator(scanner, '}');
  if (next === '}') return new JsonFault('The comma before this } must go', scanner.at);
  if (next === '/' || next === '#') return new JsonFault('JSON has no comments', scanner.at);
  return new JsonFault('A name in double quotes is missing here', scanner.at);
}

export function explainSeparator(scanner: Scanner, close: '}' | ']'): JsonFault {
  const next = scanner.text[scanner.at];
  if (next === undefined)
    return new JsonFault(`The file ends here, but a ${close} is missing`, scanner.at);
  if (next === '/' || next === '#') return new JsonFault('JSON has no comments', scanner.at);
  return new JsonFault(`A comma or ${close} is missing here`, scanner.at);
}

function explainString(scanner: Scanner): JsonFault {
  const start = scanner.at;
  match(scanner, OPEN_STRING);
  const next = scanner.text[scanner.at];
  if (next === undefined || next === '\n' || next === '\r') {
    return new JsonFault('This text is not closed on its line: a " is missing', start);
  }
  const reason =
    next === '\\'
      ? 'A backslash is written twice in JSON, as \\\\'
      : 'An invisible control character stands in this text';
  return new JsonFault(reason, scanner.at);
}
