export interface ClientSideOptions {
  /** `full`: the client does not read; `clear` tells when it does again. */
  readonly toClient: (line: string) => 'clear' | 'full';
  /** Stops and resumes the reading of what the client sends. */
  readonly readClient: (reading: 'on' | 'off') => void;
  /** Stops and resumes the reading of what the daemon sends. */
  readonly readDaemon: (reading: 'on' | 'off') => void;
}

/** Why nothing more is taken from the client: too much waits for a daemon, or the daemon does not read. */
type Reason = 'waiting' | 'link';

export interface ClientSide {
  readonly state: 'there' | 'full' | 'ended';
  tell(line: string): void;
  hold(reason: Reason): void;
  release(reason: Reason): void;
  /** It reads again. */
  clear(): void;
  /** It sends no more. */
  end(): void;
}

/** The relay's way to its client, with the pauses that each side imposes on the other. */
export function createClientSide(options: ClientSideOptions): ClientSide {
  const holding = new Set<Reason>();
  let state: ClientSide['state'] = 'there';
  return {
    get state() {
      return state;
    },
    tell(line) {
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
