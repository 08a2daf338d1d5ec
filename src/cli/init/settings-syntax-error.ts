import { CallError } from '#core/errors/call-error.ts';

interface SyntaxErrorPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * A settings file cannot be parsed or changed. settingsError turns it into a CallError with the
 * path.
 */
export class SettingsSyntaxError extends Error {
  readonly position: SyntaxErrorPosition | undefined;

  constructor(reason: string, position?: SyntaxErrorPosition) {
    super(reason);
    this.position = position;
  }
}

/**
 * A syntax error with file, line and column; a system error as it is. Unexpected errors are
 * rethrown.
 */
export function settingsError(thrown: unknown, file: string): CallError {
  if (!(thrown instanceof SettingsSyntaxError)) {
    const error = CallError.from(thrown, { field: file });
    if (error.class === 'internal') throw thrown;
    return error;
  }
  const { message, position } = thrown;
  const place = position ? `${file}:${position.line}:${position.column}` : file;
  return new CallError('validation', `${place}: ${message}.`, {
    field: file,
    fix: position
      ? `Correct ${place}, then run exai init again. Nothing was written to it.`
      : 'Change it by hand; docs/init.md has what is written. Nothing was written to it.',
    cause: thrown,
  });
}
