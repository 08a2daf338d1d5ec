import type * as z from 'zod';
import type { Json } from '#core/json.ts';
import { Config } from './config.schema.ts';
import type { Given } from './given.ts';
import { describeOrigin, fixesAt } from './origin.ts';
import type { Report } from './report.ts';
import { quoteValue, withhold } from './secret-guard.ts';
import { findSetting, type Setting } from './settings.ts';

export interface Judged {
  readonly given: Given;
  readonly value: unknown;
}

type Issue = z.core.$ZodIssue;

/** Checks all values at once and fills in the defaults, or throws everything that loading found wrong. */
export function judge(values: ReadonlyMap<string, Judged>, report: Report): Config {
  // Parsed once per process: compiling the schema first would take longer than it saves.
  const result = Config.safeParse(nest(values), { jitless: true });
  if (!result.success) explain(result.error.issues, values, report);
  const refusal = report.refusal();
  if (refusal) throw refusal;
  // Every value belongs to a setting, so each issue has been explained.
  if (!result.success) throw result.error;
  return result.data;
}

/** One problem per setting: it names the setting, what it must be, the source and what that says. */
function explain(
  issues: readonly Issue[],
  values: ReadonlyMap<string, Judged>,
  report: Report,
): void {
  const explained = new Set<string>();
  for (const { path: keys, message } of issues) {
    const path = keys.filter((key) => typeof key === 'string').join('.');
    const given = values.get(path)?.given;
    const setting = findSetting(path);
    if (!setting || !given || explained.has(path)) continue;
    explained.add(path);
    const index = keys.find((key) => typeof key === 'number');
    const subject = index === undefined ? path : `${path}[${index}]`;
    report.problem(() => ({
      field: path,
      message: `${subject} ${message}, but ${describeOrigin(given.origin)} ${says(setting, given, index)}.`,
      fixes: fixesAt(given.origin),
    }));
  }
}

/** What was written, not what a reference put in its place: that may be a secret. */
function says(setting: Setting, given: Given, index: number | undefined): string {
  const isItem = index !== undefined && Array.isArray(given.written);
  const value: Json = isItem ? given.written[index] : given.written;
  const verb = given.origin.kind === 'file' ? 'says' : 'is';
  if (value === null || typeof value === 'boolean') return `${verb} ${value}`;
  if (typeof value === 'object') return `${verb} ${Array.isArray(value) ? 'a list' : 'an object'}`;
  // A URL that is none cannot be masked, only withheld; often it is a key in the wrong place.
  return setting.facts.secret ? withhold(value) : quoteValue(value, verb);
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
