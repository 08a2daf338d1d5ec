import { oneLine } from '#core/text/text.ts';
import { formatLocation } from './consolidate.ts';
import type { AttributedFinding } from './findings.ts';

/**
 * Cuts a text at a maximum length and marks the cut with an ellipsis. Never splits a surrogate
 * pair.
 */
export function truncate(text: string, maxChars: number): string {
  const short = text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
  return short.toWellFormed();
}

const MAX_SHOWN = 50;
const MAX_DESCRIPTION_CHARS = 1_000;

export function numberedList(sentences: readonly string[]): string {
  return sentences.map((sentence, index) => `${index + 1}. ${sentence}`).join('\n');
}

/** Renders findings as a list. */
export function renderFindings(findings: readonly AttributedFinding[]): string {
  const lines = findings.slice(0, MAX_SHOWN).map(({ severity, description, file, line, fix }) => {
    const words = oneLine(description, MAX_DESCRIPTION_CHARS);
    const cure = fix === undefined ? '' : ` Fix: ${oneLine(fix, MAX_DESCRIPTION_CHARS)}`;
    return `- ${severity}: ${words}${formatLocation(file, line)}${cure}`;
  });
  const left = findings.length - MAX_SHOWN;
  return [...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

/** Joins the non-empty paragraphs. */
export function joinParagraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

export function withTitle(title: string, text: string): string {
  return text === '' ? '' : `${title}:\n${text}`;
}

export function pluralize(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
