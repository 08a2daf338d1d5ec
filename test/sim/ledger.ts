import type { ClientProtocol } from './client-protocols.ts';
import type { Simulation } from './simulation.ts';

/** What one client asked over one connection, and what it was answered. */
export interface Ledger {
  asked(id: string): void;
  cancelled(id: string): void;
  answered(id: string): void;
  /** Ids that still wait for an answer. */
  readonly owed: readonly string[];
}

interface Line {
  asked: number;
  answers: number;
  isCancelled: boolean;
}

export function createLedger(
  who: string,
  protocol: ClientProtocol,
  simulation: Simulation,
): Ledger {
  const lines = new Map<string, Line>();
  const isOwed = ({ asked, answers, isCancelled }: Line) => {
    if (isCancelled && protocol.afterCancel === 'no-answer') return false;
    return answers < (protocol.duplicate === 'answered' ? asked : 1);
  };
  return {
    asked(id) {
      const line = lines.get(id);
      if (line) line.asked += 1;
      else lines.set(id, { asked: 1, answers: 0, isCancelled: false });
    },
    cancelled(id) {
      const line = lines.get(id);
      if (line) line.isCancelled = true;
    },
    answered(id) {
      const line = lines.get(id);
      if (!line)
        return simulation.violate('answers', `${who} heard of ${id}, which it never asked`);
      line.answers += 1;
      if (line.answers > line.asked)
        simulation.violate('answers', `${who} was answered ${id} ${line.answers} times`);
    },
    get owed() {
      return [...lines].filter(([, line]) => isOwed(line)).map(([id]) => id);
    },
  };
}
