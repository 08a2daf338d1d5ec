import type { Channel, ConnectionInfo, Session } from '../../src/transport/channel.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { SeededRandom } from './random.ts';
import type { Simulation } from './simulation.ts';

export type Message = Readonly<Record<string, unknown>>;

/** The client's end. */
export interface Wire {
  send(text: string): void;
  /** Sends no more, still reads. */
  end(): void;
  /**
   * What is under way is lost, both ways; the other side notices some time later, or much later.
   */
  cut(): void;
  /** Reads nothing for a while. */
  dawdle(ms: number): void;
}

/** What the client hears. */
export interface WireClient {
  readonly name: string;
  onMessage(message: Message): void;
  onClosed(how: 'cut' | number): void;
}

/** Looks at what passes the daemon's end of the wire. */
export interface WireTap {
  delivered(text: string): void;
  sent(message: Message, text: string): void;
}

/** How the daemon's end behaves, given to a planted bug to change. */
export type Sending = (text: string, send: (text: string) => void) => void;

export interface WireOptions {
  readonly simulation: Simulation;
  readonly random: SeededRandom;
  readonly client: WireClient;
  readonly tap: WireTap;
  readonly opening: ConnectionInfo;
  readonly transport: Channel['transport'];
  readonly sending: Sending;
  readonly daemonFreeze: DaemonFreeze;
  /** Nothing when the daemon takes nobody. */
  open(channel: DaemonEnd, opening: ConnectionInfo): Session | undefined;
}

export interface DaemonEnd extends Channel {
  /** The process is gone: the client hears nothing more but the end. */
  die(): void;
  /** Tells that the connection is over, after `onClose` of the session. */
  onGone: () => void;
}

// The daemon's end takes this many unread messages before it counts as slow.
const HIGH_WATER = 4;

const END = 'end of sending';

export function connect(options: WireOptions): Wire {
  const { simulation, random, client, tap, opening, daemonFreeze } = options;
  const upward: string[] = [];
  const downward: (Message | number)[] = [];
  let arrivedUp = 0;
  let arrivedDown = 0;
  let lastUpAt = 0;
  let lastDownAt = 0;
  let readsFrom = 0;
  let session: Session | undefined;
  let clientEnd: 'open' | 'ended' | 'gone' = 'open';
  let daemonEnd: 'opening' | 'open' | 'closing' | 'gone' | 'dead' = 'opening';

  const delay = () => (random.chance(0.1) ? random.between(5, 80) : random.between(0, 3));
  const isClear = () => downward.length < HIGH_WATER;
  const isListening = () => daemonEnd === 'open' || daemonEnd === 'closing';

  /** Delivers what has arrived, unless the client must read first. */
  function pumpUp(): void {
    while (arrivedUp > 0 && session && isClear() && isListening()) {
      const text = upward.shift() as string;
      arrivedUp -= 1;
      simulation.tell(client.name, () => `→ ${text}`);
      if (text === END) {
        session.onEnd();
      } else {
        tap.delivered(text);
        session.onMessage(text);
      }
    }
  }

  function pumpDown(): void {
    while (arrivedDown > 0 && clientEnd !== 'gone' && daemonEnd !== 'dead') {
      if (simulation.now < readsFrom) return;
      const message = downward.shift() as Message | number;
      arrivedDown -= 1;
      if (typeof message === 'number') return loseClient(message);
      client.onMessage(message);
    }
    daemonFreeze.run(pumpUp);
  }

  function loseClient(how: 'cut' | number): void {
    if (clientEnd === 'gone') return;
    clientEnd = 'gone';
    upward.length = arrivedUp = 0;
    simulation.tell(client.name, () => `is cut off (${how})`);
    client.onClosed(how);
  }

  function loseDaemon(): void {
    if (!isListening()) return;
    daemonEnd = 'gone';
    session?.onClose();
    channel.onGone();
  }

  const channel: DaemonEnd = {
    transport: options.transport,
    get isClear() {
      return isClear();
    },
    send(text) {
      if (daemonEnd !== 'open') return;
      options.sending(text, pass);
    },
    close(code) {
      if (daemonEnd !== 'open') return;
      daemonEnd = 'closing';
      travelDown(code);
    },
    die() {
      daemonEnd = 'dead';
      simulation.after(random.between(0, 20), () => loseClient('cut'));
    },
    onGone: () => undefined,
  };

  function pass(text: string): void {
    simulation.tell(client.name, () => `← ${text}`);
    const message = JSON.parse(text) as Message;
    tap.sent(message, text);
    travelDown(message);
  }

  function travelDown(message: Message | number): void {
    if (clientEnd === 'gone') return void (typeof message === 'number' && loseDaemonSoon());
    downward.push(message);
    lastDownAt = Math.max(lastDownAt, simulation.now + delay());
    simulation.after(lastDownAt - simulation.now, () => {
      arrivedDown += 1;
      pumpDown();
      if (typeof message === 'number') loseDaemonSoon();
    });
  }

  function loseDaemonSoon(): void {
    simulation.after(random.between(0, 10), () => daemonFreeze.run(loseDaemon));
  }

  function travelUp(text: string): void {
    if (clientEnd !== 'open') return;
    upward.push(text);
    lastUpAt = Math.max(lastUpAt, simulation.now + delay());
    simulation.after(lastUpAt - simulation.now, () => {
      if (clientEnd === 'gone') return;
      daemonFreeze.run(() => {
        if (clientEnd === 'gone') return;
        arrivedUp += 1;
        pumpUp();
      });
    });
  }

  simulation.after(delay(), () => daemonFreeze.run(accept));

  function accept(): void {
    if (clientEnd === 'gone') return;
    daemonEnd = 'open';
    session = options.open(channel, opening);
    if (!session) {
      daemonEnd = 'gone';
      return loseClient('cut');
    }
    pumpUp();
  }

  return {
    send: travelUp,
    end() {
      travelUp(END);
      if (clientEnd === 'open') clientEnd = 'ended';
    },
    cut() {
      loseClient('cut');
      // Some cuts are noticed at once, some only when a ping stays unanswered.
      const noticedMs = random.chance(0.3) ? random.between(500, 1500) : random.between(0, 30);
      simulation.after(noticedMs, () => daemonFreeze.run(loseDaemon));
    },
    dawdle(ms) {
      readsFrom = Math.max(readsFrom, simulation.now + ms);
      simulation.after(ms, pumpDown);
    },
  };
}
