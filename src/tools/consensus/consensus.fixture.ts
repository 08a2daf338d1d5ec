import type { AskAnswer, AskListener, AskReport, AskRequest } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Progress } from '#core/call.ts';
import { deadlineIn } from '#core/deadline.ts';
import type { ErrorClass } from '#core/error-class.ts';
import type { Json } from '#core/json.ts';
import { NO_ANSWERS } from '#core/question.ts';
import type { Threads } from '#core/threads.ts';
import type { Tool, ToolAnswer, ToolContext } from '#core/tool.ts';
import type { Workspace } from '#core/workspace.ts';
import type { ModelDesk } from '#models/desk.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { consensus, type ConsensusDeps } from './consensus.ts';
import { ConsensusShape, type ConsensusContent } from './content.ts';

/** How somebody answers one question. */
export interface Line {
  /** 0 unless told. */
  readonly afterMs?: number;
  /** What is said, or how it fails. */
  readonly says: string | CallError;
  readonly costMicroUsd?: number;
  readonly answer?: Partial<AskAnswer>;
}

/** What the models say, by model and round. */
export type Script = (model: string, round: 1 | 2, request: AskRequest) => Line;

export function frame(position: string, confidence = 0.8, more: object = {}): string {
  const verdict = `I ${position}.`;
  return JSON.stringify({
    verdict,
    position,
    confidence,
    reasons: ['Because.'],
    risks: [],
    ...more,
  });
}

export interface Stage {
  readonly clock: FakeClock;
  readonly context: ToolContext;
  readonly asked: AskRequest[];
  readonly steps: Progress[];
  readonly checkpoints: readonly Json[];
  readonly cancel: AbortController;
  /** Of those asked now. */
  readonly running: () => number;
  /** Moves time on until it is over, second by second. */
  drive<T>(work: Promise<T>): Promise<T>;
}

/** Somebody to ask who heeds time-outs and signals as the manager does. */
export function openStage(
  script: Script,
  callMs = 300_000,
  clock = createFakeClock(),
  resumedFrom?: Json,
): Stage {
  const asked: AskRequest[] = [];
  const steps: Progress[] = [];
  const cancel = new AbortController();
  let running = 0;

  async function ask(request: AskRequest, listener: AskListener = {}): Promise<AskAnswer> {
    asked.push(request);
    const model = request.model ?? 'auto';
    const { messages, timeoutMs = Infinity } = request;
    const isSecond = messages.at(-2)?.role === 'assistant' && messages.length > 2;
    const line = script(model, isSecond ? 2 : 1, request);
    const { afterMs = 0, says, costMicroUsd = 0 } = line;
    running += 1;
    try {
      await until(Math.min(afterMs, timeoutMs), clock, cancel.signal);
      const isLate = afterMs >= timeoutMs;
      const isGood = !isLate && typeof says === 'string';
      const provider = model.startsWith('glm') ? 'glm' : 'kimi';
      const report = reportOf(costMicroUsd, isGood);
      listener.onReport?.(report);
      if (isLate) throw new CallError('timeout', 'The deadline has passed.', { model });
      if (typeof says !== 'string') throw says;
      return { ...ANSWER, text: says, provider, model, report, ...line.answer };
    } finally {
      running -= 1;
    }
  }

  const checkpoints: Json[] = [];
  const context = {
    reqId: 'req_1',
    resumedFrom,
    checkpoint: (state: Json) => void checkpoints.push(state),
    tool: 'consensus',
    caller: { principal: 'local', scopes: ['*'], roots: ['/work'] },
    deadline: deadlineIn(clock, callMs),
    signal: cancel.signal,
    answers: NO_ANSWERS,
    askable: [],
    progress: (step: Progress) => void steps.push(step),
    ask,
  } as Partial<ToolContext> as ToolContext;

  return {
    clock,
    context,
    asked,
    steps,
    checkpoints,
    cancel,
    running: () => running,
    async drive(work) {
      let over = false;
      const ended = work.finally(() => (over = true));
      // Looked at below, where it is waited for.
      ended.catch(() => undefined);
      while (!over) {
        await new Promise((resolve) => setImmediate(resolve));
        if (!over && clock.waiting > 0) clock.advance(1000);
      }
      return ended;
    },
  };
}

function until(ms: number, clock: FakeClock, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, resolve);
    signal.addEventListener('abort', () => {
      timer.stop();
      reject(CallError.from(signal.reason));
    });
  });
}

