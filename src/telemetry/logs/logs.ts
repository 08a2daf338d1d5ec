import { join } from 'node:path';
import type { Clock } from '#core/time/clock.ts';
import type { LogFields, Log } from '#core/telemetry/telemetry.ts';
import { createZonedTimestamps } from '#core/time/timestamps.ts';
import { createLogFile, type LogFile } from './log-file.ts';
import { bindFields, formatLogJson, UNBOUND, type BoundFields, type Level } from './log-line.ts';
import { createRedactor } from '../redaction/redact.ts';
import type { SecretTexts } from '../redaction/secret-list.ts';

export interface LogsOptions {
  dir: string;
  clock: Clock;
  // Settings are read at each use, as they may change.
  /** IANA time zone of the local timestamps. */
  timeZone: string;
  /** No log file grows beyond this. At least 1024. */
  maxBytes: number;
  /** How many rotated files are kept beside `<name>.jsonl`: `<name>.jsonl.1` and so on. */
  keepFiles: number;
  /** Literal values to mask wherever they occur. */
  secrets?: SecretTexts;
  /** Called for each line with the name of its log, before the line is on disk. */
  onLine?: (name: string) => void;
  /** Called when a log cannot be written, once per outage. */
  onProblem?: (message: string) => void;
}

export interface Logs {
  /** The log in `<dir>/<name>.jsonl`; the same name gives the same file. */
  log(name: string): Log;
  /** Resolves when all lines so far are on disk, or when writing them has failed once more. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The limit of one line, also where files may be larger. */
const MAX_LINE_BYTES = 524_288;
const MIN_FILE_BYTES = 1024;

export function createLogs(options: LogsOptions): Logs {
  const { clock, onProblem = () => {}, onLine = () => {} } = options;
  const maxBytes = () => Math.max(MIN_FILE_BYTES, options.maxBytes);
  const timestamps = createZonedTimestamps(() => options.timeZone);
  const redact = createRedactor(options.secrets);
  const files = new Map<string, LogFile>();

  function line(level: Level, event: string, bound: BoundFields, own?: LogFields): string {
    const head = { moment: timestamps(clock.now()), level, event: String(redact(event)) };
    return formatLogJson(head, bound, own, Math.min(maxBytes(), MAX_LINE_BYTES));
  }

  function safe(fields: LogFields): LogFields {
    const copy = redact(fields);
    // Fields that cannot be read are returned as a marker, not as an object.
    return typeof copy === 'object' && copy !== null ? (copy as LogFields) : { fields: copy };
  }

  function fileOf(name: string): LogFile {
    if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name)) throw new RangeError(`"${name}" cannot name a log.`);
    const known = files.get(name);
    if (known) return known;
    const file = createLogFile({
      path: join(options.dir, `${name}.jsonl`),
      get maxBytes() {
        return maxBytes();
      },
      get keepFiles() {
        return options.keepFiles;
      },
      clock,
      dropNotice: (dropped) => line('warn', 'log_lines_dropped', UNBOUND, { dropped }),
      onProblem,
    });
    files.set(name, file);
    return file;
  }

  function logTo(name: string, file: LogFile, bound: BoundFields): Log {
    const write = (level: Level, event: string, fields?: LogFields) => {
      file.write(
        line(level, event, bound, fields && safe(fields)),
        level === 'info' ? 'soon' : 'now',
      );
      onLine(name);
    };
    return {
      info: (event, fields) => write('info', event, fields),
      warn: (event, fields) => write('warn', event, fields),
      error: (event, fields) => write('error', event, fields),
      with: (fields) => logTo(name, file, bindFields(bound, safe(fields))),
    };
  }

  const all = (act: (file: LogFile) => Promise<void>) =>
    Promise.all([...files.values()].map(act)).then(() => {});

  return {
    log: (name) => logTo(name, fileOf(name), UNBOUND),
    flush: () => all((file) => file.flush()),
    close: () => all((file) => file.close()),
  };
}
