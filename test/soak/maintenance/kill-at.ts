import { start, type RunOptions } from '../../e2e/exai.ts';

/** Runs a command, and kills it after this time unless it has ended. */
export function runUntilKilled(
  root: string,
  args: readonly string[],
  options: RunOptions & { readonly killMs?: number },
): Promise<{ readonly code: number | null; readonly ms: number }> {
  const from = performance.now();
  const child = start(root, args, options);
  child.stdin?.end();
  child.stdout?.resume();
  child.stderr?.resume();
  const { killMs } = options;
  const timer = killMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killMs);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ms: performance.now() - from });
    });
  });
}

/** Times that are spread over a command that takes so long. */
export function killTimes(wholeMs: number, rounds: number): readonly number[] {
  return Array.from({ length: rounds }, (_, round) => (wholeMs * (round + 0.5)) / rounds);
}
