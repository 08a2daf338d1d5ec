import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { formatVariables } from '../gateway/shells.ts';
import { printJson, printRawJson } from '../io.ts';
import { escapeJsonControls, escapeControls, escapeInvisible } from './escape-controls.ts';

const REORDERING = '\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069';
const CONTROLS = `${Array.from({ length: 33 }, (_, at) => String.fromCharCode(0x7f + at)).join('')}${REORDERING}`;

const printers = [
  { name: 'printJson', print: printJson },
  { name: 'printAsIs', print: printRawJson },
];

for (const { name, print } of printers) {
  verifies(
    'security:terminal-text',
    `${name} writes equal JSON in which every control and every change of direction is escaped`,
    () => {
      const document = { text: `a${CONTROLS}b`, [`n${REORDERING}`]: ['ü', '🦉'] };
      let written = '';
      print({ stdout: { write: (text) => void (written += text) } }, document);
      expect(JSON.parse(written)).toEqual(document);
      for (const char of CONTROLS) expect(written).not.toContain(char);
      expect(written).toContain(String.raw`\u007f\u0080`);
      expect(written).toContain(String.raw`\u202e`);
      expect(written).toContain('🦉');
    },
  );
}

test('variables as JSON are escaped as every JSON is', () => {
  const written = formatVariables({ is: 'variables', set: { A: 'x\u009By' }, unset: [] }, 'json');
  expect(written).toContain(String.raw`x\u009by`);
});

test('any JSON is equal to its escaped form', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.stringify(value);
      expect(JSON.parse(escapeJsonControls(plain))).toEqual(JSON.parse(plain));
    }),
  );
});

test('on a terminal invisible characters can be seen, and our colours stay', () => {
  expect(escapeInvisible('\u001B[1mgood\u001B[0m\u202Edab\u2069\u009B2J')).toBe(
    String.raw`${'\u001B[1m'}good${'\u001B[0m'}\u{202e}dab\u{2069}\u{9b}2J`,
  );
  expect(escapeInvisible(escapeControls('\u001B[31m\u061C'))).toBe(String.raw`\u{1b}[31m\u{61c}`);
});
