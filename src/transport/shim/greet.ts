import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { helloLine, readDaemonWord, type Hello, type Welcome } from '../local/handshake.ts';
import type { Link } from './link.ts';

/** A line to a daemon before anybody has said anything: a socket, a WebSocket, or one of a test. */
export interface Wire {
  send(line: string): 'clear' | 'full';
  pause(): void;
  resume(): void;
  close(): void;
}

export interface WireEvents {
  readonly onLine: (line: string) => void;
  /** Once; what it says is never shown before `onLine` had every line. */
  readonly onClose: (error: CallError) => void;
  readonly onClear: () => void;
}

export interface Greeting {
  readonly hello: Hello;
  readonly clock: Clock;
  /** For the connection and the welcome together. */
  readonly withinMs: number;
}

/** Says hello over a wire and hands it over as a link when the welcome has come. Rejects with what went wrong. */
export function greet(
  open: (events: WireEvents) => Wire,
  { hello, clock, withinMs }: Greeting,
): Promise<Link> {
  return new Promise((resolve, reject) => {
    let onLine: ((line: string) => void) | undefined;
    let onClose: ((reason: string) => void) | undefined;
    let onClear: (() => void) | undefined;
    let early: string[] = [];
    let closed: CallError | undefined;
    let phase: 'waiting' | 'greeted' | 'failed' = 'waiting';

    const fail = (error: CallError) => {
      phase = 'failed';
      timer.stop();
      wire.close();
      reject(error);
    };
    const timer = clock.after(withinMs, () =>
      fail(new CallError('timeout', 'The daemon did not answer the hello in time.')),
    );
    const wire = open({
      onLine(line) {
        if (phase === 'waiting') return first(line);
        if (onLine) onLine(line);
        else early.push(line);
      },
      onClose(error) {
        closed = error;
        if (phase === 'waiting') fail(error);
        else onClose?.(error.message);
      },
      onClear: () => onClear?.(),
    });

    function first(line: string): void {
      try {
        const word = readDaemonWord(line);
        if (word.is === 'refused') return fail(word.error);
        if (word.is === 'draining')
          return fail(new CallError('network', 'The daemon is stopping.'));
        phase = 'greeted';
        timer.stop();
        resolve(toLink(word.welcome));
      } catch (thrown) {
        fail(CallError.from(thrown));
      }
    }

    function toLink(welcome: Welcome): Link {
      return {
        welcome,
        send: (line) => wire.send(line),
        onLine(listener) {
          onLine = listener;
          const waiting = early;
          early = [];
          for (const line of waiting) listener(line);
        },
        onClose(listener) {
          onClose = listener;
          if (closed) listener(closed.message);
        },
        onClear: (listener) => void (onClear = listener),
        pause: () => wire.pause(),
        resume: () => wire.resume(),
        close: () => wire.close(),
      };
    }

    wire.send(helloLine(hello));
  });
}
