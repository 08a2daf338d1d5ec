export interface MessageOrderOptions<Parsed> {
  /** Parses a large message in steps; never rejects. */
  readonly parseLarge: (bytes: Buffer) => Promise<Parsed>;
  readonly deliver: (message: string | Parsed) => void;
  /** A large message is parsed: nothing more should be read until `onIdle`. */
  readonly onBusy: () => void;
  readonly onIdle: () => void;
}

export interface MessageOrder {
  /** A text, or the bytes of a large message. */
  push(message: string | Buffer): void;
  /** Calls `then` after the last message was delivered. */
  atEnd(then: () => void): void;
  /** Delivers nothing any more. */
  close(): void;
}

/** Delivers the messages of a client in their order: those behind a large one wait until it is parsed. */
export function createMessageOrder<Parsed>(options: MessageOrderOptions<Parsed>): MessageOrder {
  const { parseLarge, deliver, onBusy, onIdle } = options;
  let state: 'idle' | 'busy' | 'closed' = 'idle';
  let waiting: (string | Buffer | (() => void))[] = [];

  async function deliverLarge(bytes: Buffer): Promise<void> {
    state = 'busy';
    onBusy();
    const message = await parseLarge(bytes);
    if (isClosed()) return;
    state = 'idle';
    deliver(message);
    const next = waiting;
    waiting = [];
    for (const [index, each] of next.entries()) {
      take(each);
      if (isClosed()) return;
      if (isBusy()) {
        waiting = [...next.slice(index + 1), ...waiting];
        return;
      }
    }
    onIdle();
  }

  function take(each: string | Buffer | (() => void)): void {
    if (typeof each === 'string') deliver(each);
    else if (typeof each === 'function') each();
    else void deliverLarge(each);
  }

  // Functions, because the compiler does not know that the state changes during a call.
  function isClosed(): boolean {
    return state === 'closed';
  }

  function isBusy(): boolean {
    return state === 'busy';
  }

  const pushAny = (each: string | Buffer | (() => void)) => {
    if (state === 'idle') take(each);
    else if (state === 'busy') waiting.push(each);
  };
  return {
    push: pushAny,
    atEnd: pushAny,
    close() {
      state = 'closed';
      waiting = [];
    },
  };
}
