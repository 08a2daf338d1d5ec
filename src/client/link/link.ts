import type { Welcome } from '#core/local-socket/handshake.ts';

/** A connection to a daemon that has said welcome: MCP messages, one a line, both ways. */
export interface Link {
  readonly welcome: Welcome;
  /** How much has come from the daemon so far, lines that have no end yet included. */
  readonly heardBytes: number;
  /** Never throws; after the end it does nothing. `full`: better wait for `onClear` before sending more. */
  send(line: string): 'clear' | 'full';
  /** Takes the lines from now on, those that came before the listener included. One listener. */
  onLine(listener: (line: string) => void): void;
  /** Told once, after the last line; at once if it is over already. One listener. */
  onClose(listener: (reason: string) => void): void;
  /** What was sent has been taken. One listener. */
  onClear(listener: () => void): void;
  /** Stops and resumes the reading, when whoever takes the lines cannot keep up. */
  pause(): void;
  resume(): void;
  /** What was sent is on its way first. */
  close(): void;
  /** Ends at once: of a daemon that reads nothing nobody waits for what it did not take. */
  cut(): void;
}
