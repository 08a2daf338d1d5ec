import { parentPort, workerData } from 'node:worker_threads';

/** The search thread. It runs an untrusted pattern and can be terminated at any moment. */
const { pattern, lines } = workerData as { pattern: string; lines: readonly string[] };

export type SearchMessage =
  | { readonly is: 'begun' }
  | { readonly is: 'found'; readonly places: number[] }
  | { readonly is: 'failed' };

function post(message: SearchMessage): void {
  parentPort?.postMessage(message);
}

post({ is: 'begun' });
try {
  const matcher = new RegExp(pattern, 'i');
  post({ is: 'found', places: [...lines.keys()].filter((at) => matcher.test(lines[at] ?? '')) });
} catch {
  // The pattern is too large to compile, or too deep for the stack.
  post({ is: 'failed' });
}
