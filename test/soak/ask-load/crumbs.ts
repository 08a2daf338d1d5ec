import { closeSync, openSync, readSync } from 'node:fs';

export interface AttemptLine {
  readonly atMs: number;
  readonly startedAtMs: number;
  readonly reqId: string;
  /** `glm/glm-4.7-flash`. */
  readonly key: string;
  readonly outcome: string;
}

export interface BreakerLine {
  readonly atMs: number;
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly because: string;
  readonly calls: number;
  readonly failures: number;
  readonly cool_off_ms?: number;
}

/** What attempts.jsonl says, read on as it grows. */
export interface Crumbs {
  read(): void;
  readonly attempts: readonly AttemptLine[];
  readonly changes: readonly BreakerLine[];
}

interface Line {
  readonly event: string;
  readonly timestamp_unix: number;
  readonly req_id: string;
  readonly provider: string;
  readonly model: string;
  readonly outcome: string;
  readonly elapsed_ms: number;
}

export function followCrumbs(path: string): Crumbs {
  const attempts: AttemptLine[] = [];
  const changes: BreakerLine[] = [];
  const file = openSync(path, 'a+');
  closeSync(file);
  let at = 0;
  let rest = '';

  function take(text: string): void {
    const line = JSON.parse(text) as Line;
    const atMs = line.timestamp_unix * 1000;
    if (line.event === 'breaker') changes.push({ ...(line as unknown as BreakerLine), atMs });
    if (line.event !== 'attempt') return;
    attempts.push({
      atMs,
      startedAtMs: atMs - line.elapsed_ms,
      reqId: line.req_id,
      key: `${line.provider}/${line.model}`,
      outcome: line.outcome,
    });
  }

  return {
    attempts,
    changes,
    read() {
      const bytes = readFrom(path, at);
      at += bytes.length;
      const lines = `${rest}${bytes.toString()}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    },
  };
}

const CHUNK_BYTES = 1_048_576;

/** Whole lines are ASCII but for quotations, and a file only ever grows by whole lines. */
function readFrom(path: string, from: number): Buffer {
  const file = openSync(path, 'r');
  const pieces: Buffer[] = [];
  try {
    for (let at = from; ;) {
      const piece = Buffer.alloc(CHUNK_BYTES);
      const read = readSync(file, piece, 0, CHUNK_BYTES, at);
      if (read === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, read));
      at += read;
    }
  } finally {
    closeSync(file);
  }
}
