import type { AskAnswer, AskListener, AskReport, AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Progress } from '#core/calls/call.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Json } from '#core/json/json.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { Threads } from '#core/threads.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import type { Workspace } from '#core/workspace.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { intakeOver } from '../../../test/intake-over.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { consensus, type ConsensusDeps } from './consensus.ts';
import { ConsensusShape, type ConsensusContent } from './result.ts';

/** How a fake model answers one question. */
export interface FakeReply {
  /** 0 by default. */
  readonly afterMs?: number;
  /** The answer, or the error. */
  readonly says: string | CallError;
  readonly costMicroUsd?: number;
  readonly answer?: Partial<AskAnswer>;
}

/** Answers by model and round. */
export type FakeReplies = (model: string, round: 1 | 2, request: AskRequest) => FakeReply;

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

export interface FakeModels {
  readonly clock: FakeClock;
  readonly context: ToolContext;
  readonly asked: AskRequest[];
  readonly steps: Progress[];
  readonly checkpoints: readonly Json[];
  readonly cancel: AbortController;
  /** Of the running requests. */
  readonly running: () => number;
  /** Advances the clock second by second until the work is done. */
  drive<T>(work: Promise<T>): Promise<T>;
}

/** A fake ask function that honours timeouts and signals like the manager. */
export function createFakeModels(
  script: FakeReplies,
  callMs = 300_000,
  clock = createFakeClock(),
  resumedFrom?: Json,
): FakeModels {
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
    answers: NO_INPUT_RESPONSES,
    clientCapabilities: [],
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
      // Handled below, where it is awaited.
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

/** The built-in catalogue with these models usable in these roles. */
export function directoryWith(
  roles: Readonly<Record<string, readonly string[]>>,
): Pick<ModelDirectory, 'models' | 'providers' | 'resolve'> {
  return {
    models: () =>
      catalogue.models.map((model) => ({
        model,
        isUsable: Object.hasOwn(roles, model.id),
        roles: roles[model.id] ?? [],
      })),
    providers: () => [
      { id: 'kimi', title: 'Kimi', configured: true, can: [] },
      { id: 'glm', title: 'GLM', configured: false, can: [], fix: 'exai keys add glm' },
    ],
    resolve: (name) => catalogue.resolve(name),
  };
}

export const DIRECTORY = directoryWith({
  'kimi-k3': ['kimiQuality'],
  'kimi-k2.6': ['kimiDefault', 'kimiSpeed'],
  'glm-5.3': ['glmQuality'],
  'glm-4.7-flash': ['glmSpeed', 'manager'],
});

/** The same with a custom server and OpenRouter, whose models no list has. */
export function withOthers(modelDirectory: typeof DIRECTORY): typeof DIRECTORY {
  return {
    ...modelDirectory,
    providers: () => [
      ...modelDirectory.providers(),
      { id: 'custom', title: 'Own', configured: true, can: [] },
      { id: 'openrouter', title: 'OpenRouter', configured: true, can: [] },
    ],
  };
}

/** A workspace without files. */
export const NO_FILES: Pick<Workspace, 'read'> = {
  async read([path = ''], field) {
    throw new CallError('not_found', `There is no file ${path}.`, { field });
  },
};

/** Threads that store nothing. */
export const EMPTY_THREADS: Pick<Threads, 'open'> = {
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
      append: async () => continuation,
    };
  },
};

export const THREE = [{ model: 'kimi-k3' }, { model: 'glm-5.3' }, { model: 'glm-4.7-flash' }];

export function allSay(position: string): FakeReplies {
  return () => ({ says: frame(position) });
}

export function failing(errorClass: ErrorClass, message = 'It is away.'): CallError {
  return new CallError(errorClass, message);
}

export type ConsensusToolResult = ToolResult & { readonly content: ConsensusContent };

export interface ConsensusBench {
  readonly opened: OpenedThreads;
  readonly toolOn: (fake: FakeModels, more?: Partial<ConsensusDeps>) => Tool;
  /** Runs until no request is left. */
  readonly run: (
    args: object,
    fake: FakeModels,
    more?: Partial<ConsensusDeps>,
  ) => Promise<ConsensusToolResult>;
}

/**
 * The tool over real conversations. One for all tests without special needs, as in a daemon: it
 * holds no state.
 */
export async function openConsensusBench(): Promise<ConsensusBench> {
  const opened = await openThreads();
  let clock: Pick<FakeClock, 'monotonic'> = opened.clock;
  const toolWith = (more: Partial<ConsensusDeps>) =>
    consensus({
      threads: opened.threads,
      fileIntake: intakeOver(NO_FILES),
      modelDirectory: DIRECTORY,
      clock: { monotonic: () => clock.monotonic() },
      locale: '',
      ...more,
    });
  const usual = toolWith({});
  const toolOn: ConsensusBench['toolOn'] = (fake, more) => {
    ({ clock } = fake);
    return more ? toolWith(more) : usual;
  };
  return {
    opened,
    toolOn,
    async run(args, fake, more) {
      const tool = toolOn(fake, more);
      const parsed = tool.parse({ prompt: 'Shall we move to PostgreSQL?', ...args });
      const answer = (await fake.drive(tool.run(parsed, fake.context))) as ConsensusToolResult;
      const { error } = ConsensusShape.safeParse(answer.content);
      if (error) throw error;
      if (fake.running() + fake.clock.waiting > 0) throw new Error('Somebody is still asked.');
      return answer;
    },
  };
}
