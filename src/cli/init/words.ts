import { commandEntry } from './client.ts';
import type { Outcome } from './outcome.ts';
import type { Programs } from './program.ts';

export function questionWords(mode: 'init' | 'undo', changes: number, backups: string) {
  if (mode === 'undo') {
    const question =
      changes === 1 ? 'Take this change back?' : `Take these ${changes} changes back?`;
    return { question, otherwise: 'nothing was taken back' };
  }
  const files = changes === 1 ? 'this file' : `these ${changes} files`;
  return {
    question: `Write ${files}? Backups go to ${backups}.`,
    otherwise: 'nothing was written',
  };
}

/** What became of the files, in a sentence. */
export function summaryWords(
  doing: 'init' | 'undo' | 'dry-run',
  outcomes: readonly Outcome[],
): string {
  if (doing === 'dry-run') {
    const changes = outcomes.filter(({ hunk }) => hunk !== undefined).length;
    return changes === 0
      ? 'Nothing would change.'
      : `${files(changes)} would change; nothing was written.`;
  }
  const written = outcomes.filter((outcome) => outcome.written);
  if (written.length === 0) return 'Nothing was changed.';
  if (doing === 'init') return `${files(written.length)} written.`;
  const count = (state: Outcome['state']) => written.filter((each) => each.state === state).length;
  const [restored, removed, changed] = [count('restore'), count('remove'), count('take-out')];
  const parts = [
    ...(restored > 0 ? [`${files(restored)} put back`] : []),
    ...(removed > 0 ? [`${files(removed)} removed`] : []),
    ...(changed > 0 ? [`exai taken out of ${files(changed)}`] : []),
  ];
  return `${parts.join(', ')}.`;
}

export function nobodyFound(outcomes: readonly Outcome[]): boolean {
  return outcomes.length > 0 && outcomes.every(({ state }) => state === 'absent');
}

/** What most clients take, with whole paths, as where such a client is started from is not known. */
export function byHandText({ desktop }: Programs): string {
  return JSON.stringify({ mcpServers: { exai: commandEntry(desktop) } }, null, 2);
}

function files(count: number): string {
  return `${count} ${count === 1 ? 'file' : 'files'}`;
}
