import { notice, type Notice } from '#core/messages/notices.ts';
import type { LoadedFiles } from '#core/files/file-intake.ts';
import type { AskText } from '#core/llm/ask.ts';
import { asLocalText } from '#core/llm/file-supply.ts';
import type { ChatPart } from '#core/llm/chat.ts';
import { citationNames, foldName } from './citation-names.ts';
import type { CheckedCitation } from './check-citations.ts';
import { citableMedia, citableText, type CitedFile } from './cited-file.ts';

/** The files of a question as models get them, and as citations of them are checked. */
export interface CitableFiles {
  readonly texts: readonly AskText[];
  /** Pictures and videos, each behind its name. */
  readonly parts: readonly ChatPart[];
  readonly cited: readonly CitedFile[];
}

/** Names the files for citations, sorted by name, so that every question has the same prefix. */
export function citableFiles({ texts, media }: Pick<LoadedFiles, 'texts' | 'media'>): CitableFiles {
  // Of two texts with one name the last counts, as in every tool.
  const byName = new Map(texts.map((text) => [text.name, text] as const));
  const sorted = [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const names = citationNames([...sorted, ...media].map(({ name }) => name));
  const citable = sorted.map((text, at) => {
    const { shown, file } = citableText(names[at] ?? '', text);
    // The text of a provider has no places to cite, so ours is used where it has all pages.
    return { text: { ...asLocalText(text), name: file.name, text: shown }, file };
  });
  const pictures = media.map(({ part }, at) => ({ name: names[sorted.length + at] ?? '', part }));
  return {
    texts: citable.map(({ text }) => text),
    parts: pictures.flatMap(({ name, part }) => [{ type: 'text', text: `${name}:` }, part]),
    cited: [...citable.map(({ file }) => file), ...pictures.map(({ name }) => citableMedia(name))],
  };
}

const MAX_NAMED = 10;

/** What a reader should know about the citations of an answer. */
export function citationNotices(
  answer: string,
  files: readonly CitedFile[],
  citations: readonly CheckedCitation[],
): readonly Notice[] {
  const count = citations.filter(({ problem }) => problem !== undefined).length;
  const known = new Set(citations.map(({ file }) => file));
  const text = foldName(answer);
  const silent = files.filter(({ name }) => !known.has(name) && !isNamedIn(text, name));
  const names = silent.slice(0, MAX_NAMED).map(({ name }) => name);
  return [
    ...(citations.length === 0 ? [notice('no_file_cited', {})] : []),
    ...(count > 0 ? [notice('citations_not_verified', { count, total: citations.length })] : []),
    ...(silent.length > 0 && files.length > 1
      ? [notice('files_not_mentioned', { files: names, more: silent.length - names.length })]
      : []),
  ];
}

function isNamedIn(folded: string, name: string): boolean {
  const last = name.split(/[\\/]/u).at(-1) ?? name;
  return folded.includes(foldName(last));
}
