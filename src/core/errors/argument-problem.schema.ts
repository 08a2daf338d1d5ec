import type * as z from 'zod';
import { nearest, oneLine } from '../text/text.ts';

type Issue = z.core.$ZodIssue;

const LIBRARY_DEFAULT = 'Invalid input';

/** The context of an issue: the value received, and the schema of its field. */
export interface Spot {
  readonly value: unknown;
  /** `secret`: the value is never shown. */
  readonly field: 'plain' | 'secret';
  readonly number: 'whole' | 'any';
}

const MAX_CHOICES = 24;
const MAX_SHOWN_CHARS = 40;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  date: 'a date',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  url: 'a URL',
  email: 'an e-mail address',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'a moment such as 2026-01-31T08:00:00Z',
  date: 'a date such as 2026-01-31',
  time: 'a time such as 08:00:00',
  duration: 'a duration such as PT15M',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  base64: 'base64',
  base64url: 'base64 for URLs',
  json_string: 'JSON',
};

/** What is wrong with one value; `must be` and `must` say what it has to be. */
export interface ArgumentProblem {
  readonly lead: 'must be' | 'must' | 'is';
  readonly rest: string;
}

/** After the name of the field: `must be 0 or more, but is -5`. */
export function problemText({ lead, rest }: ArgumentProblem): string {
  return `${lead} ${rest}`;
}

const NOT_RIGHT: ArgumentProblem = { lead: 'is', rest: 'not right' };

export function problemOf(issue: Issue, spot: Spot): ArgumentProblem {
  switch (issue.code) {
    case 'invalid_type': {
      const but = butIs(spot, showsText(issue.expected));
      return mustBe(`${kindWords(issue.expected, spot)}${but}`);
    }
    case 'too_small':
    case 'too_big':
      return boundProblem(issue, spot);
    case 'invalid_value':
      return choiceProblem(issue.values, spot);
    case 'not_multiple_of':
      return mustBe(`a multiple of ${issue.divisor}${butIs(spot, 'shown')}`);
    case 'invalid_format':
      return formatProblem(issue);
    case 'invalid_union':
      return unionProblem(issue, spot);
    case 'invalid_key':
      return { lead: 'is', rest: 'a name that is not allowed here' };
    case 'custom':
      return customProblem(issue.message);
    case 'unrecognized_keys':
    case 'invalid_element':
      return NOT_RIGHT;
  }
}

function mustBe(rest: string): ArgumentProblem {
  return { lead: 'must be', rest };
}

function must(rest: string): ArgumentProblem {
  return { lead: 'must', rest };
}

function kindWords(expected: string, { number }: Spot): string {
  if (expected === 'number' && number === 'whole') return 'a whole number';
  return lookUp(KINDS, expected) ?? `of the type ${expected}`;
}

/**
 * Whether a text may be shown: instead of a number or boolean it is a slip; elsewhere it may be
 * user content.
 */
function showsText(expected: string): 'shown' | 'kind' {
  return ['number', 'int', 'bigint', 'boolean'].includes(expected) ? 'shown' : 'kind';
}

type Bound = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig;

function boundProblem(issue: Bound, spot: Spot): ArgumentProblem {
  const [bound, side] =
    issue.code === 'too_small' ? [issue.minimum, 'least'] : [issue.maximum, 'most'];
  const unit = unitOf(issue.origin);
  if (unit === undefined) {
    const words = side === 'least' ? ['or more', 'more than'] : ['or less', 'less than'];
    const limit = issue.inclusive === false ? `${words[1]} ${bound}` : `${bound} ${words[0]}`;
    return mustBe(`${limit}${butIs(spot, 'shown')}`);
  }
  if (side === 'least' && Number(bound) === 1 && sizeOf(spot.value) === 0) {
    return must('not be empty');
  }
  const count = issue.exact ? 'exactly' : `at ${side}`;
  const size = sizeOf(spot.value);
  const has = size === undefined ? '' : `, but has ${size}`;
  return must(`have ${count} ${bound} ${Number(bound) === 1 ? unit.one : unit.many}${has}`);
}

/** The unit that is counted; undefined if the value itself is compared. */
function unitOf(origin: string): { readonly one: string; readonly many: string } | undefined {
  if (origin === 'string') return { one: 'character', many: 'characters' };
  const isCounted = ['array', 'set', 'map', 'object'].includes(origin);
  return isCounted ? { one: 'entry', many: 'entries' } : undefined;
}

function sizeOf(value: unknown): number | undefined {
  return typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
}

function choiceProblem(values: readonly unknown[], spot: Spot): ArgumentProblem {
  const texts = values.map(String);
  const listed = texts.slice(0, MAX_CHOICES).join(', ');
  const wanted = texts.length === 1 ? listed : `one of ${listed}`;
  const more = texts.length > MAX_CHOICES ? ', …' : '';
  const { value, field } = spot;
  const near = typeof value === 'string' && field === 'plain' ? nearest(value, texts) : undefined;
  const hint = near === undefined ? '' : `, did you mean "${near}"?`;
  return mustBe(`${wanted}${more}${butIs(spot, 'shown')}${hint}`);
}

function formatProblem(issue: z.core.$ZodIssueInvalidStringFormat | Issue): ArgumentProblem {
  const { format, prefix, suffix, includes, pattern } = issue as unknown as Record<string, unknown>;
  if (typeof prefix === 'string') return must(`begin with "${prefix}"`);
  if (typeof suffix === 'string') return must(`end with "${suffix}"`);
  if (typeof includes === 'string') return must(`contain "${includes}"`);
  const known = lookUp(FORMATS, String(format));
  if (known !== undefined) return mustBe(known);
  if (format === 'regex' && typeof pattern === 'string') return must(`match ${pattern}`);
  return must(`have the format ${String(format)}`);
}

/**
 * Describes every variant of a union, unless one matches so far that the problem lies inside it.
 */
function unionProblem(issue: z.core.$ZodIssueInvalidUnion, spot: Spot): ArgumentProblem {
  const { options } = issue as { options?: readonly unknown[] };
  if (options !== undefined) return choiceProblem(options, spot);
  const ways = issue.errors.flatMap(([first]) =>
    first && first.path.length === 0 ? [problemOf(first, { ...spot, value: undefined })] : [],
  );
  const [head] = ways;
  if (!head) return NOT_RIGHT;
  const distinct = new Set(ways.map(({ rest }) => rest));
  return { lead: head.lead, rest: `${[...distinct].join(' or ')}${butIs(spot, 'shown')}` };
}

/** The message of the check that refused it; the schema library's default message is not informative. */
function customProblem(checked: string): ArgumentProblem {
  if (checked === '' || checked === LIBRARY_DEFAULT) return NOT_RIGHT;
  const clause = `${checked.charAt(0).toLowerCase()}${checked.slice(1)}`;
  return { lead: 'is', rest: `not right: ${clause.replace(/\.$/, '')}` };
}

/**
 * `, but is -5`. Texts are shown only if they cannot be user content; for other values only the
 * kind.
 */
function butIs({ value, field }: Spot, text: 'shown' | 'kind'): string {
  if (value === undefined) return '';
  return `, but is ${shownValue(value, field, text)}`;
}

function shownValue(value: unknown, field: Spot['field'], text: 'shown' | 'kind'): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return field === 'plain' ? String(value) : 'a number';
  if (typeof value === 'boolean') return field === 'plain' ? String(value) : 'true or false';
  if (typeof value !== 'string') return 'an object';
  const isShown = field === 'plain' && text === 'shown';
  return isShown ? `"${oneLine(value, MAX_SHOWN_CHARS)}"` : 'a text';
}

function lookUp(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