function reportOf(costMicroUsd: number, isGood: boolean): AskReport {
  return {
    reasons: [],
    attempts: [],
    notices: [],
    costMicroUsd,
    costKnown: true,
    quality: 'full',
    ...(isGood && {
      usage: { input: 10, output: 5, cached: 1, reasoning: 2, estimated: false },
    }),
  };
}

const ANSWER: AskAnswer = {
  text: '',
  reasoning: '',
  reasoningDetails: [],
  toolCalls: [],
  citations: [],
  finish: 'stop',
  provider: 'kimi',
  model: '',
  seams: [],
  report: reportOf(0, true),
};

const catalogue = createCatalogue();

/** The built-in catalogue, with these in use and their roles. */
export function deskWith(
  roles: Readonly<Record<string, readonly string[]>>,
): Pick<ModelDesk, 'models' | 'providers' | 'resolve'> {
  return {
    models: () =>
      catalogue.models.map((model) => ({
        model,
        usable: Object.hasOwn(roles, model.id) ? 'yes' : 'no',
        roles: roles[model.id] ?? [],
      })),
    providers: () => [
      { id: 'kimi', title: 'Kimi', configured: true, can: [] },
      { id: 'glm', title: 'GLM', configured: false, can: [], fix: 'exai keys add glm' },
    ],
    resolve: (name) => catalogue.resolve(name),
  };
}

export const DESK = deskWith({
  'kimi-k3': ['kimiQuality'],
  'kimi-k2.6': ['kimiDefault', 'kimiSpeed'],
  'glm-5.3': ['glmQuality'],
  'glm-4.7-flash': ['glmSpeed', 'manager'],
});

/** The same beside a server of one's own and OpenRouter, both with models that no list has. */
export function withOthers(desk: typeof DESK): typeof DESK {
  return {
    ...desk,
    providers: () => [
      ...desk.providers(),
      { id: 'custom', title: 'Own', configured: true, can: [] },
      { id: 'openrouter', title: 'OpenRouter', configured: true, can: [] },
    ],
  };
}

/** Nothing is on the disk. */
export const NO_FILES: Pick<Workspace, 'read'> = {
  async read([path = ''], field) {
    throw new CallError('not_found', `There is no file ${path}.`, { field });
  },
};

/** Remembers nothing, where that is no matter. */
export const FORGETFUL: Pick<Threads, 'open'> = {
  async open() {
    const continuation = { id: 'conv_1', remainingTurns: 9, note: '' } as const;
    return {
      id: continuation.id,
      is: 'new',
      model: undefined,
      turns: 0,
      history: [],
      historyWithout: () => [],
      files: [],
      stateOf: () => null,
      continuation: () => continuation,
      keep: async () => continuation,
    };
  },
};

export const THREE = [{ model: 'kimi-k3' }, { model: 'glm-5.3' }, { model: 'glm-4.7-flash' }];

export function allSay(position: string): Script {
  return () => ({ says: frame(position) });
}

export function failing(errorClass: ErrorClass, message = 'It is away.'): CallError {
  return new CallError(errorClass, message);
}

export type Told = ToolAnswer & { readonly content: ConsensusContent };

export interface Troupe {
  readonly opened: OpenedThreads;
  readonly toolOn: (stage: Stage, more?: Partial<ConsensusDeps>) => Tool;
  /** To its end, when nobody may be asked any more. */
  readonly run: (args: object, stage: Stage, more?: Partial<ConsensusDeps>) => Promise<Told>;
}

/** The tool over real conversations. One for all that want nothing special, as in a daemon: it holds nothing between calls. */
export async function openTroupe(): Promise<Troupe> {
  const opened = await openThreads();
  let clock: Pick<FakeClock, 'monotonic'> = opened.clock;
  const toolWith = (more: Partial<ConsensusDeps>) =>
    consensus({
      threads: opened.threads,
      workspace: NO_FILES,
      desk: DESK,
      clock: { monotonic: () => clock.monotonic() },
      locale: '',
      ...more,
    });
  const usual = toolWith({});
  const toolOn: Troupe['toolOn'] = (stage, more) => {
    ({ clock } = stage);
    return more ? toolWith(more) : usual;
  };
  return {
    opened,
    toolOn,
    async run(args, stage, more) {
      const tool = toolOn(stage, more);
      const parsed = tool.parse({ prompt: 'Shall we move to PostgreSQL?', ...args });
      const answer = (await stage.drive(tool.run(parsed, stage.context))) as Told;
      const { error } = ConsensusShape.safeParse(answer.content);
      if (error) throw error;
      if (stage.running() + stage.clock.waiting > 0) throw new Error('Somebody is still asked.');
      return answer;
    },
  };
}
