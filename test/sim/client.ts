import { createAnswering, createAskedOf, type AskedOf } from './answering.ts';
import { isWelcome, mayUse, principalOf, tokenOf } from './badges.ts';
import type { Book } from './book.ts';
import type { SharedIds, MadeCall } from './shared-ids.ts';
import type { HttpSight } from './http-options.ts';
import type { DaemonEnd } from './wire.ts';
import type { Disk } from './disk.ts';
import { patiently, type DaemonFreeze } from './daemon-freeze.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { KnownJob } from './job-client.ts';
import { createFollowing } from './job-follow.ts';
import type { JobAct } from './job-plan.ts';
import type { SimClock } from './sim-process.ts';
import type { Badge, ClientAct, ClientPlan, Trick } from './plan.ts';
import type { SeededRandom } from './random.ts';
import { isAbout, type Subject } from './questions.ts';
import { createRounds } from './rounds.ts';
import { isChanging } from './sim-tools.ts';
import {
  clientProtocolOf,
  type Again,
  type ReceivedMessage,
  type ReceivedTask,
  type ClientProtocol,
} from './client-protocols.ts';
import { connect, type Message, type Sending, type Wire, type WireTap } from './wire.ts';
import type { Simulation } from './simulation.ts';
import type { ConnectionInfo, Session } from '../../src/transport/channel.ts';

type Answer = ReceivedMessage & { readonly is: 'answer' };

export interface SimClient {
  act(act: ClientAct): void;
  trick?(trick: Trick): void;
  errand?(act: JobAct): void;
  /** Waits for what it is owed, then says goodbye; resolves when it is gone. */
  finish(): Promise<void>;
}

export interface ClientOptions {
  readonly name: string;
  readonly plan: ClientPlan;
  readonly needsToken: boolean;
  readonly simulation: Simulation;
  readonly random: SeededRandom;
  readonly disk: Disk;
  readonly daemonFreeze: DaemonFreeze;
  readonly book: Book;
  readonly sharedIds: SharedIds;
  readonly http: HttpSight;
  /** Whether the token of this badge may have been taken away. */
  readonly isDoubtful: (badge: Badge) => boolean;
  /** What a planted bug makes of the clock of a shim. */
  readonly shimClock: (clock: SimClock) => SimClock;
  readonly sending: () => Sending;
  /** Answers that a client has in hand: what they say happened must be on disk for good. */
  readonly acknowledged: Set<string>;
  /** The daemon tells of a job. */
  readonly jobTold: (id: string, by: string) => void;
  /** A client has heard of it, in answer to what it marked so. */
  readonly jobHeard: (id: string, principal: string, mark: string) => void;
  /** That anybody heard of. */
  readonly jobs: readonly KnownJob[];
  /** Jobs that are none of this principal's. */
  readonly theirJobs: (principal: string) => readonly KnownJob[];
  /** The client has given up, and wants it done all the same. */
  readonly gaveUp: (mark: string) => void;
  readonly taskTold: (task: ReceivedTask) => void;
  readonly cancelWished: (mark: string, session: string) => void;
  open(channel: DaemonEnd, opening: ConnectionInfo): Session | undefined;
}

/**
 * Longer than any call takes with its commit, its queue, a slow reader and a daemon that must start
 * first: that of a model that thinks is six minutes.
 */
export const PATIENCE_MS = 400_000;
/** As long as the daemon waits for an answer of a client, and a call. */
const QUESTION_PATIENCE_MS = PATIENCE_MS + 640_000;

export function patienceOf({ protocol, can, manner, by }: ClientPlan): number {
  const mayBeAsked = protocol === 'legacy' && can !== 'nothing';
  // Who has said that it sends no more can answer nothing either.
  return mayBeAsked && (manner === 'silent' || by !== 'http') ? QUESTION_PATIENCE_MS : PATIENCE_MS;
}

const NORMAL = 1000;
const GOING_AWAY = 1001;
const UNAUTHORISED = 4003;

interface Connection {
  readonly wire: Wire;
  readonly ledger: Ledger;
  /** The newest last. */
  readonly calls: { readonly id: string; readonly text: string }[];
  /** Every call that was made here. */
  readonly made: Map<string, MadeCall>;
  readonly twice: Set<string>;
  readonly asked: AskedOf;
}

