import { CallError } from '#core/errors/call-error.ts';
import { findObject } from '#core/json/model-json.ts';
import type { AskAnswer, AskReport, AskRequest } from '#core/llm/ask.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { isRecord, ownField, readWrapped, type JsonRecord } from '../shared/json-record.ts';
import { SEVERITIES, type Finding, type Severity } from './findings.ts';
import { truncate } from './format.ts';

/** An expert's answer as parsed. */
export interface ExpertReading {
  /** `text`: no usable JSON; only the text itself. */
  readonly format: 'json' | 'text';
  readonly summary: string;
  readonly findings: readonly Finding[];
  readonly nextSteps: readonly string[];
  /** Present if the expert cannot judge yet. */
  readonly needs?: ExpertNeeds;
}

/** What an expert needs before it can judge. */
export interface ExpertNeeds {
  readonly status: string;
  readonly instructions: string;
  readonly files: readonly string[];
}

/** Statuses of an expert that cannot judge yet. */
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
  const found =
    ownField(value, 'findings') ?? ownField(value, 'issues_found') ?? ownField(value, 'issues');
  const steps = ownField(value, 'next_steps') ?? ownField(value, 'recommendations');
  const findings = listOf(found)
    .slice(0, MAX_FINDINGS)
    .flatMap((each) => readFinding(each) ?? []);
  const nextSteps = texts(steps, MAX_STEPS, MAX_WORDS_CHARS);
  const saysNothing =
    !wants && summary === undefined && findings.length === 0 && nextSteps.length === 0;
  if (saysNothing) return undefined;
  return {
    format: 'json',
    summary: summary ?? '',
    findings,
    nextSteps,
    ...(wants && { needs: wants }),
  };
}

function readWants(value: JsonRecord): ExpertNeeds | undefined {
  const status = ownField(value, 'status');
  if (typeof status !== 'string' || !PAUSES.has(status)) return undefined;
  const names = ['mandatory_instructions', 'instructions', 'question'];
  return {
    status,
    instructions: firstText(value, names, MAX_WORDS_CHARS) ?? '',
    files: texts(
      ownField(value, 'files_needed') ?? ownField(value, 'files'),
      MAX_FILES,
      MAX_PATH_CHARS,
    ),
  };
}

function readFinding(value: unknown): Finding | undefined {
  if (typeof value === 'string') return finding('medium', truncate(value, MAX_WORDS_CHARS));
  if (!isRecord(value)) return undefined;
  const names = ['description', 'title', 'message', 'issue'];
  const description = firstText(value, names, MAX_WORDS_CHARS);
  if (description === undefined) return undefined;
  const where = readPlace(value);
  const fix = firstText(value, ['fix', 'recommendation', 'suggestion'], MAX_WORDS_CHARS);
  return {
    ...finding(readSeverity(ownField(value, 'severity')), description),
    ...where,
    ...(fix !== undefined && { fix }),
  };
}

function finding(severity: Severity, description: string): Finding {
  return { severity, description };
}

/** Synonyms of severities; an unknown one counts as medium. */
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

/** Reads file and line. The line may follow the path, be a text, or be a range. */
function readPlace(value: JsonRecord): Pick<Finding, 'file' | 'line'> {
  const path = firstText(value, ['file', 'path', 'location'], MAX_PATH_CHARS);
  const [, bare, behind] = /^(.+?):(\d{1,9})(?:[-:]\d{1,9})?$/s.exec(path ?? '') ?? [];
  const line =
    readLine(ownField(value, 'line') ?? ownField(value, 'line_number')) ?? readLine(behind);
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
    const text = ownField(value, name);
    if (typeof text === 'string' && /\S/.test(text)) return truncate(text.trim(), maxChars);
  }
  return undefined;
}

function texts(value: unknown, maxCount: number, maxChars: number): readonly string[] {
  return listOf(value)
    .filter((each): each is string => typeof each === 'string' && /\S/.test(each))
    .slice(0, maxCount)
    .map((each) => truncate(each.trim(), maxChars));
}

/** A single value is a list of one. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** The outcome of asking the expert. */
export type ExpertOutcome =
  | { readonly is: 'answered'; readonly answer: AskAnswer; readonly reading: ExpertReading }
  /** No answer was completed; `partial` is what arrived. */
  | { readonly is: 'failed'; readonly error: CallError; readonly partial: string };

/**
 * Asks the expert. Throws only when the call was cancelled: the caller's work is already saved, so
 * any other failure is reported.
 */
export async function askExpert(
  request: AskRequest,
  context: Pick<ToolContext, 'ask' | 'progress' | 'signal'>,
): Promise<ExpertOutcome> {
  let report: AskReport | undefined;
  context.progress({ note: 'An expert looks at the findings.' });
  try {
    const answer = await context.ask(request, {
      onText: (text) => context.progress({ text }),
      onNote: (note) => context.progress({ note }),
      onReport: (reported) => void (report = reported),
    });
    return { is: 'answered', answer, reading: readExpertAnswer(answer.text) };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'cancelled' || context.signal.aborted) throw thrown;
    return { is: 'failed', error, partial: report?.partial ?? '' };
  }
}
