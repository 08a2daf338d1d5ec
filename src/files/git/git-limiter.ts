import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';

/**
 * Limits concurrent reads, because a repository can be made slow on purpose and each read holds
 * processes and memory.
 */
export interface GitLimiter {
  /** Waits for a free slot; throws the signal's reason. */
  run<T>(repository: string, signal: AbortSignalLike, work: () => Promise<T>): Promise<T>;
}

const MAX_OF_ONE = 2;
const MAX_OF_ALL = 8;

interface Waiting {
  readonly repository: string;
  readonly begin: () => void;
}

export function createGitLimiter(): GitLimiter {
  const running = new Map<string, number>();
  let all = 0;
  const waiting: Waiting[] = [];

  const isFree = (repository: string) =>
    all < MAX_OF_ALL && (running.get(repository) ?? 0) < MAX_OF_ONE;
  const count = (repository: string, by: 1 | -1) => {
    all += by;
    const left = (running.get(repository) ?? 0) + by;
    if (left === 0) running.delete(repository);
    else running.set(repository, left);
  };
  const next = () => {
    // A waiting call for a busy repository does not block the others.
    const at = waiting.findIndex(({ repository }) => isFree(repository));
    if (at !== -1) waiting.splice(at, 1)[0]?.begin();
  };

  function turn(repository: string, signal: AbortSignalLike): Promise<void> {
    if (isFree(repository)) {
      count(repository, 1);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(CallError.from(signal.reason));
      };
      const entry: Waiting = {
        repository,
        begin() {
          signal.removeEventListener('abort', onAbort);
          count(repository, 1);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.push(entry);
    });
  }

  return {
    async run(repository, signal, work) {
      signal.throwIfAborted();
      await turn(repository, signal);
      try {
        return await work();
      } finally {
        count(repository, -1);
        next();
      }
    },
  };
}
