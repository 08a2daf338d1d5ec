import { join } from 'node:path';
import type { Clock } from '#core/clock.ts';
import type { Fields, Log } from '#core/telemetry.ts';
import { createTimestamps } from '#core/timestamps.ts';
import { createLogFile, type LogFile } from './log-file.ts';
import { bind, formatLine, UNBOUND, type Bound, type Level } from './log-line.ts';
import { createRedactor } from './redact.ts';

export interface LogsOptions {
  dir: string;
  clock: Clock;
  /** IANA name, for the local timestamps. */
  timeZone: string;
  /** No log file grows beyond this. At least 1024. */
  maxBytes: number;
  /** How many older files stay beside `<name>.jsonl`: `<name>.jsonl.1` and so on. */
  keepFiles: number;
  /** Literal values to mask wherever they occur. */
  secrets?: readonly string[];
  /** Told of each line, by the name of its log, before it is on disk. */
  onLine?: (name: string) => void;
  /** Told when a log cannot be written, once for each outage. */
  onProblem?: (message: string) => void;
}

export interface Logs {
  /** The log in `<dir>/<name>.jsonl`; the same name is the same file. */
  log(name: string): Log;
  /** Resolves when all lines so far are on disk, or when the disk has refused them once more. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** One line may take a whole small file, but never more than this. */
const MAX_LINE_BYTES = 524_288;
const MIN_FILE_BYTES = 1024;

export function createLogs(options: LogsOptions): Logs {
  const { clock, keepFiles, onProblem = () => {}, onLine = () => {} } = options;
  const maxBytes = Math.max(MIN_FILE_BYTES, options.maxBytes);
  const maxLineBytes = Math.min(maxBytes, MAX_LINE_BYTES);
  const timestamps = createTimestamps(options.timeZone);
  const redact = createRedactor(options.secrets);
  const files = new Map<string, LogFile>();

  function line(level: Level, event: string, bound: Bound, own?: Fields): string {
    const head = { moment: timestamps(clock.now()), level, event: String(redact(event)) };
    return formatLine(head, bound, own, maxLineBytes);
  }

  function safe(fields: Fields): Fields {
    const copy = redact(fields);
    // Fields that could not be read at all come back as a marker, not as an object.
    return typeof copy === 'object' && copy !== null ? (copy as Fields) : { fields: copy };
  }

  function fileOf(name: string): LogFile {
    if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name)) throw new RangeError(`"${name}" cannot name a log.`);
    const known = files.get(name);
    if (known) return known;
    const file = createLogFile({
      path: join(options.dir, `${name}.jsonl`),
      maxBytes,
      keepFiles,
      clock,
      dropNotice: (dropped) => line('warn', 'log_lines_dropped', UNBOUND, { dropped }),
      onProblem,
    });
    files.set(name, file);
    return file;
  }

  function logTo(name: string, file: LogFile, bound: Bound): Log {
    const write = (level: Level, event: string, fields?: Fields) => {
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
      with: (fields) => logTo(name, file, bind(bound, safe(fields))),
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
