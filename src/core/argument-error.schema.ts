import type * as z from 'zod';
import { CallError } from './call-error.ts';
import { didYouMean } from './nearest.ts';

const MAX_LISTED = 12;

/** The first thing wrong with a tool's arguments, in words: the field, what was expected, the nearest right name. */
export function argumentError(
  tool: string,
  error: z.ZodError,
  args: Readonly<Record<string, unknown>>,
  known: readonly string[],
): CallError {
  const [issue, ...others] = error.issues;
  if (!issue) return new CallError('validation', `The arguments of ${tool} are not valid.`);
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const field = [...issue.path, key].map(String).join('.');
    const hint = issue.path.length === 0 ? didYouMean(key, known) : '';
    return new CallError(
      'validation',
      `${tool} has no argument "${shown(field)}"${hint || '.'}${more}`,
      {
        field: shown(field),
        fix: known.length === 0 ? 'It takes none.' : `It takes ${listed(known)}.`,
      },
    );
  }
  const field = issue.path.map(String).join('.') || 'arguments';
  const isMissing = valueAt(args, issue.path) === undefined;
  const problem = isMissing ? 'is missing' : lowerFirst(issue.message);
  return new CallError('validation', `${tool}: "${field}" ${problem}.${more}`, {
    field,
    ...(isMissing && { fix: expectation(issue) }),
  });
}

function expectation(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' ? `Give it as ${issue.expected}.` : 'Give it.';
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let value = args;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function listed(names: readonly string[]): string {
  const shownNames = names.slice(0, MAX_LISTED).join(', ');
  return names.length > MAX_LISTED ? `${shownNames}, …` : shownNames;
}

/** A stranger's text in a message: short, and on one line. */
function shown(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ');
  return line.length > 64 ? `${line.slice(0, 63)}…` : line;
}

function lowerFirst(text: string): string {
  return `is not right: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
