import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import type { Cell, Row } from '../database.ts';
import { startWorker } from './start-worker.ts';

export interface SingleTask {
  readonly file: string;
  readonly sql: string;
  readonly params: readonly Cell[];
}

type Answer = { readonly rows: Row[] } | { readonly error: ErrorJson };

/** Runs one long statement in another thread; writers and this thread continue. */
export function runSingle(
  task: SingleTask,
  onStarted?: (stop: () => Promise<number>) => void,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const worker = startWorker('sqlite-single-worker', { ...task });
    onStarted?.(() => worker.terminate());
    worker.once('message', (answer: Answer) => {
      if ('rows' in answer) resolve(answer.rows);
      else reject(CallError.fromJSON(answer.error));
    });
    worker.once('error', (thrown) => reject(CallError.from(thrown)));
    // Nothing after an answer, which has settled the promise.
    worker.once('exit', () =>
      reject(new CallError('interrupted', `The work on ${task.file} was stopped.`)),
    );
  });
}
