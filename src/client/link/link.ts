import { CallError } from '#core/errors/call-error.ts';
import { readDaemonHandshake, type Welcome } from '#core/local-socket/handshake.ts';
import { helloLine, type Hello } from '#core/local-socket/hello.ts';
import type { Clock } from '#core/time/clock.ts';

/** A connection to a daemon after its welcome: one MCP message per line, in both directions. */
export interface Link {
  readonly welcome: Welcome;
  /** Bytes received from the daemon so far, incomplete lines included. */
  readonly receivedBytes: number;
  /** Never throws; does nothing after the end. `full`: wait for `onClear` before sending more. */
  send(line: string): 'clear' | 'full';
  /** Sets the listener for lines; it also gets those that came before. */
  onLine(listener: (line: string) => void): void;
  /**
   * Sets the listener for the end: called once, after the last line, or at once if the link is
   * closed already.
   */
  onClose(listener: (reason: string) => void): void;
  /** Sets the listener for when the send buffer is empty again. */
  onClear(listener: () => void): void;
  /** Pauses and resumes reading, if the receiver of the lines cannot keep up. */
  pause(): void;
  resume(): void;
  /** Closes after what was sent is flushed. */
  close(): void;
  /** Closes at once, for a daemon that does not read. */
  cut(): void;
}

/** A raw connection to a daemon before the handshake: a socket, a WebSocket, or a fake in tests. */
export interface Wire {
  readonly receivedBytes: number;
  send(line: string): 'clear' | 'full';
  pause(): void;
  resume(): void;
  close(): void;
  cut(): void;
}

export interface WireEvents {
  readonly onLine: (line: string) => void;
  /** Called once, after the last line. */
  readonly onClose: (error: CallError) => void;
  readonly onClear: () => void;
}

type OpenWire = (events: WireEvents) => Wire;

export interface HandshakeOptions {
  readonly hello: Hello;
  readonly clock: Clock;
  /** Time limit for the connection and the welcome together. */
  readonly withinMs: number;
}

/** Sends the hello and resolves with the link when the welcome has come. */
export function openLink(
  open: OpenWire,
  { hello, clock, withinMs }: HandshakeOptions,
): Promise<Link> {
  return new Promise((resolve, reject) => {
    let phase: 'waiting' | 'welcomed' | 'failed' = 'waiting';
    const listeners = createLinkListeners();

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
        if (phase === 'welcomed') listeners.onLine(line);
        else if (phase === 'waiting') first(line);
      },
      onClose(error) {
        if (phase === 'waiting') fail(error);
        else listeners.onClose(error);
      },
      onClear: listeners.onClear,
    });

    function first(line: string): void {
      try {
        const word = readDaemonHandshake(line);
        if (word.is === 'refused') return fail(word.error);
        if (word.is === 'draining')
          return fail(new CallError('network', 'The daemon is stopping.'));
        phase = 'welcomed';
        timer.stop();
        resolve(listeners.toLink(wire, word.welcome));
      } catch (thrown) {
        fail(CallError.from(thrown));
      }
    }

    wire.send(helloLine(hello));
  });
}

/** A link over a wire whose handshake is done already. */
export function continueLink(open: OpenWire, welcome: Welcome): Link {
  const listeners = createLinkListeners();
  return listeners.toLink(open(listeners), welcome);
}

interface LinkListeners extends WireEvents {
  toLink(wire: Wire, welcome: Welcome): Link;
}

/** The listeners of a link; lines that come before a listener is set are stored. */
function createLinkListeners(): LinkListeners {
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
      get receivedBytes() {
        return wire.receivedBytes;
      },
    }),
  };
}
