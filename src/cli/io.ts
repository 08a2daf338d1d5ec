import { toWireJson } from '#app/wire-json.ts';
import type { Environment } from '#config/environment.ts';
import { escapeJsonControls } from './terminal-text.ts';
import type { Paint } from './paint.ts';

export interface Output {
  write(text: string): void;
}

/** What a command sees of the world it was started in. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  /** Colours when stdout shows them, the bare text when it does not. */
  readonly paint: Paint;
  /** Whether the terminal shows more than ASCII. */
  readonly charset: 'utf-8' | 'ascii';
  /** Characters of a line of the terminal; nothing when stdout is none. */
  readonly width?: number;
  /** Whether a line that rewrites itself can be shown on stderr. */
  readonly progress: 'live' | 'none';
  /** Aborts when nobody reads stdout any more, or on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The one document of `--json`. */
export function printJson(io: Pick<Io, 'stdout'>, document: unknown): void {
  io.stdout.write(`${escapeJsonControls(toWireJson(document, 2))}\n`);
}
