/** One line that a program printed, without its line end. */
export interface ProgramLine {
  readonly text: string;
  /** The line was longer than the limit; `text` is its beginning. */
  readonly truncated: boolean;
}

interface LineSplitter {
  push(chunk: Buffer): readonly ProgramLine[];
  /** The last line, where the output does not end with a line end. */
  end(): readonly ProgramLine[];
}

const NEWLINE = 0x0a;
const DEFAULT_MAX_LINE_BYTES = 1_000_000;

/**
 * Yields the lines of a program's stdout or stderr as they arrive. A slow reader makes the program
 * wait.
 */
export async function* readProgramLines(
  stream: AsyncIterable<Buffer>,
  maxLineBytes: number = DEFAULT_MAX_LINE_BYTES,
): AsyncGenerator<ProgramLine, void> {
  const splitter = createLineSplitter(maxLineBytes);
  for await (const chunk of stream) yield* splitter.push(chunk);
  yield* splitter.end();
}

/** Splits chunks into lines; keeps at most `maxLineBytes` of an unfinished line. */
export function createLineSplitter(maxLineBytes: number = DEFAULT_MAX_LINE_BYTES): LineSplitter {
  let parts: Buffer[] = [];
  let kept = 0;
  let bytes = 0;

  function take(part: Buffer): void {
    bytes += part.length;
    const head = part.subarray(0, maxLineBytes - kept);
    if (head.length > 0) parts.push(head);
    kept += head.length;
  }

  function line(): ProgramLine {
    const whole = Buffer.concat(parts, kept).toString('utf8');
    const made = { text: whole.replace(/\r$/, ''), truncated: bytes > kept };
    parts = [];
    kept = 0;
    bytes = 0;
    return made;
  }

  return {
    push(chunk) {
      const lines: ProgramLine[] = [];
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        lines.push(line());
        from = at + 1;
      }
      take(chunk.subarray(from));
      return lines;
    },
    end: () => (bytes > 0 ? [line()] : []),
  };
}
