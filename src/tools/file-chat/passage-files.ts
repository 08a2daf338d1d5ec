import type { FoundPassage } from '#core/files/file-index.ts';
import type { PassagePlace } from '#core/files/passage.ts';
import { numberLines } from '#core/text/numbered-lines.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { CitableFiles } from './citable-files.ts';
import { citationNames } from './citation-names.ts';
import type { CitedFile, CitedPlace, PlacedText } from './cited-file.ts';

/** The best passages that fit into a number of tokens. */
export function fitPassages(
  ranked: readonly FoundPassage[],
  maxTokens: number,
): readonly FoundPassage[] {
  let left = maxTokens;
  return ranked.filter(({ text }, at) => {
    left -= estimateTokens(text);
    return left >= 0 || at === 0;
  });
}

/** Passages as the files of a question: in the order of their files and places, and as citations of them are checked. */
export function passageFiles(passages: readonly FoundPassage[]): CitableFiles {
  const byFile = new Map<number, FoundPassage[]>();
  for (const passage of passages) {
    const own = byFile.get(passage.file.id);
    if (own) own.push(passage);
    else byFile.set(passage.file.id, [passage]);
  }
  const sorted = [...byFile.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const names = citationNames(sorted.map(nameOf));
  const files = sorted.map((own, at) => {
    const ordered = own.toSorted((a, b) => orderOf(a.place) - orderOf(b.place));
    const name = names[at] ?? '';
    const file: CitedFile = { name, is: 'text', places: placesOf(ordered) };
    return { file, text: { name, text: ordered.map(shownPassage).join('\n…\n') } };
  });
  return {
    texts: files.map(({ text }) => text),
    parts: [],
    cited: files.map(({ file }) => file),
  };
}

function nameOf([first]: readonly FoundPassage[]): string {
  return first?.file.name ?? '';
}

function orderOf(place: PassagePlace): number {
  if (place.is === 'sheet') return 0;
  return place.is === 'lines' ? place.from : place.number;
}

/** As the prompt describes files: a mark of its place, or a number before each line. */
function shownPassage({ place, text }: FoundPassage): string {
  if (place.is === 'sheet') return `<!-- sheet "${place.sheet}" -->\n\n${text}`;
  if (place.is !== 'lines') return `<!-- ${place.is} ${place.number} -->\n\n${text}`;
  return numberLines(linesOf(text), place.from);
}

/** The places with their texts; a place with several passages is there once. */
function placesOf(passages: readonly FoundPassage[]): readonly PlacedText[] {
  const places = new Map<string, PlacedText>();
  const add = (place: CitedPlace, text: string) => {
    const key = JSON.stringify(place);
    const known = places.get(key);
    places.set(key, { place, text: known ? `${known.text}\n${text}` : text });
  };
  for (const { place, text } of passages) {
    if (place.is === 'sheet') add(place, text);
    else if (place.is !== 'lines')
      add({ is: place.is, from: place.number, to: place.number }, text);
    else {
      linesOf(text).forEach((line, at) => {
        const number = place.from + at;
        add({ is: 'line', from: number, to: number }, line);
      });
    }
  }
  return [...places.values()];
}

function linesOf(text: string): readonly string[] {
  return text.split('\n');
}
