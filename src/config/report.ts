import { CallError } from '#core/call-error.ts';

export interface Problem {
  /** The setting, variable, flag or file at fault. */
  readonly field: string;
  /** A whole sentence, without the value of any secret. */
  readonly message: string;
  readonly fix: string;
}

/** What loading finds on its way. Problems are gathered, so that a user corrects them in one go. */
export interface Report {
  readonly problems: Problem[];
  readonly notices: string[];
}

/** All problems as one error. */
export function refusal(problems: readonly Problem[]): CallError {
  const [first] = problems;
  const lines = problems.map(({ message }) => message);
  const message =
    lines.length === 1
      ? lines.join()
      : [`The configuration has ${lines.length} faults:`, ...lines.map((line) => `- ${line}`)].join(
          '\n',
        );
  const fix = [...new Set(problems.map((problem) => problem.fix))].join(' ');
  return new CallError('validation', message, { ...(first && { field: first.field }), fix });
}
