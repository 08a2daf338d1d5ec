import type { Command } from './command.ts';
import type { Io } from './io.ts';

/** Does the work of a command; when that fails, whoever evaluates its output fails, too. People read the words instead. */
export async function withFailingOutput<T>(
  { failureOutput }: Pick<Command, 'failureOutput'>,
  argv: readonly string[],
  io: Pick<Io, 'stdout' | 'width'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (failureOutput && io.width === undefined) io.stdout.write(failureOutput(argv));
    throw thrown;
  }
}
