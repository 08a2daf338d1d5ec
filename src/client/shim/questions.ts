import { toKey } from './rpc-line.ts';

/** What the daemon asked of the client and wants to know still. Ids are the daemon's own, and no two daemons share one. */
export interface Questions {
  asked(key: string): void;
  /** Whether the answer of the client is for anybody. */
  isWanted(key: string | undefined): boolean;
  /** The daemon takes something back, maybe a question. */
  cancelled(params: unknown): void;
  /** Their daemon is gone: the ids of all that are open, as JSON. None is left. */
  take(): string[];
}

export function createQuestions(): Questions {
  const open = new Set<string>();
  return {
    asked: (key) => void open.add(key),
    isWanted: (key) => key !== undefined && open.delete(key),
    cancelled(params) {
      const { requestId } = (params ?? {}) as { requestId?: unknown };
      open.delete(toKey(requestId) ?? '');
    },
    take() {
      const keys = [...open];
      open.clear();
      return keys;
    },
  };
}
