import { Buffer } from 'node:buffer';
import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../../test/verifies.ts';
import { readRtf } from './read-rtf.ts';

async function read(rtf: string): Promise<string> {
  const { parts } = await readRtf(Buffer.from(rtf, 'latin1'), {});
  return parts[0]?.markdown ?? '';
}

verifies('documents:rtf', 'Characters are decoded by code page, font and Unicode', async () => {
  const fonts = String.raw`{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset128 B;}{\f2\fcharset204 C;}{\f3\fcharset134 D;}}`;
  const rtf = String.raw`{\rtf1\ansi\ansicpg1252${fonts}\f0 caf\'e9 \f1\'83]\'83\'8b\f2 \'cc\'e8\'f0\f3 \'d6\'d0\f0\uc2 \u8364 ??!\uc1\u-10179?\u-8704?\par}`;
  expect(await read(rtf)).toBe('café ゾルМир中€!😀');
});

verifies('documents:rtf', 'Tables, lists, notes, links and headings become Markdown', async () => {
  const rtf = String.raw`{\rtf1{\stylesheet{\s1 heading 1;}}{\info{\title T}}{\pict 0a0b}{\*\unknown secret}
\pard\s1 Top\par\pard
\trowd\intbl a\cell b\cell\row\trowd\intbl c\cell d\cell\row
\pard{\listtext 1.\tab}\ls1 one\par{\listtext 2.\tab}two\par
\pard See {\field{\*\fldinst HYPERLINK "https://example.com/"}{\fldrslt here}}{\footnote A note}.{\v hidden}\par}`;
  expect(await read(rtf)).toBe(
    [
      '# Top',
      '| a | b |\n| --- | --- |\n| c | d |',
      '1. one\n2. two',
      'See here[^1].',
      '[^1]: A note',
      'Links:\n\n- here: <https://example.com/>',
    ].join('\n\n'),
  );
});

verifies('documents:rtf', 'Binary data is skipped, whatever it contains', async () => {
  expect(await read(String.raw`{\rtf1 a{\pict\bin4 }}}}}b\par}`)).toBe('ab');
});

verifies('documents:legacy-hostile', 'Groups nested too deep are refused', () => {
  const deep = Buffer.from(String.raw`{\rtf1 ${'{'.repeat(50_000)}`);
  expect(() => readRtf(deep, {})).toThrow(CallError);
  expect(() => readRtf(Buffer.from('no rtf'), {})).toThrow(CallError);
});
