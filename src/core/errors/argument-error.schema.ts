import * as z from 'zod';
import {
  problemOf,
  problemText,
  type ArgumentProblem,
  type Spot,
} from './argument-problem.schema.ts';
import { CallError } from './call-error.ts';
import { codedError } from './coded-error.ts';
import { advice, fix } from '../messages/fixes.ts';
import { reason } from '../messages/reasons.ts';
import { isSecretParameter } from '../secrets/secret-names.ts';
import { nearest, oneLine } from '../text/text.ts';

const MAX_LISTED = 12;
const MAX_FIELD_CHARS = 64;

/**
 * The first problem of a tool's arguments as an error: the field, what was expected, the nearest
 * valid name.
 */
export function argumentError(
  tool: string,
  error: z.ZodError,
  args: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
): CallError {
  const slip = misspelt(error.issues, args);
  if (slip) return slip;
  const [found, ...others] = error.issues;
  if (!found) return new CallError('validation', `The arguments of ${tool} are not valid.`);
  const issue = innermost(found);
  if (issue.code === 'unrecognized_keys') {
    return unknownName(tool, issue, schema, others.length);
  }

  const field = fieldOf(issue.path) || 'arguments';
  const value = valueAt(args, issue.path);
  const spot: Spot = {
    value,
    field: issue.path.some((key) => isSecretParameter(String(key))) ? 'secret' : 'plain',
    number: isWhole(schemaAt(schema, issue.path)) ? 'whole' : 'any',
  };
  const problem = problemOf(issue, spot);
  if (isMissing(issue, args)) {
    const missing = error.issues.flatMap((each) => {
      const inner = innermost(each);
      return isMissing(inner, args) ? [fieldOf(inner.path)] : [];
    });
    return missingError(tool, missing, problem, error.issues.length - missing.length);
  }
  const what = { argument: field, problem: problemText(problem), others: others.length };
  return codedError('validation', reason('invalid_argument', what), { field });
}

function isMissing(issue: z.core.$ZodIssue, args: unknown): boolean {
  const isOfValue = issue.code !== 'invalid_key' && issue.code !== 'unrecognized_keys';
  return isOfValue && issue.path.length > 0 && valueAt(args, issue.path) === undefined;
}

/** Names all missing fields, so that they can be added at once; `problem` is that of the first. */
function missingError(
  tool: string,
  missing: readonly string[],
  problem: ArgumentProblem,
  others: number,
): CallError {
  const [field = 'arguments'] = missing;
  const all = [...new Set(missing)];
  const named = all.slice(0, MAX_LISTED);
  const what = { arguments: named, unnamed: all.length - named.length, others };
  const alone = problem.lead === 'is' ? 'Give it.' : `It ${problemText(problem)}.`;
  const fixes = [all.length === 1 ? advice(alone) : fix('tool_help', { tool })];
  return codedError('validation', reason('missing_arguments', what), { field, fixes });
}

/** An unknown name beside a missing one is usually one typo, and is reported as one. */
function misspelt(
  issues: readonly z.core.$ZodIssue[],
  args: Readonly<Record<string, unknown>>,
): CallError | undefined {
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const missing = missingIn(issue.path, issues, args);
    for (const key of missing.length === 0 ? [] : issue.keys.slice(0, MAX_LISTED)) {
      const meant = nearest(key, missing);
      if (meant === undefined) continue;
      const field = fieldOf([...issue.path, key]);
      // One rename fixes both, unless there are more unknown names.
      const others = issues.length - (issue.keys.length === 1 ? 2 : 1);
      const what = { argument: field, meant, others };
      return codedError('validation', reason('misspelt_argument', what), { field });
    }
  }
  return undefined;
}

/** Required fields that the object at this path lacks. */
function missingIn(
  path: readonly PropertyKey[],
  issues: readonly z.core.$ZodIssue[],
  args: Readonly<Record<string, unknown>>,
): readonly string[] {
  return issues.flatMap((issue) => {
    const name = issue.path.at(-1);
    const isInside =
      issue.path.length === path.length + 1 && path.every((key, at) => issue.path[at] === key);
    if (!isInside || typeof name !== 'string' || issue.code === 'invalid_key') return [];
    return valueAt(args, issue.path) === undefined ? [name] : [];
  });
}

function unknownName(
  tool: string,
  issue: z.core.$ZodIssueUnrecognizedKeys,
  schema: z.ZodObject,
  others: number,
): CallError {
  const [key = ''] = issue.keys;
  const field = fieldOf([...issue.path, key]);
  const owner = schemaAt(schema, issue.path);
  const known = owner instanceof z.ZodObject ? Object.keys(owner.shape) : [];
  const meant = nearest(key, known);
  const more = { others, ...(meant !== undefined && { meant }) };
  const isInside = issue.path.length > 0;
  const what = isInside
    ? reason('unknown_member', {
        argument: fieldOf(issue.path),
        member: oneLine(key, MAX_FIELD_CHARS),
        ...more,
      })
    : reason('unknown_argument', { tool, argument: field, ...more });
  const takes = known.length === 0 ? 'It takes none.' : `It takes ${listed(known)}.`;
  const instead = isInside && known.length === 0 ? 'Leave it out.' : takes;
  return codedError('validation', what, { field, fix: instead });
}

/** Descends into the variant of a union that matches so far that the problem lies inside it. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const fitting = issue.errors.find(
    ([first]) => first && (first.path.length > 0 || first.code === 'unrecognized_keys'),
  );
  const [inner] = fitting ?? [];
  return inner ? innermost({ ...inner, path: [...issue.path, ...inner.path] }) : issue;
}

/** The schema at this path; undefined where it is ambiguous, as inside a union. */
function schemaAt(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
): z.core.$ZodType | undefined {
  let at: z.core.$ZodType | undefined = unwrapped(schema);
  for (const key of path) {
    if (at instanceof z.ZodObject) {
      const { shape } = at as z.ZodObject;
      at = typeof key === 'string' && Object.hasOwn(shape, key) ? shape[key] : undefined;
    } else if (at instanceof z.ZodArray) at = at.element;
    else if (at instanceof z.ZodRecord) at = at.valueType;
    else return undefined;
    at = at && unwrapped(at);
  }
  return at;
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable;
  return isWrapped ? unwrapped(schema.unwrap()) : schema;
}

function isWhole(schema: z.core.$ZodType | undefined): boolean {
  return schema instanceof z.ZodNumber && schema.isInt;
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let value = args;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function fieldOf(path: readonly PropertyKey[]): string {
  return oneLine(path.map(String).join('.'), MAX_FIELD_CHARS);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ');
  return names.length > MAX_LISTED ? `${shown}, …` : shown;
}
