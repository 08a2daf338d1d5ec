import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { CallResult, CallRequest, RunningCall } from '#core/calls/calls.ts';
import { createIds } from '#core/ids.ts';
import type { Job } from '#core/calls/jobs.ts';
import type { InputResponses } from '#core/tools/input-request.ts';
import type { Book } from './book.ts';
import { markedArgs, type SimClient } from './client.ts';
import type { Disk } from './disk.ts';
import { patiently, type DaemonFreeze } from './daemon-freeze.ts';
import type { JobBook } from './job-book.ts';
import type { JobTransport } from './job-transport.ts';
import { checkFetched, checkListed, type FetchSight } from './job-judge.ts';
import type { JobAct, JobClientPlan } from './job-plan.ts';
import { changesByJob } from './job-tools.ts';
import { isOver } from './job-status.ts';
import { MAX_RECORD_MS } from './sim-store.ts';
import type { Watch } from './watch.ts';
import type { Simulation } from './simulation.ts';

/** A job that somebody was told of. */
export interface KnownJob {
  readonly id: string;
  readonly principal: string;
  readonly mark: string;
}

/** The daemon that it calls, if there is one. */
export interface JobSight {
  readonly transport: JobTransport;
  readonly watch: Watch;
  /** Of another daemon it is another. */
  readonly life: object;
}

export interface JobClientOptions {
  readonly name: string;
  readonly plan: JobClientPlan;
  readonly simulation: Simulation;
  readonly disk: Disk;
  readonly daemonFreeze: DaemonFreeze;
  readonly book: Book;
  readonly jobBook: JobBook;
  /** Of all clients. */
  readonly board: KnownJob[];
  readonly daemons: 1 | 2;
  /** How long a job may take. */
  readonly timeoutMs: number;
  readonly acknowledged: Set<string>;
  readonly reach: () => JobSight | undefined;
}

interface Errand {
  readonly mark: string;
  readonly act: JobAct & { readonly is: 'errand' };
  readonly running: RunningCall;
  readonly life: object;
  readonly session: string;
  readonly startedAt: number;
  readonly frozenBeforeMs: number;
  state: 'waiting' | 'given-up' | 'left' | 'answered';
}

/** Until the next try, after a disk that was full or hung. */
const RETRY_MS = 11_000;
const PATIENCE_MS = 30_000;
const ROUNDS = 3;
/** An id that no job has. */
const NOBODYS = createIds({ now: () => 0 }, (count) => new Uint8Array(count))('job');

/**
 * A client of calls and jobs without a protocol in between: what it does happens to the daemon at
 * once.
 */