/** One client of the daemon's transports, which speaks a protocol itself. */
export function createClient(options: ClientOptions): SimClient {
  const { name, plan, simulation, random } = options;
  const protocol = clientProtocolOf(plan.protocol, plan.can, plan.follows);
  const about = { ...options, can: plan.can, manner: plan.manner };
  const answering = createAnswering(about);
  const token = tokenOf(plan.badge);
  // Those that only wait for their last answers included.
  const live = new Set<Connection>();
  let connection: Connection | undefined;
  let connections = 0;
  let ids = 0;
  let onGone: (() => void) | undefined;

  const rounds = createRounds({
    ...about,
    badge: principalOf(plan),
    answering,
    make: (call, again) => (onGone ? undefined : makeCall(call, again)),
  });

  const following = createFollowing({
    ...followsOf(options),
    call: (tool, args) => (onGone ? undefined : makeCall({ tool, args })),
    ...(protocol.task && {
      task: (...about) => ask((id) => protocol.task?.(id, ...about) ?? '', 'question'),
    }),
  });

  function reach(): Connection {
    if (connection) return connection;
    const session = `${name}.${++connections}`;
    const ledger = createLedger(name, protocol, simulation);
    const wire = connect({
      simulation,
      random,
      opening: {
        session,
        // Nothing but a message of ours could carry one through a socket file.
        token: plan.protocol === 'exai' || plan.by === 'unix' ? undefined : token,
        protocol: undefined,
      },
      transport: plan.by === 'unix' ? 'unix' : 'ws',
      sending: options.sending(),
      daemonFreeze: options.daemonFreeze,
      tap: createTap(options, protocol, session),
      client: {
        name,
        onMessage: (message) => hear(made, message),
        onClosed: (how) => closed(made, how),
      },
      open: (channel, opening) => options.open(channel, opening),
    });
    const asked = createAskedOf(about, answering, (text) => wire.send(text));
    // prettier-ignore
    const made: Connection = { wire, ledger, calls: [], made: new Map(), twice: new Set(), asked };
    live.add(made);
    connection = made;
    for (const text of protocol.hello(token)) wire.send(text);
    return made;
  }

  function hear(from: Connection, message: Message): void {
    const heard = protocol.hear(message);
    if (heard.is === 'question')
      from.asked.hear(heard.id, heard.question, (subject) => marksOf(from, subject));
    if (heard.is === 'withdrawn') from.asked.withdrawn(heard.id);
    if (heard.is !== 'answer') return;
    from.ledger.answered(heard.id);
    checkState(options, heard);
    if (!from.twice.has(heard.id)) from.asked.settled(heard.id);
    const call = from.made.get(heard.id);
    if (heard.asks && call) rounds.hear(heard.id, call, heard.asks);
    if (confirmsChange(heard)) options.acknowledged.add(heard.reqId);
    noteJob(options, heard);
    following.hear(heard);
    leaveIfDone();
  }

  function closed(from: Connection, how: 'cut' | number): void {
    const { owed } = from.ledger;
    if (how === NORMAL && owed.length > 0)
      simulation.violate(
        'answered',
        `${name} was sent away without an answer to ${owed.join(' ')}`,
      );
    const isKnown =
      plan.by === 'unix'
        ? principalOf(plan) === 'owner' || !options.isDoubtful(plan.badge)
        : isWelcome(plan.badge, options.needsToken) && !options.isDoubtful(plan.badge);
    const isExpected = how === UNAUTHORISED ? !isKnown : how === NORMAL || how === GOING_AWAY;
    if (how !== 'cut' && !isExpected) simulation.violate('close', `${name} was closed with ${how}`);
    if (connection === from) connection = undefined;
    from.asked.end();
    live.delete(from);
    if (live.size === 0) onGone?.();
  }

  function end(): void {
    connection?.wire.end();
    connection = undefined;
  }

  function leaveIfDone(): void {
    if (onGone && connection?.ledger.owed.length === 0) end();
  }

  function makeCall({ tool, args }: MadeCall, again?: Again): string {
    const call = { tool, args };
    return ask(
      (id) => protocol.call(id, call.tool, markedArgs(call.args, id), again),
      'call',
      call,
    );
  }

  function ask(text: (id: string) => string, kind: 'call' | 'question', call?: MadeCall): string {
    const to = reach();
    const id = `${name}-${++ids}`;
    if (kind === 'call' || protocol.listIsAnswered) to.ledger.asked(id);
    if (kind === 'call') to.calls.push({ id, text: text(id) });
    if (call) to.made.set(id, call);
    to.wire.send(text(id));
    return id;
  }

  function again(back: number, then: (to: Connection, call: Connection['calls'][number]) => void) {
    const call = connection?.calls.at(-1 - back);
    if (connection && call) then(connection, call);
  }

  return {
    act(act) {
      switch (act.is) {
        case 'call':
          makeCall(act, {
            ...(plan.protocol === 'modern' && rounds.firstly(act)),
            ...(act.wish && { wish: act.wish }),
          });
          return act.afterwards === 'end' ? end() : undefined;
        case 'list':
          ask((id) => protocol.list(id), 'question');
          return;
        case 'cancel':
          return again(act.back, (to, { id }) => {
            to.ledger.cancelled(id);
            to.wire.send(protocol.cancel(id, act.why));
            // A cancelled id is never used again.
            to.calls.splice(to.calls.length - 1 - act.back, 1);
          });
        case 'duplicate':
          return again(act.back, (to, { id, text }) => {
            to.ledger.asked(id);
            to.twice.add(id);
            options.book.sentAgain(id);
            to.calls.splice(to.calls.length - 1 - act.back, 1);
            to.wire.send(text);
          });
        case 'cancel-unknown':
          return reach().wire.send(protocol.cancel('nobody-asked'));
        case 'garbage':
          // The first message says which protocol it is, so that one is in order.
          return connection?.wire.send(protocol.garbage[act.which % protocol.garbage.length] ?? '');
        case 'dawdle':
          return connection?.wire.dawdle(act.ms);
        case 'end':
          return end();
        case 'cut':
          return connection?.wire.cut();
      }
    },
    trick(trick) {
      if (trick.is === 'forge' && plan.protocol === 'modern') rounds.forge(trick.how);
    },
    finish() {
      rounds.stop();
      following.stop();
      if (live.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const tooLong = patiently(simulation, options.daemonFreeze, patienceOf(plan), () => {
          const owed = [...live].flatMap(({ ledger }) => ledger.owed).join(' ') || 'a goodbye';
          simulation.violate('answered', `${name} still waits for ${owed}`);
        });
        onGone = () => {
          tooLong.stop();
          resolve();
        };
        leaveIfDone();
      });
    },
  };
}

