import type { SentenceTable } from './coded-message.ts';

/** Reasons of errors that surfaces render differently or that code must recognise. */
export interface ErrorReasonParams {
  /** `problem` completes the sentence about the argument: `must be 0 or more, but is -1`. */
  invalid_argument: {
    readonly argument: string;
    readonly problem: string;
    /** How many other arguments are wrong. */
    readonly others?: number;
  };
  /** A member of a request body, by the name that the client gave it. */
  invalid_field: { readonly field: string; readonly problem: string };
  /** Anthropic's threads, which its SDK does without if this is said. */
  thread_unsupported: Readonly<Record<string, never>>;
  missing_arguments: {
    readonly arguments: readonly string[];
    /** Number of missing ones that are not named. */
    readonly unnamed?: number;
    /** The value of another argument that needs them, such as the action `show`. */
    readonly neededBy?: string;
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
  /** An unknown name instead of a required one. */
  misspelt_argument: {
    readonly argument: string;
    readonly meant: string;
    readonly others?: number;
  };
  invalid_id: {
    readonly argument: string;
    readonly kind: ReportedIdKind;
    /** The received value, shortened. */
    readonly given?: string;
  };
  /** Another daemon uses the home folder. */
  home_in_use: {
    readonly home: string;
    /** Absent while that daemon starts or stops. */
    readonly daemon?: { readonly pid: number; readonly address: string };
  };
  damaged_database: { readonly file: string };
  /** The daemon still has the file open, and what it would write there is lost with the process. */
  database_gone: { readonly file: string };
  /** A call that ran; `failure` is the message of the store. */
  call_not_recorded: { readonly tool: string; readonly failure: string };
  /** A call that was refused before it did anything; `failure` is the message of the store. */
  not_storable: {
    readonly tool: string;
    readonly undone: 'run' | 'queued';
    readonly failure: string;
  };
  /** A provider, by its title, found no text in an uploaded file. */
  text_not_extracted: { readonly provider: string };
  /** A provider could not extract this content some hours ago, so it was not asked again. */
  refused_before: { readonly provider: string };
  /** A scan without any text, which no provider has read. */
  document_without_text: { readonly file: string; readonly message?: string };
  /** An error of the operating system: what happened, apart from the path. */
  system_failure: { readonly what: string; readonly path?: string };
}

export type ReportedIdKind = 'conversation' | 'job' | 'result';

const KINDS: Readonly<Record<ReportedIdKind, string>> = {
  conversation: 'the id of a conversation',
  job: 'the id of a job',
  result: 'the id of a long result',
};

/** `is not the id of a job: "x"`. */
export function invalidIdClause(kind: ReportedIdKind, given?: string): string {
  return `is not ${KINDS[kind]}${given === undefined ? '' : `: "${given}"`}`;
}

const WOULD_STORE = { run: 'its record', queued: 'its job' } as const;

export const ERROR_REASON_SENTENCES: SentenceTable<ErrorReasonParams> = {
  invalid_argument: ({ argument, problem, others }) => `"${argument}" ${problem}${more(others)}`,
  thread_unsupported: () => 'thread is not supported',
  invalid_field: ({ field, problem }) => `${field} ${problem}`,
  missing_arguments: ({ arguments: names, unnamed = 0, neededBy, others }) => {
    const isOne = names.length + unnamed === 1;
    const are = isOne ? 'is missing' : 'are missing';
    const why = neededBy === undefined ? '' : `: ${neededBy} needs ${isOne ? 'it' : 'them'}`;
    return `${together(
      names.map((name) => `"${name}"`),
      unnamed,
    )} ${are}${why}${more(others, 'more wrong')}`;
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
  database_gone: ({ file }) =>
    `${file} or its log was deleted, moved or replaced while the daemon runs, so nothing can be stored`,
  call_not_recorded: ({ tool, failure }) =>
    `${tool} ran, but its record could not be stored. ${failure}`,
  not_storable: ({ tool, undone, failure }) =>
    `${tool} was not ${undone}, because ${WOULD_STORE[undone]} cannot be stored. ${failure}`,
  text_not_extracted: ({ provider }) => `${provider} could not get the text out of this file`,
  refused_before: ({ provider }) =>
    `${provider} could not get the text out of this file before, so it was not sent again`,
  document_without_text: ({ file, message }) =>
    `${file} has no text: its pages are images, and no provider has read them${message === undefined ? '' : ` (${message})`}`,
  system_failure: ({ what, path }) => (path === undefined ? what : `${what}: "${path}"`),
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
