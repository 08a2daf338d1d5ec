import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { readDaemonWord, type Welcome } from '#core/local-socket/handshake.ts';
import { helloLine, type Hello } from '#core/local-socket/hello.ts';
import type { Link } from './link.ts';

/** A line to a daemon before anybody has said anything: a socket, a WebSocket, or one of a test. */
export interface Wire {
  readonly heardBytes: number;
  send(line: string): 'clear' | 'full';
  pause(): void;
  resume(): void;
  close(): void;
  cut(): void;
}

export interface WireEvents {
  readonly onLine: (line: string) => void;
  /** Once, after the last line. */
  readonly onClose: (error: CallError) => void;
  readonly onClear: () => void;
}

export type OpenWire = (events: WireEvents) => Wire;

export interface Greeting {
  readonly hello: Hello;
  readonly clock: Clock;
  /** For the connection and the welcome together. */
  readonly withinMs: number;
}

/** Says hello over a wire and hands it over as a link when the welcome has come. Rejects with what went wrong. */
export function greet(open: OpenWire, { hello, clock, withinMs }: Greeting): Promise<Link> {
  return new Promise((resolve, reject) => {
    let phase: 'waiting' | 'greeted' | 'failed' = 'waiting';
    const ears = createEars();

    const fail = (error: CallError) => {
      phase = 'failed';
      timer.stop();
      wire.cut();
      reject(error);
    };
    const timer = clock.after(withinMs, () =>
      fail(new CallError('timeout', 'The daemon did not answer the hello in time.')),
    );
    const wire = open({
      onLine(line) {
        if (phase === 'greeted') ears.onLine(line);
        else if (phase === 'waiting') first(line);
      },
      onClose(error) {
        if (phase === 'waiting') fail(error);
        else ears.onClose(error);
      },
      onClear: ears.onClear,
    });

    function first(line: string): void {
      try {
        const word = readDaemonWord(line);
        if (word.is === 'refused') return fail(word.error);
        if (word.is === 'draining')
          return fail(new CallError('network', 'The daemon is stopping.'));
        phase = 'greeted';
        timer.stop();
        resolve(ears.toLink(wire, word.welcome));
      } catch (thrown) {
        fail(CallError.from(thrown));
      }
    }

    wire.send(helloLine(hello));
  });
}

/** A link over a wire on which hello and welcome have been said already. */
export function continueLink(open: OpenWire, welcome: Welcome): Link {
  const ears = createEars();
  return ears.toLink(open(ears), welcome);
}

interface Ears extends WireEvents {
  toLink(wire: Wire, welcome: Welcome): Link;
}

/** Whoever listens to a link, and what is kept until somebody does. */
function createEars(): Ears {
  let onLine: ((line: string) => void) | undefined;
  let onClose: ((reason: string) => void) | undefined;
  let onClear: (() => void) | undefined;
  let early: string[] = [];
  let closed: CallError | undefined;
  return {
    onLine(line) {
      if (onLine) onLine(line);
      else early.push(line);
    },
    onClose(error) {
      closed = error;
      onClose?.(error.message);
    },
    onClear: () => onClear?.(),
    toLink: (wire, welcome) => ({
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
      cut: () => wire.cut(),
      get heardBytes() {
        return wire.heardBytes;
      },
    }),
  };
}
