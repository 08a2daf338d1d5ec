import type { PassageEmbedder } from '#core/files/passage-embedder.ts';
import type { FilePassage } from '#core/files/passage.ts';
import { isEnglishProse } from '#core/text/is-english.ts';

const SENTENCE_END = /(?<=[.!?;:。！？])\s+|\n+/u;

/** The pieces of a passage that are embedded, each with the heading above it; none in a language that the model does not know. */
export function splitPieces(
  { heading, text }: Pick<FilePassage, 'heading' | 'text'>,
  { language, maxChars }: Pick<PassageEmbedder, 'language' | 'maxChars'>,
): readonly string[] {
  if (language === 'english' && !isEnglishProse(text)) return [];
  const pieces: string[] = [];
  let piece = '';
  for (const sentence of text.split(SENTENCE_END)) {
    for (let at = 0; at === 0 || at < sentence.length; at += maxChars) {
      const part = sentence.slice(at, at + maxChars).trim();
      if (piece !== '' && piece.length + part.length >= maxChars) {
        pieces.push(piece);
        piece = '';
      }
      piece = piece === '' ? part : `${piece} ${part}`;
    }
  }
  if (piece !== '') pieces.push(piece);
  const above = heading === undefined ? '' : `${heading}. `;
  return pieces.map((each) => `${above}${each}`.toWellFormed());
}
