import * as z from 'zod';
import type { CheckedCitation, CitationProblem } from './check-citations.ts';
import { formatPlace, type CitedPlace } from './cited-file.ts';

const PROBLEMS = [
  'no_file',
  'no_place',
  'no_quote',
  'not_found',
  'other_place',
  'no_text',
  'media',
] as const satisfies readonly CitationProblem[];

const PlaceShape = {
  page: z.int().optional(),
  slide: z.int().optional(),
  section: z.int().optional(),
  sheet: z.string().optional(),
  line: z.int().optional(),
  last: z.int().optional().describe('Of a range: its last page, slide, section or line.'),
};

/** The citations of an answer in its envelope. */
export const FileCitationsShape = z.array(
  z.strictObject({
    file: z.string(),
    ...PlaceShape,
    quote: z.string().optional(),
    verified: z.boolean(),
    problem: z.enum(PROBLEMS).optional(),
    found_at: z.strictObject(PlaceShape).optional().describe('Where the words are instead.'),
  }),
);

/** A citation in the envelope. */
export function fileCitationContent(citation: CheckedCitation) {
  const { file, place, quote, problem, foundAt } = citation;
  return {
    file,
    ...(place && placeContent(place)),
    ...(quote !== undefined && { quote }),
    verified: problem === undefined,
    ...(problem !== undefined && { problem }),
    ...(foundAt && { found_at: placeContent(foundAt) }),
  };
}

function placeContent(place: CitedPlace) {
  if (place.is === 'sheet') return { sheet: place.sheet };
  return { [place.is]: place.from, ...(place.to !== place.from && { last: place.to }) };
}

/** The answer with a remark behind each citation that was not verified. */
export function markUnverified(answer: string, citations: readonly CheckedCitation[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const [end, remarks] of remarksByEnd(citations)) {
    parts.push(answer.slice(from, end), ` (not verified: ${remarks.join('; ')})`);
    from = end;
  }
  return [...parts, answer.slice(from)].join('');
}

function remarksByEnd(citations: readonly CheckedCitation[]): Map<number, string[]> {
  const remarks = new Map<number, string[]>();
  for (const citation of citations) {
    if (citation.problem === undefined) continue;
    const text = REMARKS[citation.problem](citation);
    const known = remarks.get(citation.end) ?? [];
    remarks.set(citation.end, known.includes(text) ? known : [...known, text]);
  }
  return remarks;
}

const REMARKS: Readonly<Record<CitationProblem, (citation: CheckedCitation) => string>> = {
  no_file: () => 'there is no such file',
  no_place: () => 'the file has no such place',
  no_quote: () => 'nothing is quoted',
  not_found: () => 'these words are not in the file',
  other_place: ({ foundAt }) =>
    `the words are at ${foundAt ? formatPlace(foundAt) : 'another place'}`,
  no_text: () => 'the place has no text',
  media: () => 'a picture has no text to compare',
};
