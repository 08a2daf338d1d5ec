import { isRecord, ownField, readWrapped, type JsonRecord } from '../shared/json-record.ts';
import { findObject } from '#core/json/model-json.ts';

export const POSITIONS = ['agree', 'disagree', 'mixed', 'unclear'] as const;
export type OpinionPosition = (typeof POSITIONS)[number];

/** An opinion parsed from an answer, in full length. */
export interface Opinion {
  readonly verdict: string;
  readonly position: OpinionPosition;
  /** From 0 to 1; absent if not stated. */
  readonly confidence?: number;
  readonly reasons: readonly string[];
  readonly risks: readonly string[];
  /** What changed the panelist's mind, in its own words. */
  readonly change?: string;
}

/**
 * Parses an opinion. An answer without JSON becomes a verdict in prose; undefined only for an empty
 * answer.
 */
export function readOpinion(answer: string): Opinion | undefined {
  const prose = readText(answer);
  if (prose === '') return undefined;
  const found = findObject(answer, (value) => readWrapped(value, readObject));
  if (!found) return { verdict: prose, position: 'unclear', reasons: [], risks: [] };
  return found.verdict === '' ? { ...found, verdict: found.reasons[0] ?? prose } : found;
}

function readObject(value: JsonRecord): Opinion | undefined {
  const verdict = readText(ownField(value, 'verdict'));
  const position = readPosition(ownField(value, 'position'));
  if (verdict === '' && position === undefined) return undefined;
  const confidence = readConfidence(ownField(value, 'confidence'));
  const change = readText(ownField(value, 'change'));
  return {
    verdict,
    position: position ?? 'unclear',
    ...(confidence !== undefined && { confidence }),
    reasons: readList(ownField(value, 'reasons')),
    risks: readList(ownField(value, 'risks')),
    ...(change !== '' && { change }),
  };
}

const SYNONYMS: Readonly<Record<string, OpinionPosition>> = {
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

/** A conditional agreement counts as mixed. */
const CONDITION =
  /^(?:partial|partly|condition|mostly|somewhat|mixed)|\b(?:but|if|unless|with|partially)\b/;

function readPosition(value: unknown): OpinionPosition | undefined {
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

/** Parses a confidence: `0.8`, `"80%"`, `"8/10"`, `80` and `"high"` are all understood. */
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

/** Reads a list of texts. A single value is a list of one; an object becomes its texts joined. */
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
