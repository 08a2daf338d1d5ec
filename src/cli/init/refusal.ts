import { CallError } from '#core/call-error.ts';
import { SettingsFault } from './settings-fault.ts';

/** A fault of a settings file as an error with file, line and column; another obstacle as what it is. What nobody foresaw is thrown on. */
export function refusalOf(thrown: unknown, file: string): CallError {
  if (!(thrown instanceof SettingsFault)) {
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
