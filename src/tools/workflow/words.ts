import { place } from './consolidate.ts';
import type { AttributedFinding } from './finding.ts';
import { oneLine } from '#core/one-line.ts';

const MAX_SHOWN = 50;
const MAX_DESCRIPTION_CHARS = 1_000;

export function numbered(sentences: readonly string[]): string {
  return sentences.map((sentence, index) => `${index + 1}. ${sentence}`).join('\n');
}

/** Findings as a list for people. */
export function findingLines(findings: readonly AttributedFinding[]): string {
  const lines = findings.slice(0, MAX_SHOWN).map(({ severity, description, file, line, fix }) => {
    const words = oneLine(description, MAX_DESCRIPTION_CHARS);
    const cure = fix === undefined ? '' : ` Fix: ${oneLine(fix, MAX_DESCRIPTION_CHARS)}`;
    return `- ${severity}: ${words}${place(file, line)}${cure}`;
  });
  const left = findings.length - MAX_SHOWN;
  return [...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

/** Parts of a text for people, those that say nothing left out. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

export function titled(title: string, text: string): string {
  return text === '' ? '' : `${title}:\n${text}`;
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
