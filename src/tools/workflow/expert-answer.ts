import { SEVERITIES, type Finding, type Severity } from './finding.ts';
import { cut } from '../asking/cut.ts';
import { isRecord, own, readWrapped, type JsonRecord } from '../asking/json-record.ts';
import { findObject } from '#core/model-json.ts';

/** What an expert said, as far as it was understood. */
export interface ExpertReading {
  /** `text`: no JSON that says anything; all there is is the text itself. */
  readonly format: 'json' | 'text';
  readonly summary: string;
  readonly findings: readonly Finding[];
  readonly nextSteps: readonly string[];
  /** Present when the expert cannot judge yet. */
  readonly wants?: ExpertWants;
}

/** What an expert needs before it can go on. */
export interface ExpertWants {
  readonly status: string;
  readonly instructions: string;
  readonly files: readonly string[];
}

/** Statuses by which an expert says that it cannot judge yet. */
const PAUSES: ReadonlySet<string> = new Set([
  'files_required_to_continue',
  'investigation_paused',
  'refactoring_paused',
  'full_codereview_required',
  'focused_review_required',
  'test_sample_needed',
  'more_tests_required',
]);

const MAX_FINDINGS = 500;
const MAX_STEPS = 50;
const MAX_FILES = 100;
const MAX_TEXT_CHARS = 100_000;
const MAX_WORDS_CHARS = 10_000;
const MAX_PATH_CHARS = 4_096;

const NOTHING: ExpertReading = { format: 'text', summary: '', findings: [], nextSteps: [] };

export function readExpertAnswer(said: string): ExpertReading {
  return findObject(said, (value) => readWrapped(value, readObject)) ?? NOTHING;
}

function readObject(value: JsonRecord): ExpertReading | undefined {
  const wants = readWants(value);
  const summary = firstText(value, ['summary', 'analysis', 'conclusion'], MAX_TEXT_CHARS);
  const found = own(value, 'findings') ?? own(value, 'issues_found') ?? own(value, 'issues');
  const steps = own(value, 'next_steps') ?? own(value, 'recommendations');
  const findings = listOf(found)
    .slice(0, MAX_FINDINGS)
    .flatMap((each) => readFinding(each) ?? []);
  const nextSteps = texts(steps, MAX_STEPS, MAX_WORDS_CHARS);
  const saysNothing =
    !wants && summary === undefined && findings.length === 0 && nextSteps.length === 0;
  if (saysNothing) return undefined;
  return { format: 'json', summary: summary ?? '', findings, nextSteps, ...(wants && { wants }) };
}

function readWants(value: JsonRecord): ExpertWants | undefined {
  const status = own(value, 'status');
  if (typeof status !== 'string' || !PAUSES.has(status)) return undefined;
  const names = ['mandatory_instructions', 'instructions', 'question'];
  return {
    status,
    instructions: firstText(value, names, MAX_WORDS_CHARS) ?? '',
    files: texts(own(value, 'files_needed') ?? own(value, 'files'), MAX_FILES, MAX_PATH_CHARS),
  };
}

function readFinding(value: unknown): Finding | undefined {
  if (typeof value === 'string') return finding('medium', cut(value, MAX_WORDS_CHARS));
  if (!isRecord(value)) return undefined;
  const names = ['description', 'title', 'message', 'issue'];
  const description = firstText(value, names, MAX_WORDS_CHARS);
  if (description === undefined) return undefined;
  const where = readPlace(value);
  const fix = firstText(value, ['fix', 'recommendation', 'suggestion'], MAX_WORDS_CHARS);
  return {
    ...finding(readSeverity(own(value, 'severity')), description),
    ...where,
    ...(fix !== undefined && { fix }),
  };
}

function finding(severity: Severity, description: string): Finding {
  return { severity, description };
}

/** Other words for the same; what nobody knows is neither hidden nor made much of. */
const SYNONYMS: Readonly<Record<string, Severity>> = {
  blocker: 'critical',
  severe: 'critical',
  major: 'high',
  error: 'high',
  moderate: 'medium',
  warning: 'medium',
  minor: 'low',
  info: 'low',
  informational: 'low',
  nit: 'low',
  trivial: 'low',
};

function readSeverity(value: unknown): Severity {
  const word = typeof value === 'string' ? value.trim().toLowerCase().slice(0, 40) : '';
  const known = SEVERITIES.find((each) => each === word);
  return known ?? (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined) ?? 'medium';
}

/** The line may stand behind the path, be a text, or be the first of several. */
function readPlace(value: JsonRecord): Pick<Finding, 'file' | 'line'> {
  const path = firstText(value, ['file', 'path', 'location'], MAX_PATH_CHARS);
  const [, bare, behind] = /^(.+?):(\d{1,9})(?:[-:]\d{1,9})?$/s.exec(path ?? '') ?? [];
  const line = readLine(own(value, 'line') ?? own(value, 'line_number')) ?? readLine(behind);
  return {
    ...(path !== undefined && { file: bare ?? path }),
    ...(line !== undefined && { line }),
  };
}

function readLine(value: unknown): number | undefined {
  const [digits = ''] =
    typeof value === 'string' ? (/\d{1,9}/.exec(value.slice(0, 40)) ?? []) : [String(value)];
  const line = Number(digits);
  return Number.isSafeInteger(line) && line > 0 ? line : undefined;
}

function firstText(
  value: JsonRecord,
  names: readonly string[],
  maxChars: number,
): string | undefined {
  for (const name of names) {
    const text = own(value, name);
    if (typeof text === 'string' && /\S/.test(text)) return cut(text.trim(), maxChars);
  }
  return undefined;
}

function texts(value: unknown, maxCount: number, maxChars: number): readonly string[] {
  return listOf(value)
    .filter((each): each is string => typeof each === 'string' && /\S/.test(each))
    .slice(0, maxCount)
    .map((each) => cut(each.trim(), maxChars));
}

/** One alone is as good as a list of one. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
