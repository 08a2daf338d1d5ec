interface WaitingLine {
  readonly line: string;
  /** Of the request it is, as JSON. */
  readonly key: string | undefined;
}

export interface Waiting {
  readonly chars: number;
  /** Something waits that is no request, but that a daemon would answer. */
  readonly hasOdd: boolean;
  /** The next one is such. */
  markOdd(): void;
  add(line: string, key?: string): void;
  has(line: string): boolean;
  /** Removes a request. */
  remove(key: string): void;
  /** All of them, in the order they came; none is left. */
  take(): readonly WaitingLine[];
}

/** What the client sent while there was no daemon to take it. */
export function createWaiting(): Waiting {
  // By the key of a request; what is none has a number.
  let lines = new Map<string | number, WaitingLine>();
  let added = 0;
  let chars = 0;
  let hasOdd = false;
  const remove = (key: string | number) => {
    chars -= lines.get(key)?.line.length ?? 0;
    lines.delete(key);
  };
  return {
    get chars() {
      return chars;
    },
    get hasOdd() {
      return hasOdd;
    },
    markOdd: () => void (hasOdd = true),
    add(line, key) {
      if (key !== undefined) remove(key);
      lines.set(key ?? added++, { line, key });
      chars += line.length;
    },
    has: (line) => [...lines.values()].some((each) => each.line === line),
    remove,
    take() {
      const taken = [...lines.values()];
      lines = new Map();
      chars = 0;
      hasOdd = false;
      return taken;
    },
  };
}
