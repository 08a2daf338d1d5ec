import * as z from 'zod';
import { problemWords, type Spot } from './argument-problem.schema.ts';
import { CallError } from './call-error.ts';
import { didYouMean, nearest } from './nearest.ts';
import { oneLine } from './one-line.ts';

const MAX_LISTED = 12;
const MAX_FIELD_CHARS = 64;

/** Names of fields whose values must not come back in a message. */
const SECRET_NAME = /key|token|secret|pass|auth|credential|cookie|bearer/i;

/** The first thing wrong with a tool's arguments, in words: the field, what was expected, the nearest right name. */
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
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  if (issue.code === 'unrecognized_keys') return unknownName(tool, issue, schema, more);

  const field = fieldOf(issue.path) || 'arguments';
  const value = valueAt(args, issue.path);
  const spot: Spot = {
    value,
    field: issue.path.some((key) => SECRET_NAME.test(String(key))) ? 'secret' : 'plain',
    number: isWhole(schemaAt(schema, issue.path)) ? 'whole' : 'any',
  };
  const words = problemWords(issue, spot);
  if (isMissing(issue, args)) {
    const missing = error.issues.flatMap((each) => {
      const inner = innermost(each);
      return isMissing(inner, args) ? [fieldOf(inner.path)] : [];
    });
    return missingError(tool, missing, words, error.issues.length - missing.length);
  }
  const end = words.endsWith('?') ? '' : '.';
  return new CallError('validation', `"${field}" ${words}${end}${more}`, { field });
}

function isMissing(issue: z.core.$ZodIssue, args: unknown): boolean {
  const isOfValue = issue.code !== 'invalid_key' && issue.code !== 'unrecognized_keys';
  return isOfValue && issue.path.length > 0 && valueAt(args, issue.path) === undefined;
}

/** All that has to be given, so that it can be given at once; `words` are of the first. */
function missingError(
  tool: string,
  missing: readonly string[],
  words: string,
  wrongBesides: number,
): CallError {
  const [field = 'arguments'] = missing;
  const names = [...new Set(missing)].map((name) => `"${name}"`);
  const are = names.length === 1 ? 'is missing' : 'are missing';
  const more = wrongBesides === 0 ? '' : ` (and ${wrongBesides} more wrong)`;
  const message = `${together(names)} ${are}${more}.`;
  const alone = words.startsWith('must ') ? `It ${words}.` : 'Give it.';
  const fix = names.length === 1 ? alone : `What they must be: tool_help with {"tool": "${tool}"}.`;
  return new CallError('validation', message, { field, fix });
}

/** `"a", "b" and "c"`. */
function together(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED);
  const left = names.length - shown.length;
  const last = left > 0 ? `${left} more` : shown.pop();
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} and ${last}`;
}

/** A name that nobody knows beside one that is missing is most often one slip, and is told as one. */
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
      // Both are mended by it, unless there are more names that nobody knows.
      const rest = issues.length - (issue.keys.length === 1 ? 2 : 1);
      const more = rest === 0 ? '' : ` (and ${rest} more)`;
      const message = `"${field}" is not known; did you mean "${meant}"?${more}`;
      return new CallError('validation', message, { field });
    }
  }
  return undefined;
}

/** What has to be in the object at this path, and is not. */
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
  more: string,
): CallError {
  const [key = ''] = issue.keys;
  const field = fieldOf([...issue.path, key]);
  const owner = schemaAt(schema, issue.path);
  const known = owner instanceof z.ZodObject ? Object.keys(owner.shape) : [];
  const hint = didYouMean(key, known) || '.';
  const isInside = issue.path.length > 0;
  const words = isInside
    ? `"${fieldOf(issue.path)}" has no member "${oneLine(key, MAX_FIELD_CHARS)}"`
    : `${tool} has no argument "${field}"`;
  const takes = known.length === 0 ? 'It takes none.' : `It takes ${listed(known)}.`;
  const fix = isInside && known.length === 0 ? 'Leave it out.' : takes;
  return new CallError('validation', `${words}${hint}${more}`, { field, fix });
}

/** Where a value fits one way of a union so far that what is wrong lies inside, that is what has to be said. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const fitting = issue.errors.find(
    ([first]) => first && (first.path.length > 0 || first.code === 'unrecognized_keys'),
  );
  const [inner] = fitting ?? [];
  return inner ? innermost({ ...inner, path: [...issue.path, ...inner.path] }) : issue;
}

/** The schema of what stands at this path; nothing where it cannot be told, as inside a union. */
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
