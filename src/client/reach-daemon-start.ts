import type { Home } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';
import { sleep, type Clock } from '#core/clock.ts';
import { deadlineIn, remainingMs } from '#core/deadline.ts';
import { DRAIN_LINE, type Hello } from '#core/local-socket/handshake.ts';
import { command } from '#core/messages/fixes.ts';
import type { Link } from './link/link.ts';
import type { Attempt, ReachOptions } from './reach-daemon.ts';
import { compareVersions } from './reach-daemon-version.ts';
import { createStarter } from './start-process.ts';

const START_WITHIN_MS = 20_000;
const DRAIN_WITHIN_MS = 10_000;
const FIRST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 250;
/** Whoever starts older daemons all the time is left in peace after the second. */
const MOST_DRAINS = 2;

/** Starts a daemon where there is none, and puts one of this version in the place of an older one. */
export async function startIfNeeded(
  first: Attempt,
  attempt: () => Promise<Attempt>,
  hello: Pick<Hello, 'token'>,
  options: ReachOptions,
): Promise<Link> {
  let found = first;
  for (let drains = 0; ; drains++) {
    const link = typeof found === 'object' ? found : await waitForOne(found, attempt, options);
    const isOlder = compareVersions(link.welcome.version, options.version) < 0;
    if (!isOlder || drains === MOST_DRAINS || options.autostart === 'off') return link;
    if (!mayReplace(link, hello)) {
      options.onOlderDaemon?.(link.welcome.version);
      return link;
    }
    await drain(link, options.clock);
    found = 'busy';
  }
}

/** Only the owner may stop a daemon. One that does not say who its client is takes whoever shows no token for the owner. */
function mayReplace({ welcome }: Link, { token }: Pick<Hello, 'token'>): boolean {
  return welcome.owner === true || token === undefined;
}

async function waitForOne(
  first: 'nobody' | 'busy',
  attempt: () => Promise<Attempt>,
  options: ReachOptions,
): Promise<Link> {
  const { clock, home, autostart } = options;
  const end = deadlineIn(clock, START_WITHIN_MS);
  const starter = createStarter(options);
  try {
    let found: Attempt = first;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MOST_PAUSE_MS, pauseMs * 1.5)) {
      if (typeof found === 'object') return found;
      if (found === 'nobody') {
        if (autostart === 'off') throw nobody(home);
        starter.go();
      }
      if (remainingMs(end, clock) === 0) throw tooLate(home, starter.taken);
      await sleep(clock, pauseMs);
      found = await attempt();
    }
  } finally {
    starter.release();
  }
}

/** Asks an older daemon to finish its work and go. */
async function drain(link: Link, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = clock.after(DRAIN_WITHIN_MS, resolve);
    link.onLine(() => undefined);
    link.onClose(() => {
      timer.stop();
      resolve();
    });
    link.send(DRAIN_LINE);
  });
  link.close();
}

function nobody(home: Home): CallError {
  return new CallError('network', `No daemon runs on ${home.root}, and none may be started.`, {
    fixes: [command('exai serve', 'start one')],
  });
}

function tooLate(home: Home, taken: CallError | undefined): CallError {
  const known = taken ? ` ${taken.message}` : '';
  return new CallError('timeout', `The daemon of ${home.root} did not come up in time.${known}`, {
    fixes: [`What it said is in ${home.logDir}.`, command('exai doctor', 'look for the cause')],
  });
}
