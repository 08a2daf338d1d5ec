import type { z } from 'zod';
import type { Json } from '#core/json.ts';
import { Config } from './config.schema.ts';
import type { Given } from './given.ts';
import { describeOrigin, fixAt } from './origin.ts';
import { refusal, type Problem, type Report } from './report.ts';
import { findSetting, type Setting } from './settings.ts';

export interface Judged {
  readonly given: Given;
  readonly value: unknown;
}

type Issue = z.core.$ZodIssue;

const MAX_SHOWN = 60;

/** Checks all values at once and fills in the defaults, or throws everything that loading found wrong. */
export function judge(values: ReadonlyMap<string, Judged>, report: Report): Config {
  // Parsed once per process: compiling the schema first would take longer than it saves.
  const result = Config.safeParse(nest(values), { jitless: true });
  if (!result.success) report.problems.push(...explain(result.error.issues, values));
  if (!result.success || report.problems.length > 0) throw refusal(report.problems);
  return result.data;
}

/** One problem per setting: it names the setting, what it must be, the source and what that says. */
function explain(issues: readonly Issue[], values: ReadonlyMap<string, Judged>): Problem[] {
  const problems = new Map<string, Problem>();
  for (const { path: keys, message } of issues) {
    const path = keys.filter((key) => typeof key === 'string').join('.');
    const given = values.get(path)?.given;
    const setting = findSetting(path);
    if (!setting || !given || problems.has(path)) continue;
    const index = keys.find((key) => typeof key === 'number');
    const subject = index === undefined ? path : `${path}[${index}]`;
    problems.set(path, {
      field: path,
      message: `${subject} ${message}, but ${describeOrigin(given.origin)} ${says(setting, given, index)}.`,
      fix: fixAt(given.origin),
    });
  }
  return [...problems.values()];
}

/** What was written, not what a reference put in its place: that may be a secret. */
function says(setting: Setting, given: Given, index: number | undefined): string {
  const isItem = index !== undefined && Array.isArray(given.written);
  const value: Json = isItem ? given.written[index] : given.written;
  // A URL that is none cannot be masked, only withheld; often it is a key in the wrong place.
  if (setting.facts.secret) return 'holds something else (not shown, as it may be secret)';
  return `${given.origin.kind === 'file' ? 'says' : 'is'} ${show(value)}`;
}

function show(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function nest(values: ReadonlyMap<string, Judged>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, { value }] of values) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let group = root;
    for (const key of keys) group = (group[key] ??= {}) as Record<string, unknown>;
    group[last] = value;
  }
  return root;
}
