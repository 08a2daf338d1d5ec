import { SECRET_RULES, type SecretRule } from './secret-rules.ts';

/** A place that looks like a secret. The secret itself is not kept. */
export interface SecretFinding {
  readonly rule: SecretRule['id'];
  readonly title: string;
  /** From 1. */
  readonly line: number;
}

/** Characters that are searched before other work gets its turn. */
const PIECE_CHARS = 262_144;
/** Longer than any match, so that none is missed at the border of two pieces. */
const OVERLAP_CHARS = 1024;
/** Further findings say nothing new. */
const MAX_FINDINGS = 20;

/** Looks for secrets in a text, in pieces with a pause between them. */
export async function scanSecrets(
  text: string,
  pause: () => Promise<void>,
): Promise<readonly SecretFinding[]> {
  const found = new Map<string, SecretFinding & { readonly at: number }>();
  for (let start = 0; start < text.length; start += PIECE_CHARS) {
    if (start > 0) await pause();
    const piece = text.slice(start, start + PIECE_CHARS + OVERLAP_CHARS);
    for (const { rule, at } of matchesIn(piece)) {
      const place = start + at;
      const key = `${rule.id} ${place}`;
      if (found.size < MAX_FINDINGS && !found.has(key))
        found.set(key, { rule: rule.id, title: rule.title, line: 0, at: place });
    }
    if (found.size >= MAX_FINDINGS) break;
  }
  return withLines(
    text,
    [...found.values()].toSorted((a, b) => a.at - b.at),
  );
}

function* matchesIn(piece: string): Generator<{ rule: SecretRule; at: number }> {
  for (const rule of SECRET_RULES) {
    for (const match of piece.matchAll(rule.pattern)) {
      if (rule.isReal?.(match[0]) ?? true) yield { rule, at: match.index };
    }
  }
}

/** Counts lines once for all findings; two on one line by one rule are one. */
function withLines(
  text: string,
  found: readonly (SecretFinding & { readonly at: number })[],
): readonly SecretFinding[] {
  let line = 1;
  let from = 0;
  const listed = new Map<string, SecretFinding>();
  for (const { rule, title, at } of found) {
    for (
      let next = text.indexOf('\n', from);
      next !== -1 && next < at;
      next = text.indexOf('\n', from)
    ) {
      line += 1;
      from = next + 1;
    }
    listed.set(`${rule} ${line}`, { rule, title, line });
  }
  return [...listed.values()];
}