/** The calls that a question may belong to, by what it says of itself. */
function marksOf({ made }: Connection, subject: Subject): string[] {
  return [...made].filter(([, call]) => isAbout(subject, call)).map(([id]) => id);
}

/** A state is refused when it is no good, and only then. */
export function checkState({ name, simulation, book }: ClientOptions, heard: Answer): void {
  const why = book.forbidden(heard.id);
  if (why !== undefined && heard.ended === 'well')
    simulation.violate('state', `${name} is answered ${heard.id}, and ${why}`);
  const isCredentialValid =
    heard.stateRefused === 'used' ? !book.isAgain(heard.id) : why === undefined;
  if (heard.stateRefused && isCredentialValid)
    simulation.violate(
      'state',
      `${name} is told that the state of ${heard.id} is no good, and it is`,
    );
}

/** So that the daemon's side of the call can be told from others. */
export function markedArgs(args: object, mark: string): object {
  return { ...args, _request_metadata: { geo_location: mark } };
}

/** Whether an answer says that something was changed. */
export function confirmsChange(
  heard: Answer,
): heard is Answer & { readonly reqId: string; tool: string } {
  const { ended, tool, reqId, job } = heard;
  return ended === 'well' && !job && tool !== undefined && reqId !== undefined && isChanging(tool);
}

/** For who looks after its jobs. A shim comes in by the socket of its user. */
export function followsOf(options: ClientOptions) {
  const { name, simulation, random, plan } = options;
  return {
    name,
    simulation,
    random: random.fork('jobs'),
    theirs: () => options.theirJobs(ownerOf(plan)),
  };
}

function ownerOf(plan: ClientPlan): string {
  return plan.by === 'shim' ? 'owner' : principalOf(plan);
}

/** What anybody with the same name may ask for from now on. */
export function noteJob({ plan, jobHeard }: ClientOptions, { id, job }: Answer): void {
  if (job) jobHeard(job.id, ownerOf(plan), id);
}

/** Whether somebody with this badge could do what the answer says was done. */
export function checkAccess({ simulation, plan }: ClientOptions, { tool, ended }: Answer): void {
  if (tool === undefined || ended === 'badly') return;
  if (!mayUse(plan.badge, tool, isChanging(tool) ? 'changes' : 'reads'))
    simulation.violate('access', `${plan.badge} could use ${tool}`);
}

/** Looks at the daemon's end, where before and after are beyond doubt. */
export function createTap(
  options: ClientOptions,
  protocol: ClientProtocol,
  session: string,
): WireTap {
  const { name, simulation, disk, plan, needsToken } = options;
  // Whoever is refused is told so in answer to its first message, whatever became of that.
  const isKnown = () =>
    plan.by !== 'ws' || (isWelcome(plan.badge, needsToken) && !options.isDoubtful(plan.badge));
  const cancelled = new Set<string>();
  return {
    delivered(text) {
      const id = protocol.cancelled(text);
      if (id === undefined) return;
      cancelled.add(id);
      if (protocol.gaveUp(text)) options.gaveUp(id);
      else options.cancelWished(id, session);
    },
    sent(message) {
      const heard = protocol.hear(message);
      if (heard.is !== 'answer') return;
      if (cancelled.has(heard.id) && protocol.afterCancel === 'no-answer' && isKnown())
        simulation.violate('cancelled', `${name} is answered ${heard.id} after it was cancelled`);
      if (confirmsChange(heard) && !disk.rows.has(heard.reqId))
        simulation.violate('durable', `${heard.reqId} is answered before its record is on disk`);
      if (heard.job) options.jobTold(heard.job.id, name);
      if (heard.task) options.taskTold(heard.task);
      if (plan.by === 'ws') checkAccess(options, heard);
    },
  };
}
