import { escapeJsonControls } from './terminal-text.ts';
import type { Io } from './io.ts';

/** For documents whose names are others' to choose, such as schemas: no name in them is changed. */
export function printAsIs(io: Pick<Io, 'stdout'>, document: unknown): void {
  io.stdout.write(`${escapeJsonControls(JSON.stringify(document, null, 2))}\n`);
}
