import type { FindingSeverity } from '#core/hub/finding.ts';
import type { ScanSign } from '#core/messages/scan-signs.ts';
import { OTHER, OWN, SIGNS, type Sign } from './signs.ts';

/** What the signs within a few sentences that follow each other amount to. */
export interface WeighedSigns {
  readonly score: number;
  readonly signs: readonly ScanSign[];
  /** The first of these sentences. */
  readonly excerpt: string;
}

const ENTRIES = Object.entries(SIGNS) as [ScanSign, Sign][];
const OF_ACTS = ENTRIES.filter(([, { isManner }]) => isManner !== true);
const OF_MANNER = ENTRIES.filter(([, { isManner }]) => isManner === true);
/** Sentences that are read together: an order, its reason and what happens otherwise. */
const TOGETHER = 3;
/** What the signs of the manner count at most: honest definitions give orders, too. */
const MAX_MANNER = 6;

/** The sentences in a row that weigh most. */
export function weighSigns(
  sentences: readonly string[],
  isOwn: (name: string) => boolean,
): WeighedSigns {
  let best: WeighedSigns = { score: 0, signs: [], excerpt: '' };
  const marked = sentences.map((raw) => markNames(raw, isOwn));
  const acts = marked.map((text) => signsIn(text, OF_ACTS));
  const manners: ScanSign[][] = [];
  for (let from = 0; from < marked.length; from++) {
    const end = Math.min(from + TOGETHER, marked.length);
    const signs = new Set(acts.slice(from, end).flat());
    // How something is ordered says nothing where nothing is.
    if (signs.size === 0) continue;
    for (let at = from; at < end; at++) {
      manners[at] ??= signsIn(marked[at] ?? '', OF_MANNER);
      for (const sign of manners[at] ?? []) signs.add(sign);
    }
    const score = scoreOf(signs);
    if (score > best.score) best = { score, signs: [...signs], excerpt: sentences[from] ?? '' };
  }
  return best;
}

function signsIn(text: string, of: readonly [ScanSign, Sign][]): ScanSign[] {
  const hasOther = text.includes(OTHER);
  return of
    .filter(
      ([, { pattern, except, isOfOther }]) =>
        (hasOther || isOfOther !== true) && pattern.test(text) && except?.test(text) !== true,
    )
    .map(([sign]) => sign);
}

function scoreOf(signs: Iterable<ScanSign>): number {
  let acts = 0;
  let manner = 0;
  for (const sign of signs) {
    if (SIGNS[sign].isManner) manner += SIGNS[sign].weight;
    else acts += SIGNS[sign].weight;
  }
  return acts + Math.min(manner, MAX_MANNER);
}

const BLOCK = 11;
const WARN = 9;

/** Orders in markup that imitates the system weigh more. */
const IN_MARKUP = 3;

export function severityOf(
  weighed: WeighedSigns,
  isInMarkup: boolean,
): FindingSeverity | undefined {
  const score = weighed.score + (isInMarkup && weighed.score > 0 ? IN_MARKUP : 0);
  if (score >= BLOCK) return 'high';
  return score >= WARN ? 'medium' : undefined;
}

/** `send_mail`, `sendMail`, and any one word in quotes. */
const NAME =
  /[`'"‘“]{1,2}([A-Za-z][\w:~-]{1,60})(?:\(\))?[`'"’”]{1,2}|\b([A-Za-z]\w{0,40}_\w{1,60}|[a-z]{2,30}[A-Z]\w{0,60})\b/g;

/** A sentence in lower case, in which names of tools and arguments are marked. */
function markNames(raw: string, isOwn: (name: string) => boolean): string {
  return raw
    .replaceAll(NAME, (_, quoted: string | undefined, bare: string | undefined) =>
      isOwn(quoted ?? bare ?? '') ? OWN : OTHER,
    )
    .toLowerCase();
}
