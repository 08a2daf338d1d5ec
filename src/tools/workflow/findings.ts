export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A finding as data. */
export interface Finding {
  readonly severity: Severity;
  readonly description: string;
  readonly file?: string;
  readonly line?: number;
  readonly fix?: string;
}

/** A finding with its author. */
export interface AttributedFinding extends Finding {
  readonly from: 'investigator' | 'expert';
}

/** 0 is the most severe. */
function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/**
 * Merges findings without duplicates, the most severe first. A repeated finding fills in missing
 * details, and the higher severity counts. The same description at two places is two findings.
 */
export function mergeFindings(
  byInvestigator: readonly Finding[],
  byExpert: readonly Finding[],
): readonly AttributedFinding[] {
  const found: AttributedFinding[] = [];
  // Keys by which a later finding is recognised as the same.
  const places = new Map<string, number>();
  const add = (finding: Finding, from: AttributedFinding['from']) => {
    const known = sameKeys(finding).flatMap((each) => places.get(each) ?? []);
    const place = known.find((at) => agree(found[at], finding)) ?? found.length;
    const before = found[place];
    const merged = before ? filled(before, finding) : { ...finding, from };
    found[place] = merged;
    for (const each of ownKeys(merged)) if (!places.has(each)) places.set(each, place);
  };
  for (const finding of byInvestigator) add(finding, 'investigator');
  for (const finding of byExpert) add(finding, 'expert');
  return found.toSorted((a, b) => severityRank(a.severity) - severityRank(b.severity));
}

/** A finding without a place may have received one since it was stored under its description. */
function agree(before: Finding | undefined, { file, line }: Finding): boolean {
  if (!before) return false;
  if (file === undefined || before.file === undefined) return true;
  return file === before.file && (line ?? before.line) === (before.line ?? line);
}

/** A line belongs to its file, so both are taken together. */
function filled(before: AttributedFinding, again: Finding): AttributedFinding {
  const isWorse = severityRank(again.severity) < severityRank(before.severity);
  const { file, line } = before.file === undefined ? again : before;
  const at = line ?? (again.file === file ? again.line : undefined);
  const fix = before.fix ?? again.fix;
  return {
    severity: isWorse ? again.severity : before.severity,
    description: before.description,
    ...(file !== undefined && { file }),
    ...(at !== undefined && { line: at }),
    ...(fix !== undefined && { fix }),
    from: before.from,
  };
}

/** Keys of a finding: by full place, and by less for later findings that say less. */
function ownKeys({ description, file, line }: Finding): readonly string[] {
  const words = plain(description);
  return [
    ...new Set([key(words, file, line), `${key(words, file)} any line`, `${words} any place`]),
  ];
}

/**
 * Keys under which an earlier finding would be the same: the same place, or one of the two less
 * exact.
 */
function sameKeys({ description, file, line }: Finding): readonly string[] {
  const words = plain(description);
  if (file === undefined) return [`${words} any place`];
  const exact = key(words, file, line);
  const vague = [key(words, file), key(words)];
  return line === undefined ? [exact, `${key(words, file)} any line`, ...vague] : [exact, ...vague];
}

function key(words: string, file?: string, line?: number): string {
  // A line without a file is not a location.
  return JSON.stringify([words, file ?? null, file === undefined ? null : (line ?? null)]);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s\p{P}]+/gu, ' ')
    .trim();
}
