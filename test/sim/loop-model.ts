import { CallError } from '#core/errors/call-error.ts';
import type { AskAnswer, AskReport, AskRequest } from '#core/llm/ask.ts';
import type { ToolCall } from '#core/llm/chat.ts';
import type { Clock } from '#core/time/clock.ts';
import type { SeededRandom } from './random.ts';

export interface LoopModel {
  ask(request: AskRequest, onReport: (report: AskReport) => void): Promise<AskAnswer>;
  /** Whether this error came from here. */
  failed(error: unknown): boolean;
}

interface LoopModelWorld {
  readonly clock: Clock;
  readonly deadline: { readonly at: number };
  readonly names: readonly string[];
}

/** `forever`: calls tools as long as it may, or even if it may not. */
type Manner = 'sensible' | 'forever' | 'stubborn' | 'confused' | 'fails';

const ARGUMENTS = [
  '{}',
  '{"city":"Oslo"}',
  '{"city":"Oslo","deep":{"a":[1,2]}}',
  '{"city": "Os',
  '{"city":',
  '',
  'city=Oslo',
  '[]',
  'null',
  '"{}"',
  '{"a":1}{"a":1}',
  "{'city': 'Oslo'}",
] as const;

/** A model that calls tools, as well or as badly as its seed makes it. */
export function createLoopModel(random: SeededRandom, world: LoopModelWorld): LoopModel {
  const { clock, deadline, names } = world;
  const manner: Manner = random.pick(['sensible', 'forever', 'stubborn', 'confused', 'fails']);
  const errors = new Set<unknown>();
  const written = [...names, 'no_such_tool', `functions.${names[0] ?? ''}`, 'a b!', ''];

  function calls(): readonly ToolCall[] {
    const count = manner === 'confused' ? random.between(1, 20) : random.between(1, 3);
    return Array.from({ length: count }, (_, at) => ({
      id: random.pick(['', 'call_1', `call_${at}`, `call_${at}`, `call_${at}`]),
      name: random.pick(random.chance(0.7) ? names : written),
      arguments: random.pick(random.chance(0.6) ? ARGUMENTS.slice(0, 3) : ARGUMENTS),
    }));
  }

  return {
    failed: (error) => errors.has(error),
    async ask(request, onReport) {
      const takesMs = random.pick([0, 300, 2_000, 20_000]);
      const leftMs = deadline.at - clock.monotonic();
      await new Promise<void>((resolve) => void clock.after(Math.min(takesMs, leftMs), resolve));
      const costMicroUsd = random.between(0, 4_000);
      const report = { ...REPORT, costMicroUsd };
      const broken = refusal(request, takesMs > leftMs);
      if (broken) {
        onReport({ ...REPORT, costMicroUsd: 0 });
        errors.add(broken);
        throw broken;
      }
      onReport(report);
      const mayCall = request.toolChoice !== 'none' || manner === 'stubborn';
      const wants =
        manner === 'forever' ||
        manner === 'stubborn' ||
        random.chance(manner === 'confused' ? 0.8 : 0.6);
      const toolCalls = mayCall && wants ? calls() : [];
      return {
        ...ANSWER,
        text: random.pick(['', 'I look.', 'It rains.']),
        toolCalls,
        finish: toolCalls.length > 0 ? 'tool_calls' : 'stop',
        report,
      };
    },
  };

  function refusal(request: AskRequest, isLate: boolean): CallError | undefined {
    if (isLate) return new CallError('timeout', 'The time is over.');
    if (request.maxCostMicroUsd === 0) return new CallError('budget', 'The limit is reached.');
    if (manner !== 'fails' || random.chance(0.7)) return undefined;
    return new CallError(random.pick(['network', 'overloaded', 'bad_response'] as const), 'No.');
  }
}

const REPORT: AskReport = {
  reasons: [],
  attempts: [],
  notices: [],
  costMicroUsd: 0,
  costKnown: true,
  quality: 'full',
};

const ANSWER: AskAnswer = {
  text: '',
  reasoning: '',
  reasoningDetails: [],
  toolCalls: [],
  citations: [],
  finish: 'stop',
  provider: 'kimi',
  model: 'kimi-k2.6',
  seams: [],
  report: REPORT,
};
