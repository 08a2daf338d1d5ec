import type { CallError } from '#core/call-error.ts';
import type { Clock, Timer } from '#core/clock.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry.ts';
import type { Welcome } from '#core/local-socket/handshake.ts';
import { PING_LINE } from './answers.ts';
import type { Link } from '../link/link.ts';
import { createSearch, type Connect } from './search.ts';
import { createSilence } from './silence.ts';

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly connect: Connect;
  readonly log: Log;
  /** Whether anything waits for a daemon at this moment. */
  readonly isNeeded: () => boolean;
  /** Whether the daemon owes an answer. */
  readonly isOwed: () => boolean;
  /** What a daemon that is found must be asked first. `introduced` tells that it has answered. */
  readonly introduction: () => string | undefined;
  readonly onLine: (line: string) => void;
  readonly onReady: () => void;
  readonly onLost: (reason: string) => void;
  readonly onMissed: (error: CallError) => void;
  /** `full`: the daemon does not read; better send nothing more until it is `clear`. */
  readonly onRoom: (room: 'full' | 'clear') => void;
}

/** The line to whichever daemon there is. It looks for the next one whenever it is lost. */
export interface Connection {
  readonly state: 'connecting' | 'introducing' | 'ready' | 'over';
  /** How many daemons there have been. */
  readonly links: number;
  /** Of the last daemon. */
  readonly welcome: Welcome | undefined;
  /** With a link on which everything was said already, or in search of one. */
  begin(link?: Link): void;
  /** Listens to the link it began with. */
  listen(): void;
  introduced(): void;
  hurry(): void;
  send(line: string): void;
  /** Something was asked that the daemon must answer: one that falls silent counts as gone. */
  awaitAnswer(): void;
  pause(): void;
  resume(): void;
  /** What was sent last is on its way before `then`. */
  end(then: () => void): void;
  /** Ends at once. */
  stop(): void;
}

const INITIALIZE_MS = 10_000;
const GOODBYE_MS = 1000;
/** A daemon that takes nothing for so long is as good as gone. */
const UNREAD_MS = 60_000;

export function createConnection(options: ConnectionOptions): Connection {
  const { clock, log } = options;
  let state: Connection['state'] = 'connecting';
  let link: Link | undefined;
  let welcome: Welcome | undefined;
  let links = 0;
  let reading: 'on' | 'off' = 'on';
  let introducing: Timer | undefined;
  let unread: Timer | undefined;

  const search = createSearch({ ...options, onFound: adopt });
  const silence = createSilence({
    clock,
    isOwed: options.isOwed,
    heardBytes: () => (reading === 'on' ? link?.heardBytes : undefined),
    ask: () => void link?.send(PING_LINE),
    onSilent: () => link && abandon(link, 'it is silent'),
  });

  /** Asked through a function, because the compiler does not know that the state moves on while others are told. */
  function isOver(): boolean {
    return state === 'over';
  }

  function take(next: Link): void {
    link = next;
    welcome = next.welcome;
    links += 1;
  }

  function adopt(next: Link): void {
    take(next);
    if (reading === 'off') next.pause();
    if (links > 1) log.info('link_back', { version: next.welcome.version });
    listen(next);
    if (next === link) introduce(next);
  }

  function listen(next: Link): void {
    for (const { text } of next.welcome.notices) log.warn('daemon_notice', { notice: text });
    next.onLine((line) => next === link && options.onLine(line));
    next.onClear(() => next === link && clear());
    next.onClose((reason) => next === link && lost(reason));
  }

  /** Tells a new daemon what the client told the one before. */
  function introduce(next: Link): void {
    const line = options.introduction();
    if (line === undefined) return ready();
    state = 'introducing';
    introducing = clock.after(INITIALIZE_MS, () => abandon(next, 'it does not answer initialize'));
    next.send(line);
  }

  function ready(): void {
    introducing?.stop();
    state = 'ready';
    options.onReady();
  }

  function clear(): void {
    unread?.stop();
    unread = undefined;
    options.onRoom('clear');
  }

  function stopTimers(): void {
    for (const timer of [introducing, unread, silence]) timer?.stop();
    unread = undefined;
  }

  function lost(reason: string): void {
    link = undefined;
    stopTimers();
    if (isOver()) return;
    state = 'connecting';
    options.onRoom('clear');
    options.onLost(reason);
    if (!isOver()) search.begin('after a pause');
  }

  function abandon(old: Link, reason: string): void {
    lost(reason);
    old.cut();
  }

  function finish(): void {
    state = 'over';
    search.stop();
    stopTimers();
  }

  return {
    get state() {
      return state;
    },
    get links() {
      return links;
    },
    get welcome() {
      return welcome;
    },
    begin(first) {
      if (!first) return search.begin('at once');
      take(first);
      state = 'ready';
    },
    listen: () => link && listen(link),
    introduced: ready,
    hurry: () => search.hurry(),
    send(line) {
      const to = link;
      if (to?.send(line) !== 'full') return;
      options.onRoom('full');
      unread ??= clock.after(UNREAD_MS, () => abandon(to, 'it reads nothing'));
    },
    awaitAnswer: () => silence.watch(),
    pause() {
      reading = 'off';
      link?.pause();
    },
    resume() {
      reading = 'on';
      link?.resume();
    },
    end(then) {
      finish();
      const last = link;
      if (!last) return then();
      const timer = clock.after(GOODBYE_MS, () => last.cut());
      last.onClose(() => {
        timer.stop();
        then();
      });
      last.close();
    },
    stop() {
      finish();
      link?.close();
    },
  };
}
