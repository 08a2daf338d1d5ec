import type { SentenceTable } from './coded.ts';

/** What an error says, where a surface may name an argument in its own way or code has to know which error it is. */
export interface ErrorReasonParams {
  /** `problem` is what holds of the argument: `must be 0 or more, but is -1`. */
  invalid_argument: {
    readonly argument: string;
    readonly problem: string;
    /** How many other arguments are wrong. */
    readonly others?: number;
  };
  /** A member of a request body, by the name that the client gave it. */
  invalid_field: { readonly field: string; readonly problem: string };
  missing_arguments: {
    readonly arguments: readonly string[];
    /** How many of those missing are not named. */
    readonly unnamed?: number;
    /** How many other arguments are wrong. */
    readonly others?: number;
  };
  unknown_argument: {
    readonly tool: string;
    readonly argument: string;
    readonly meant?: string;
    readonly others?: number;
  };
  unknown_member: {
    readonly argument: string;
    readonly member: string;
    readonly meant?: string;
    readonly others?: number;
  };
  /** A name that nobody knows in the place of a required one. */
  misspelt_argument: {
    readonly argument: string;
    readonly meant: string;
    readonly others?: number;
  };
  invalid_id: {
    readonly argument: string;
    readonly kind: IdKind;
    /** What was given, shortened. */
    readonly given?: string;
  };
  /** Another daemon uses the home folder. */
  home_in_use: {
    readonly home: string;
    /** Absent while that daemon starts or stops. */
    readonly daemon?: { readonly pid: number; readonly address: string };
  };
  damaged_database: { readonly file: string };
  /** An error of the operating system: what happened, apart from the path. */
  system_failure: { readonly what: string; readonly path?: string };
}

export type IdKind = 'conversation' | 'job' | 'result';

const KINDS: Readonly<Record<IdKind, string>> = {
  conversation: 'the id of a conversation',
  job: 'the id of a job',
  result: 'the id of a long result',
};

/** `is not the id of a job: "x"`. */
export function invalidIdClause(kind: IdKind, given?: string): string {
  return `is not ${KINDS[kind]}${given === undefined ? '' : `: "${given}"`}`;
}

export const ERROR_REASON_SENTENCES: SentenceTable<ErrorReasonParams> = {
  invalid_argument: ({ argument, problem, others }) => `"${argument}" ${problem}${more(others)}`,
  invalid_field: ({ field, problem }) => `${field} ${problem}`,
  missing_arguments: ({ arguments: names, unnamed = 0, others }) => {
    const are = names.length + unnamed === 1 ? 'is missing' : 'are missing';
    return `${together(
      names.map((name) => `"${name}"`),
      unnamed,
    )} ${are}${more(others, 'more wrong')}`;
  },
  unknown_argument: ({ tool, argument, meant, others }) =>
    `${tool} has no argument "${argument}"${hint(meant)}${more(others)}`,
  unknown_member: ({ argument, member, meant, others }) =>
    `"${argument}" has no member "${member}"${hint(meant)}${more(others)}`,
  misspelt_argument: ({ argument, meant, others }) =>
    `"${argument}" is not known; did you mean "${meant}"?${more(others)}`,
  invalid_id: ({ argument, kind, given }) => `"${argument}" ${invalidIdClause(kind, given)}`,
  home_in_use: ({ home, daemon }) =>
    daemon === undefined
      ? `A daemon already runs on ${home} and is just starting or stopping`
      : `A daemon already runs on ${home} (pid ${daemon.pid}) at ${daemon.address}`,
  damaged_database: ({ file }) => `The database ${file} is damaged`,
  system_failure: ({ what, path }) => (path === undefined ? what : `${what}: ${path}`),
};

function more(count = 0, what = 'more'): string {
  return count === 0 ? '' : ` (and ${count} ${what})`;
}

function hint(meant: string | undefined): string {
  return meant === undefined ? '' : `, did you mean "${meant}"?`;
}

/** `"a", "b" and "c"`. */
function together(names: readonly string[], unnamed: number): string {
  const shown = [...names];
  const last = unnamed > 0 ? `${unnamed} more` : shown.pop();
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} and ${last}`;
}
