export interface ClientSideOptions {
  /** `full`: the client does not read; `clear` is called when it reads again. */
  readonly toClient: (line: string) => 'clear' | 'full';
  /** Stops and resumes the reading of what the client sends. */
  readonly readClient: (reading: 'on' | 'off') => void;
  /** Stops and resumes the reading of what the daemon sends. */
  readonly readDaemon: (reading: 'on' | 'off') => void;
}

/** Why reading from the client is paused: the outbox is full, or the daemon does not read. */
type Reason = 'outbox' | 'link';

export interface ClientSide {
  readonly state: 'there' | 'full' | 'ended';
  send(line: string): void;
  hold(reason: Reason): void;
  release(reason: Reason): void;
  /** The client reads again. */
  clear(): void;
  /** The client sends no more. */
  end(): void;
}

/** The relay's connection to its client, with backpressure in both directions. */
export function createClientSide(options: ClientSideOptions): ClientSide {
  const holding = new Set<Reason>();
  let state: ClientSide['state'] = 'there';
  return {
    get state() {
      return state;
    },
    send(line) {
      if (options.toClient(line) === 'clear' || state !== 'there') return;
      state = 'full';
      options.readDaemon('off');
    },
    hold(reason) {
      if (holding.size === 0) options.readClient('off');
      holding.add(reason);
    },
    release(reason) {
      if (holding.delete(reason) && holding.size === 0) options.readClient('on');
    },
    clear() {
      if (state !== 'full') return;
      state = 'there';
      options.readDaemon('on');
    },
    end() {
      if (state === 'full') options.readDaemon('on');
      state = 'ended';
    },
  };
}
