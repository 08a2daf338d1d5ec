import { parentPort, workerData } from 'node:worker_threads';

/** A pattern of a stranger runs here: whatever it costs, this thread pays, and it can be ended at any moment. */
const { pattern, lines } = workerData as { pattern: string; lines: readonly string[] };

export type SearchMessage =
  | { readonly is: 'begun' }
  | { readonly is: 'found'; readonly places: number[] }
  | { readonly is: 'failed' };

function say(message: SearchMessage): void {
  parentPort?.postMessage(message);
}

say({ is: 'begun' });
try {
  const matcher = new RegExp(pattern, 'i');
  say({ is: 'found', places: [...lines.keys()].filter((at) => matcher.test(lines[at] ?? '')) });
} catch {
  // Too large to compile, or too deep for the stack: either way it is the pattern's fault.
  say({ is: 'failed' });
}
