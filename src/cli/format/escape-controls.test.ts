import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { formatVariables } from '../gateway/shells.ts';
import { printJson, printRawJson } from '../io.ts';
import {
  escapeControls,
  escapeJsonControls,
  escapeOutput,
  escapeUnsafe,
} from './escape-controls.ts';

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

const escapedOn = (kind: 'terminal' | 'editor' | 'pipe') => (text: string) =>
  escapeOutput(text, kind);

test('on a terminal invisible characters can be seen, and our colours stay', () => {
  const shown = escapedOn('terminal');
  expect(shown('\u001B[1mgood\u001B[22m\u202Edab\u2069\u009B2J')).toBe(
    String.raw`${'\u001B[1mgood\u001B[22m'}\u{202e}dab\u{2069}\u{9b}2J`,
  );
  expect(shown(escapeControls('\u001B[31m\u061C'))).toBe(String.raw`\u{1b}[31m\u{61c}`);
  expect(shown('\r\u001B[Kagain')).toBe('\r\u001B[Kagain');
});

test('no other sequence passes, not even one that begins like ours', () => {
  const shown = escapedOn('terminal');
  const foreign = ['\u001B[2J', '\u001B[8m', '\u001B[1;31m', '\u001B]52;c;eA==\u0007', '\u001B7'];
  for (const text of foreign) expect(shown(text)).not.toContain('\u001B');
  expect(shown('a\rb\u0000\b')).toBe(String.raw`ab\u{0}\u{8}`);
  expect(shown('half \uD83D and \uDC00')).toBe(String.raw`half \u{d83d} and \u{dc00}`);
});

test('a line editor may move the cursor, and nothing else', () => {
  const shown = escapedOn('editor');
  expect(shown('\u001B[1G\u001B[0J› a\u001B[4G\u001B[?2004h')).toBe(
    '\u001B[1G\u001B[0J› a\u001B[4G\u001B[?2004h',
  );
  expect(shown('\u001B]0;t\u001B[?1049h\u202E')).toBe(String.raw`\u{1b}]0;t\u{1b}[?1049h\u{202e}`);
});

test('a pipe gets the same characters as a terminal, and no colours', () => {
  expect(escapedOn('pipe')('a\u202Eb\u001B[1mc\u009B\u0007\u0000')).toBe(
    String.raw`a\u{202e}b\u{1b}[1mc\u{9b}\u{7}\u{0}`,
  );
  expect(escapedOn('pipe')('שלום 👨\u200D👩\u200D👧')).toBe('שלום 👨\u200D👩\u200D👧');
});

test('joiners and tags stay where they belong to a character, and are shown elsewhere', () => {
  const kept = ['👨\u200D👩\u200D👧', '❤\uFE0F\u200D🔥', '🏴\u{E0067}\u{E0062}\u{E007F}'];
  const scripts = ['می\u200Cخواهم', 'क्\u200Dष', 'ភាសា\u200Bខ្មែរ', '葛\u{E0100}'];
  for (const text of [...kept, ...scripts]) expect(escapeUnsafe(text)).toBe(text);
  expect(escapeUnsafe('pass\u200Bword\u{E0041}')).toBe(String.raw`pass\u{200b}word\u{e0041}`);
  expect(escapeUnsafe('می\u200C\u200C')).toBe(`می\u200C${String.raw`\u{200c}`}`);
  expect(escapeUnsafe('\u200D👩', '👨')).toBe('\u200D👩');
  expect(escapeUnsafe('\u200D👩', 'x')).toBe(`${String.raw`\u{200d}`}👩`);
});

test('JSON escapes characters beyond the first plane as two units', () => {
  expect(escapeJsonControls('"\u{E0041}\u200B"')).toBe(String.raw`"\udb40\udc41\u200b"`);
});

test('a long text of invisible characters takes time in proportion to its length', () => {
  // With the square of the length, each would take longer than a test may.
  const pairs = 400_000;
  expect(escapeOutput('a\u200B'.repeat(pairs), 'terminal')).toBe(
    String.raw`a\u{200b}`.repeat(pairs),
  );
  const family = '\u{1F469}\u200D'.repeat(pairs);
  expect(escapeUnsafe(family)).toBe(family);
});

test('the text shown before counts for the first characters of the next, whatever stands between', () => {
  expect(escapeUnsafe('\u200D\u{1F467}', '\u{1F469}')).toBe('\u200D\u{1F467}');
  expect(escapeUnsafe('\uFE0F\u200D\u{1F467}', '\u2764')).toBe('\uFE0F\u200D\u{1F467}');
});
