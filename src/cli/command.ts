import type { Io } from './io.ts';

export interface Option {
  /** `texts`: may be given more than once. */
  readonly type: 'boolean' | 'string' | 'texts';
  readonly short?: string;
  /** How help names the value of an option that has one, such as `N`. */
  readonly value?: string;
  readonly help: string;
  /** Understood, but not told of: for programs of ours. */
  readonly hidden?: true;
}
export type Options = Readonly<Record<string, Option>>;

export interface Positional {
  readonly name: string;
  readonly need: 'required' | 'optional';
  readonly help: string;
}

/** What every command understands without saying so. */
export const COMMON_OPTIONS = {
  json: { type: 'boolean', help: 'Print one JSON document, errors too' },
  help: { type: 'boolean', short: 'h', help: 'Show this help' },
} as const satisfies Options;

/** Its own first, then the common ones; a command may put its own words to `--json`. */
export function allOptions({ options }: Pick<Command, 'options'>): Options {
  return { ...options, ...COMMON_OPTIONS, ...options };
}

/** Those that help names and a misspelt one is compared with. */
export function shownOptions(command: Pick<Command, 'options'>): [string, Option][] {
  return Object.entries(allOptions(command)).filter(([, { hidden }]) => hidden !== true);
}

export type Values<O extends Options> = {
  readonly [Name in keyof O]?: ValueOf[O[Name]['type']];
} & { readonly json?: true };

interface ValueOf {
  readonly boolean: true;
  readonly string: string;
  readonly texts: readonly string[];
}

export interface Args<O extends Options = Options> {
  readonly options: Values<O>;
  /** By name of the positional; required ones are there. */
  readonly positionals: Readonly<Record<string, string>>;
}

export interface Command<O extends Options = Options> {
  readonly name: string;
  readonly summary: string;
  /** More than the summary, for `exai help <command>`. */
  readonly about?: string;
  readonly positionals?: readonly Positional[];
  readonly options?: O;
  /** What is said of a word too many, which is not repeated: here it may be a secret. */
  readonly noMoreWords?: string;
  /** What to print where others evaluate its output, when it fails: nothing at all would be a success to them. */
  readonly failureOutput?: (argv: readonly string[]) => string;
  /** Ctrl-C ends a command at once, unless it listens to signals itself. */
  readonly signals?: 'own';
  /** A command that never looks at EXAI_HOME runs whoever owns it. */
  readonly home?: 'unused';
  /** Resolves to the exit code; nothing means 0. A failure is thrown as CallError. */
  run(args: Args<O>, io: Io): Promise<number | void>;
}

export function defineCommand<const O extends Options = Record<never, never>>(
  command: Command<O>,
): Command {
  // Sound because the parser builds `options` from this very description.
  return command as unknown as Command;
}
