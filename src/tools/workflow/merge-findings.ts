import { severityRank, type AttributedFinding, type Finding } from './finding.ts';

/**
 * All findings, each once, the worst first. Who says the same again fills in what was missing, and the worse of two severities
 * counts. Two of one description at different places are two.
 */
export function mergeFindings(
  byInvestigator: readonly Finding[],
  byExpert: readonly Finding[],
): readonly AttributedFinding[] {
  const found: AttributedFinding[] = [];
  // Of each finding the keys by which a later one may be the same.
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

/** What was vague may have got a place since it was entered under its words alone. */
function agree(before: Finding | undefined, { file, line }: Finding): boolean {
  if (!before) return false;
  if (file === undefined || before.file === undefined) return true;
  return file === before.file && (line ?? before.line) === (before.line ?? line);
}

/** A line belongs to its file, so the two are taken together. */
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

/** How it can be found: by all of its place, and by less where a later one says less. */
function ownKeys({ description, file, line }: Finding): readonly string[] {
  const words = plain(description);
  return [
    ...new Set([key(words, file, line), `${key(words, file)} any line`, `${words} any place`]),
  ];
}

/** Under which an earlier one would be the same: at the same place, or where one of the two names less of it. */
function sameKeys({ description, file, line }: Finding): readonly string[] {
  const words = plain(description);
  if (file === undefined) return [`${words} any place`];
  const exact = key(words, file, line);
  const vague = [key(words, file), key(words)];
  return line === undefined ? [exact, `${key(words, file)} any line`, ...vague] : [exact, ...vague];
}

function key(words: string, file?: string, line?: number): string {
  // A line of nobody knows which file is no place.
  return JSON.stringify([words, file ?? null, file === undefined ? null : (line ?? null)]);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s\p{P}]+/gu, ' ')
    .trim();
}
