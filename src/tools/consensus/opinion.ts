import { isRecord, own, readWrapped, type JsonRecord } from '../asking/json-record.ts';
import { findObject } from '#core/model-json.ts';

export const POSITIONS = ['agree', 'disagree', 'mixed', 'unclear'] as const;
export type Position = (typeof POSITIONS)[number];

/** What somebody thinks, as far as it was understood, and whole: who has less room for it says so. */
export interface Opinion {
  readonly verdict: string;
  readonly position: Position;
  /** From 0 to 1; absent when nobody said. */
  readonly confidence?: number;
  readonly reasons: readonly string[];
  readonly risks: readonly string[];
  /** What made them change their mind, in their own words. */
  readonly change?: string;
}

/** Never fails: what is no JSON is a verdict in prose. Nothing is there when nothing was said. */
export function readOpinion(said: string): Opinion | undefined {
  const prose = readText(said);
  if (prose === '') return undefined;
  const found = findObject(said, (value) => readWrapped(value, readObject));
  if (!found) return { verdict: prose, position: 'unclear', reasons: [], risks: [] };
  return found.verdict === '' ? { ...found, verdict: found.reasons[0] ?? prose } : found;
}

function readObject(value: JsonRecord): Opinion | undefined {
  const verdict = readText(own(value, 'verdict'));
  const position = readPosition(own(value, 'position'));
  if (verdict === '' && position === undefined) return undefined;
  const confidence = readConfidence(own(value, 'confidence'));
  const change = readText(own(value, 'change'));
  return {
    verdict,
    position: position ?? 'unclear',
    ...(confidence !== undefined && { confidence }),
    reasons: readList(own(value, 'reasons')),
    risks: readList(own(value, 'risks')),
    ...(change !== '' && { change }),
  };
}

/** Other words for the same. */
const SYNONYMS: Readonly<Record<string, Position>> = {
  yes: 'agree',
  agreed: 'agree',
  agrees: 'agree',
  for: 'agree',
  support: 'agree',
  approve: 'agree',
  no: 'disagree',
  disagrees: 'disagree',
  against: 'disagree',
  oppose: 'disagree',
  reject: 'disagree',
  partial: 'mixed',
  partially: 'mixed',
  conditional: 'mixed',
  neutral: 'mixed',
};

/** An agreement with a condition is none. */
const CONDITION =
  /^(?:partial|partly|condition|mostly|somewhat|mixed)|\b(?:but|if|unless|with|partially)\b/;

function readPosition(value: unknown): Position | undefined {
  if (typeof value !== 'string') return undefined;
  const words = value
    .trim()
    .toLowerCase()
    .slice(0, 60)
    .replace(/^(?:strongly|fully|completely|firmly)\s+/, '');
  const known = POSITIONS.find((each) => each === words);
  if (known) return known;
  if (Object.hasOwn(SYNONYMS, words)) return SYNONYMS[words];
  return CONDITION.test(words) ? 'mixed' : undefined;
}

const IN_WORDS: Readonly<Record<string, number>> = { low: 0.3, medium: 0.6, high: 0.9 };

/** `0.8`, `"80%"`, `"8/10"`, `80` and `"high"` are the same to people. */
function readConfidence(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const words = text.trim().toLowerCase().slice(0, 40);
  if (Object.hasOwn(IN_WORDS, words)) return IN_WORDS[words];
  const [, figure, of, percent] =
    /^(\d{1,3}(?:\.\d{1,20})?)\s*(?:\/\s*(10|100)|(%))?$/.exec(words) ?? [];
  if (figure === undefined) return undefined;
  const whole = percent ? 100 : Number(of ?? (Number(figure) > 1 ? 100 : 1));
  const share = Number(figure) / whole;
  return share > 1 ? undefined : Math.round(share * 100) / 100;
}

/** One alone is as good as a list of one; an object says what its texts say. */
function readList(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list
    .map((each) => (isRecord(each) ? Object.values(each).filter(isText).join(': ') : each))
    .map((each) => readText(each).replaceAll(/\s+/g, ' '))
    .filter((each) => each !== '');
}

function readText(value: unknown): string {
  return isText(value) ? value.trim().toWellFormed() : '';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
