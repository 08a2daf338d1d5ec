import type { Check } from '#app/doctor/check.ts';
import type { Io } from '../io.ts';
import type { Colour } from './colors.ts';
import { escapeControls } from './escape-controls.ts';

const MARKS: Record<Check['status'], { utf8: string; ascii: string; colour: Colour }> = {
  ok: { utf8: '✓', ascii: 'ok', colour: 'green' },
  warn: { utf8: '!', ascii: '!', colour: 'yellow' },
  fail: { utf8: '✗', ascii: 'x', colour: 'red' },
  off: { utf8: '–', ascii: '-', colour: 'dim' },
};

/** A check as a row of `exai doctor`. Its texts have names that others chose, such as those of tools. */
export function checkRow(
  check: Check,
  { charset, paint }: Pick<Io, 'charset' | 'paint'>,
): string[] {
  const [title, detail, fix] = [check.title, check.detail, check.fix ?? ''].map(escapeControls) as [
    string,
    string,
    string,
  ];
  const { utf8, ascii, colour } = MARKS[check.status];
  const mark = paint(colour, charset === 'utf-8' ? utf8 : ascii);
  const arrow = charset === 'utf-8' ? '→' : '->';
  const help = fix === '' ? '' : paint('dim', ` ${arrow} ${fix}`);
  // Indents further lines of a long detail beyond the marks.
  return [mark, title, `${indented(detail)}${help}`];
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n     ');
}
