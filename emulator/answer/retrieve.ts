import type { QuestionMessage } from './question.ts';
import { placeOf, type Passage } from './cite.ts';
import { contentWords } from './content-words.ts';

interface Source {
  readonly where: string;
  readonly text: string;
  readonly isFile: boolean;
}

/**
 * Ways in which people put a file into a message: its end, by which one is found at all, its name,
 * and its text.
 */
const MARKED = [
  {
    closer: '</file',
    whole:
      /<file\s[^<>]{0,500}?(?:path|name|title)="([^"]+)"[^<>]*>([\s\S]*?)<\/file(?:\s[^<>]{0,200})?>/g,
  },
  {
    closer: '</document>',
    whole: /<document\s[^<>]{0,500}?(?:path|name|title)="([^"]+)"[^<>]*>([\s\S]*?)<\/document>/g,
  },
  {
    closer: 'END FILE',
    whole: /-{3} ?BEGIN FILE: ([^\n]{1,500}?) ?-{3}\n([\s\S]*?)\n-{3} ?END FILE[^\n]*/g,
  },
];

/** Sentences beyond this are not looked at, so that a huge prompt costs little. */
const MAX_SENTENCES = 200_000;

/**
 * The sentences of what was given that answer the question, and where they were: the best of each
 * source, the best of all first.
 */
export function retrieve(
  messages: readonly QuestionMessage[],
  asked: QuestionMessage,
): readonly Passage[] {
  const own = takeMarked(asked.text);
  const sources = [
    ...messages.flatMap((message, index) =>
      message === asked || (message.role !== 'system' && message.role !== 'user')
        ? []
        : sourcesOf(message, index),
    ),
    ...own.sources,
  ];
  const wanted = new Set(contentWords(own.rest));
  if (sources.length === 0 || wanted.size === 0) return [];

  const found: { at: SentenceAt; hits: readonly string[] }[] = [];
  const frequency = new Map<string, number>();
  let looked = 0;
  for (const source of sources)
    for (const { sentence, line } of sentencesOf(source.text)) {
      looked += 1;
      if (looked > MAX_SENTENCES) break;
      const hits = [...new Set(contentWords(sentence))].filter((word) => wanted.has(word));
      if (hits.length === 0) continue;
      for (const hit of hits) frequency.set(hit, (frequency.get(hit) ?? 0) + 1);
      found.push({ at: { source, sentence, line }, hits });
    }
  const best = new Map<Source, { readonly at: SentenceAt; readonly score: number }>();
  for (const { at, hits } of found) {
    if (hits.length < 2 && hits.length * 2 < wanted.size) continue;
    const score = hits.reduce((sum, hit) => sum + 1 / (frequency.get(hit) ?? 1) + 1, 0);
    if (score > (best.get(at.source)?.score ?? 0)) best.set(at.source, { at, score });
  }
  return [...best.values()].toSorted((a, b) => b.score - a.score).map(({ at }) => passageAt(at));
}

interface SentenceAt {
  readonly source: Source;
  readonly sentence: string;
  /** Index of its line. */
  readonly line: number;
}

function passageAt({ source: { where, text, isFile }, sentence, line }: SentenceAt): Passage {
  const place = placeOf(text, line);
  return { where, sentence, isFile, ...(place !== undefined && { place }) };
}

function sourcesOf(message: QuestionMessage, index: number): Source[] {
  const file = readExtract(message.text);
  if (file !== undefined) return [file];
  const { sources, rest } = takeMarked(message.text);
  return rest.trim() === ''
    ? sources
    : [...sources, { where: `message ${index + 1} (${message.role})`, text: rest, isFile: false }];
}

/** The JSON that Kimi's `/files/{id}/content` gives, put into a message unchanged. */
function readExtract(text: string): Source | undefined {
  if (!text.startsWith('{') || !text.includes('"content"')) return undefined;
  try {
    const read = JSON.parse(text) as { content?: unknown; filename?: unknown };
    return typeof read.content === 'string' && typeof read.filename === 'string'
      ? { where: read.filename, text: read.content, isFile: true }
      : undefined;
  } catch {
    // Text that only looks like it is a text like any other.
    return undefined;
  }
}

function takeMarked(text: string): { sources: Source[]; rest: string } {
  const sources: Source[] = [];
  let rest = text;
  for (const { closer, whole } of MARKED)
    if (rest.includes(closer))
      rest = rest.replace(whole, (_, where: string, inside: string) => {
        sources.push({ where, text: inside, isFile: true });
        return '';
      });
  return { sources, rest };
}

function* sentencesOf(text: string): Generator<Pick<SentenceAt, 'sentence' | 'line'>> {
  for (const [line, words] of text.split('\n').entries())
    for (const sentence of words.split(/(?<=[.!?。！？])\s+|(?<=[。！？])/u)) {
      const trimmed = sentence.trim();
      if (trimmed.length > 1) yield { sentence: trimmed, line };
    }
}
