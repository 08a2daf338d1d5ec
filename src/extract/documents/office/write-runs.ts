import { escapeText } from '../../html/markdown/escape.ts';
import { collapse } from '../../html/markdown/inline.ts';
import { joinPieces, type Piece } from '../../html/markdown/pieces.ts';
import type { OfficeRun } from './office-block.ts';

/** In a heading, emphasis says nothing. */
export type RunEmphasis = 'marked' | 'plain';

/** Runs as inline Markdown, without links; a line break is a line break. */
export function writeRuns(runs: readonly OfficeRun[], emphasis: RunEmphasis): string {
  const pieces: Piece[] = [];
  for (const run of mergeRuns(runs, emphasis)) writeRun(run, pieces);
  return joinPieces(pieces).trim();
}

/** Programs split words into runs at every edit; equal neighbours are one. */
function mergeRuns(runs: readonly OfficeRun[], emphasis: RunEmphasis): OfficeRun[] {
  const merged: OfficeRun[] = [];
  for (const run of runs) {
    if (run.text === '') continue;
    const own = normalised(run, emphasis);
    const last = merged.at(-1);
    if (last !== undefined && isSameFormat(last, own))
      merged[merged.length - 1] = { ...last, text: last.text + own.text };
    else merged.push(own);
  }
  return merged;
}

function normalised(run: OfficeRun, emphasis: RunEmphasis): OfficeRun {
  // The emphasis of white space is not seen.
  const isMarked = emphasis === 'marked' && run.isMarkdown !== true && run.text.trim() !== '';
  return {
    text: run.text,
    ...(isMarked && run.isBold === true && { isBold: true }),
    ...(isMarked && run.isItalic === true && { isItalic: true }),
    ...(isMarked && run.isStruck === true && { isStruck: true }),
    ...(run.isMarkdown === true && { isMarkdown: true }),
  };
}

function isSameFormat(one: OfficeRun, other: OfficeRun): boolean {
  return (
    one.isBold === other.isBold &&
    one.isItalic === other.isItalic &&
    one.isStruck === other.isStruck &&
    one.isMarkdown === other.isMarkdown
  );
}

function writeRun(run: OfficeRun, pieces: Piece[]): void {
  if (run.isMarkdown === true) {
    pieces.push(run.text);
    return;
  }
  const marks = [
    ...(run.isBold === true ? ['**'] : []),
    ...(run.isItalic === true ? ['*'] : []),
    ...(run.isStruck === true ? ['~~'] : []),
  ].map((marker) => ({ marker, side: 'start' as const, isUsed: true }));
  pieces.push(...marks);
  pieces.push(
    run.text
      .split('\n')
      .map((line) => escapeText(collapse(line), 'text'))
      .join('\n'),
  );
  for (const start of marks.reverse()) pieces.push({ marker: start.marker, side: 'end', start });
}
