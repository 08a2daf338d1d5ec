import { destination, escapeText } from '../../html/markdown/escape.ts';
import { collapse } from '../../html/markdown/inline.ts';
import { joinPieces, type Piece } from '../../html/markdown/pieces.ts';
import type { OfficeRun } from './office-block.ts';

/** In a heading, emphasis says nothing. */
export type RunEmphasis = 'marked' | 'plain';

const KEPT_LINK = /^(?:https?|mailto|tel|ftp|file):/i;

/** Runs as inline Markdown; a line break is a line break. */
export function writeRuns(runs: readonly OfficeRun[], emphasis: RunEmphasis): string {
  const merged = mergeRuns(runs, emphasis);
  const pieces: Piece[] = [];
  for (let at = 0; at < merged.length;) {
    const link = merged[at]?.link;
    let end = at + 1;
    if (link !== undefined) while (merged[end]?.link === link) end++;
    const group = merged.slice(at, end);
    if (link === undefined) writeGroup(group, 'text', pieces);
    else writeLink(group, link, pieces);
    at = end;
  }
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
  const link = run.link !== undefined && KEPT_LINK.test(run.link) ? run.link : undefined;
  // The emphasis of white space is not seen.
  const isMarked = emphasis === 'marked' && run.isMarkdown !== true && run.text.trim() !== '';
  return {
    text: run.text,
    ...(isMarked && run.isBold === true && { isBold: true }),
    ...(isMarked && run.isItalic === true && { isItalic: true }),
    ...(isMarked && run.isStruck === true && { isStruck: true }),
    ...(link !== undefined && { link }),
    ...(run.isMarkdown === true && { isMarkdown: true }),
  };
}

function isSameFormat(one: OfficeRun, other: OfficeRun): boolean {
  return (
    one.isBold === other.isBold &&
    one.isItalic === other.isItalic &&
    one.isStruck === other.isStruck &&
    one.link === other.link &&
    one.isMarkdown === other.isMarkdown
  );
}

function writeGroup(runs: readonly OfficeRun[], where: 'text' | 'link', pieces: Piece[]): void {
  for (const run of runs) {
    if (run.isMarkdown === true) {
      pieces.push(run.text);
      continue;
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
        .map((line) => escapeText(collapse(line), where))
        .join('\n'),
    );
    for (const start of marks.reverse()) pieces.push({ marker: start.marker, side: 'end', start });
  }
}

function writeLink(runs: readonly OfficeRun[], link: string, pieces: Piece[]): void {
  const inner: Piece[] = [];
  writeGroup(runs, 'link', inner);
  const text = joinPieces(inner);
  const label = text.trim().replace(/\s*\n\s*/g, ' ');
  if (label === '') {
    if (text !== '') pieces.push(' ');
    return;
  }
  if (text.trimStart() !== text) pieces.push(' ');
  pieces.push(`[${label}](${destination(link)})`);
  if (text.trimEnd() !== text) pieces.push(' ');
}
