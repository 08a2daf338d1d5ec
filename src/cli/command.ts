import type { Io } from './io.ts';

export interface CommandOption {
  /** `texts`: may be given more than once. */
  readonly type: 'boolean' | 'string' | 'texts';
  readonly short?: string;
  /** The placeholder of the value in the help text, such as `N`. */
  readonly value?: string;
  readonly help: string;
  /** Accepted but not listed in the help: for programs of EX-AI. */
  readonly hidden?: true;
}
export type CommandOptions = Readonly<Record<string, CommandOption>>;

export interface Positional {
  readonly name: string;
  readonly need: 'required' | 'optional';
  readonly help: string;
  /** What shells complete. */
  readonly values?: readonly string[];
}

/** Any number of words after the positionals. */
export interface RestWords {
  readonly name: string;
  readonly help: string;
  /**
   * `passed_on`: the words belong to another program. The first word after the positionals that is
   * not an option of the command, and everything after it, is passed on unchanged.
   */
  readonly use?: 'passed_on';
}

/** The options that every command accepts. */
export const COMMON_OPTIONS = {
  json: { type: 'boolean', help: 'Print one JSON document, errors too' },
  help: { type: 'boolean', short: 'h', help: 'Show this help' },
} as const satisfies CommandOptions;

/** The options of a command, then the common ones. A command may describe `--json` differently. */
export function allOptions({ options }: Pick<Command, 'options'>): CommandOptions {
  return { ...options, ...COMMON_OPTIONS, ...options };
}

/** The options that the help lists and that suggestions for misspelt options are taken from. */
export function shownOptions(command: Pick<Command, 'options'>): [string, CommandOption][] {
  return Object.entries(allOptions(command)).filter(([, { hidden }]) => hidden !== true);
}

export type OptionValues<O extends CommandOptions> = {
  readonly [Name in keyof O]?: ValueOf[O[Name]['type']];
} & { readonly json?: true };

interface ValueOf {
  readonly boolean: true;
  readonly string: string;
  readonly texts: readonly string[];
}

export interface CommandArgs<O extends CommandOptions = CommandOptions> {
  readonly options: OptionValues<O>;
  /** By the name of the positional; required ones are always present. */
  readonly positionals: Readonly<Record<string, string>>;
  /** The words after the positionals, for a command that takes them. */
  readonly rest?: readonly string[];
}

export interface Command<O extends CommandOptions = CommandOptions> {
  readonly name: string;
  readonly summary: string;
  /** A longer description, for `exai help <command>`. */
  readonly about?: string;
  readonly positionals?: readonly Positional[];
  readonly rest?: RestWords;
  readonly options?: O;
  /**
   * The error for an unexpected argument. It does not repeat the argument, which may be a secret.
   */
  readonly extraArgumentError?: string;
  /**
   * What to print on failure where a shell evaluates the output: an empty output would count as
   * success.
   */
  readonly failureOutput?: (argv: readonly string[]) => string;
  /** `own`: the command handles SIGINT itself. Otherwise Ctrl-C ends it at once. */
  readonly signals?: 'own';
  /**
   * `unused`: the command does not read EXAI_HOME, so it runs even if another user owns that
   * folder.
   */
  readonly home?: 'unused';
  /** Resolves to the exit code, undefined meaning 0. Failures are thrown as CallError. */
  run(args: CommandArgs<O>, io: Io): Promise<number | void>;
}

export function defineCommand<const O extends CommandOptions = Record<never, never>>(
  command: Command<O>,
): Command {
  // Safe: the parser builds `options` from this description.
  return command as unknown as Command;
}