export function createJobClient(options: JobClientOptions): SimClient {
  const { name, plan, simulation, disk, daemonFreeze, book, jobBook, board } = options;
  const caller = callerOf(plan);
  const { principal } = caller;
  const errands: Errand[] = [];
  const waits = new Set<{ readonly life: object }>();
  let marks = 0;
  let visits = 1;
  let onChange: (() => void) | undefined;

  const isThere = ({ life }: { readonly life: object }) => options.reach()?.life === life;
  const waiting = () => errands.filter((each) => each.state === 'waiting' && isThere(each));
  const owed = () => waiting().length + [...waits].filter(isThere).length;
  const told = () => board.filter((job) => job.principal === principal);
  const theirs = () => board.filter((job) => job.principal !== principal);

  function start(act: Errand['act'], sight: JobSight, round = 0, again?: Again): void {
    const mark = `${name}-${++marks}`;
    const session = `${name}.${visits}`;
    const request: CallRequest = {
      tool: act.tool,
      args: markedArgs(argsOf(act), mark),
      caller,
      transport: 'sim',
      session,
      clientCapabilities: plan.can === 'forms' ? ['form'] : [],
      background: { afterMs: act.patience === 'ever' ? Infinity : act.patience, as: act.as },
      ...(plan.hears === 'progress' && { onProgress: () => undefined }),
      ...(again && { answers: again.answers, state: again.state }),
    };
    if (again) {
      book.goOn(again.mark, mark);
      book.madeWith(mark, again.state);
      for (const [what, answer] of Object.entries(again.answers)) book.answered(mark, what, answer);
    }
    const running = sight.transport.start(request);
    const errand: Errand = {
      mark,
      act,
      running,
      session,
      life: sight.life,
      startedAt: simulation.now,
      frozenBeforeMs: daemonFreeze.frozenMs,
      state: 'waiting',
    };
    errands.push(errand);
    void running.answer.then((answer) => heard(errand, answer, round));
  }

  function heard(errand: Errand, answer: CallResult, round: number): void {
    const { mark, state } = errand;
    const { envelope, inputRequired: asks, error, text } = answer;
    const how = envelope.job?.id ?? error?.class ?? (asks ? 'asks' : 'an answer');
    simulation.tell(name, () => `${mark} has ${how}`);
    if (state === 'answered') simulation.violate('answers', `${mark} is answered twice`);
    errand.state = 'answered';
    if (state === 'waiting') checkTime(errand);
    if (state === 'waiting' && envelope.job) {
      jobBook.told(envelope.job.id, name);
      board.push({ id: envelope.job.id, principal, mark });
    } else if (state === 'waiting' && !error && !asks) {
      checkText(text, mark, errand.act.tool);
      if (changesByJob(errand.act.tool)) options.acknowledged.add(envelope.req_id);
    }
    const sight = options.reach();
    if (asks && state === 'waiting' && round < ROUNDS && !onChange && sight?.life === errand.life) {
      const answers = wordsFor(Object.keys(asks.questions), mark);
      start(errand.act, sight, round + 1, { mark, answers, state: asks.state });
    }
    onChange?.();
  }

  function checkText(text: string, mark: string, tool: string): void {
    if (tool !== 'sift' && text !== `done for ${mark}`)
      simulation.violate('job-text', `${mark} is answered ${text}`);
  }

  /** Whoever waits for so long only has an answer or a job by then. */
  function checkTime({ mark, act, startedAt, frozenBeforeMs }: Errand): void {
    if (act.patience === 'ever') return;
    const tookMs = simulation.now - startedAt - (daemonFreeze.frozenMs - frozenBeforeMs);
    const unwellMs = Math.min(disk.wasUnwellAt, simulation.now) - startedAt;
    const retryMs = unwellMs >= 0 ? unwellMs + RETRY_MS : 0;
    if (tookMs > act.patience + 2 * MAX_RECORD_MS + retryMs)
      simulation.violate(
        'job-late',
        `${mark} waits ${tookMs} ms, and wanted to wait ${act.patience}`,
      );
  }

  /** An answer like no other to each, of which the book knows. */
  function wordsFor(names: readonly string[], mark: string): InputResponses {
    const answers = names.map((what) => {
      const answer = { action: 'accept', content: { word: `${mark}-${what}-${++marks}` } };
      return [what, answer] as const;
    });
    return Object.fromEntries(answers);
  }

  function fetch({ back, forMs, whose }: JobAct & { is: 'fetch' }, sight: JobSight): void {
    const target = whose === 'own' ? told().at(-1 - back) : theirs().at(-1 - back);
    const id = whose === 'nobodys' ? NOBODYS : target?.id;
    if (id === undefined) return;
    const wait = { life: sight.life };
    const about: FetchSight = {
      ...options,
      id,
      forMs,
      whose,
      startedAt: simulation.now,
      frozenBeforeMs: daemonFreeze.frozenMs,
      mark: target?.mark ?? '',
      statusBefore: disk.jobs.get(id)?.status,
    };
    const over = (job: Job | CallError) => {
      waits.delete(wait);
      checkFetched(job, about);
      onChange?.();
    };
    waits.add(wait);
    sight.transport
      .wait(principal, id, forMs)
      .then(over, (thrown: unknown) => over(CallError.from(thrown)));
  }

  function drop({ back, times, whose }: JobAct & { is: 'drop' }, { transport }: JobSight): void {
    const target = (whose === 'own' ? told() : theirs()).at(-1 - back);
    if (!target) return;
    const { id } = target;
    const wasOver = isOver(disk.jobs.get(id)?.status ?? 'queued');
    let cancelled = 0;
    for (let nth = 0; nth < times; nth++)
      transport.jobs.cancel(principal, id).then(
        (outcome) => {
          simulation.tell(name, () => `${id} is ${outcome}`);
          if (whose === 'theirs')
            simulation.violate('job-foreign', `${name} has cancelled ${id} of somebody else`);
          if (outcome === 'already_over') return;
          cancelled += 1;
          if (wasOver || cancelled > 1)
            simulation.violate('job-cancelled', `${id} is cancelled, and was over before`);
          jobBook.cancelled(id);
        },
        (thrown: unknown) => refused(CallError.from(thrown), id, whose),
      );
  }

  function refused({ class: why }: CallError, id: string, whose: 'own' | 'theirs'): void {
    const isExpected = why === 'over_capacity' || (why === 'not_found' && whose === 'theirs');
    if (!isExpected) simulation.violate('job-refused', `${name} is refused ${id}: ${why}`);
  }

  async function reply(
    { back, how }: JobAct & { is: 'reply' },
    { transport }: JobSight,
  ): Promise<void> {
    const asking = board.filter(
      ({ id, principal: whose }) =>
        disk.jobs.get(id)?.status === 'input_required' &&
        (how === 'foreign') !== (whose === principal),
    );
    const target = asking.at(-1 - (back % Math.max(1, asking.length)));
    if (!target) return;
    const { id, mark } = target;
    const whose = how === 'foreign' ? 'theirs' : 'own';
    try {
      const job = await transport.jobs.get(principal, id);
      if (how === 'foreign')
        simulation.violate('job-foreign', `${name} sees ${id} of somebody else`);
      const names = Object.keys(job.pendingInput?.questions ?? {});
      const said = wordsFor(how === 'part' ? names.slice(0, 1) : names, mark);
      const round = (job.pendingInput?.round ?? 1) - (how === 'late' ? 1 : 0);
      // What comes too late must not be seen: of that the book knows nothing.
      if (how !== 'late')
        for (const [what, answer] of Object.entries(said)) book.answered(mark, what, answer);
      await transport.jobs.answer(principal, id, round, {
        ...said,
        nonsense: { action: 'accept' },
      });
    } catch (thrown) {
      refused(CallError.from(thrown), id, whose);
    }
  }

  function leave(errand: Errand, sight: JobSight): void {
    errand.state = 'left';
    sight.watch.cancelWished(errand.mark, errand.session);
    errand.running.cancel();
  }

  function perform(act: JobAct): void {
    const sight = options.reach();
    if (!sight) return;
    switch (act.is) {
      case 'errand':
        return start(act, sight);
      case 'abandon': {
        const errand = waiting().at(-1 - act.back);
        return errand && leave(errand, sight);
      }
      case 'give-up': {
        const errand = waiting().at(-1 - act.back);
        if (!errand?.running.detach) return;
        errand.state = 'given-up';
        sight.watch.gaveUp(errand.mark);
        return errand.running.detach();
      }
      case 'vanish': {
        const session = `${name}.${visits++}`;
        for (const errand of waiting()) if (errand.session === session) leave(errand, sight);
        return sight.watch.checkGone(session);
      }
      case 'fetch':
        return fetch(act, sight);
      case 'drop':
        return drop(act, sight);
      case 'reply':
        return void reply(act, sight);
      case 'roll':
        return void sight.transport.jobs
          .list(principal, 100)
          .then((rows) => checkListed(rows, { name, principal, disk, simulation }));
    }
  }

  return {
    act: () => undefined,
    errand: (act) => daemonFreeze.run(() => perform(act)),
    finish() {
      return new Promise((resolve) => {
        const tooLong = patiently(simulation, daemonFreeze, options.timeoutMs + PATIENCE_MS, () => {
          const names = waiting().map(({ mark }) => mark);
          simulation.violate('answered', `${name} still waits for ${names.join(' ') || 'a job'}`);
        });
        onChange = () => {
          if (owed() > 0) return;
          tooLong.stop();
          resolve();
        };
        const look = () => {
          onChange?.();
          // Of a daemon that died nothing comes any more.
          if (owed() > 0) simulation.after(500, look);
        };
        look();
      });
    },
  };
}

interface Again {
  readonly mark: string;
  readonly answers: InputResponses;
  readonly state: string;
}

function argsOf({ ms, steps, key }: Errand['act']): object {
  return { ms, steps, ...(key !== undefined && { key }) };
}

function callerOf({ badge }: JobClientPlan): Caller {
  if (badge === 'owner') return { principal: 'local', scopes: ['*'], roots: [] };
  const scopes = badge === 'reader' ? ['read:*'] : ['*', 'deny:write'];
  return { principal: badge, scopes, roots: [], credential: `client_${badge}` };
}
