import type { Json } from '#core/json/json.ts';
import type { AskAnswer, AskRequest } from '#core/llm/ask.ts';
import type { LoopCallContext, LoopStep, LoopTool, ToolLoopResult } from '#core/llm/tool-loop.ts';

interface RunningCall extends LoopCallContext {
  readonly tool: string;
  readonly effect: LoopTool['effect'];
}

export interface LoopWatch {
  /** A run begins from what is stored. */
  begins(stored: Json | undefined): void;
  dies(): void;
  asks(request: AskRequest, limit: number | undefined): void;
  spends(costMicroUsd: number): void;
  answers(answer: AskAnswer): void;
  /** A tool begins; the returned function says that it has ended. */
  runs(call: RunningCall): () => void;
  ends(result: ToolLoopResult | undefined): void;
  violate(rule: string, what: string): void;
  result(): { readonly violations: readonly string[]; readonly calls: number };
}

const NAME = /^[a-zA-Z_][\w-]{0,63}$/;
const MAX_PARALLEL = 8;
const MAX_CALLS_A_ROUND = 16;

/** What holds of every tool loop, whatever its model, its tools and its machine do. */
export function createLoopWatch(): LoopWatch {
  const violations: string[] = [];
  /** Calls that write, by round and place: each runs once in all runs. */
  const writes = new Map<string, number>();
  let phase: 'running' | 'dead' | 'over' = 'running';
  let running: RunningCall[] = [];
  let calls = 0;
  let run = 0;
  let spent = 0;
  let storedAnswers = 0;
  let asked = 0;
  let isLast = false;
  let lastAnswer: AskAnswer | undefined;
  let inRound: { round: number; count: number } = { round: 0, count: 0 };

  const violate = (rule: string, what: string) => void violations.push(`${rule}: ${what}`);

  return {
    violate,
    begins(stored) {
      run += 1;
      phase = 'running';
      running = [];
      asked = 0;
      isLast = false;
      const { loop = [] } = (stored ?? {}) as { readonly loop?: readonly LoopStep[] };
      const answers = loop.flatMap((step) => (step.type === 'answer' ? [step.answer] : []));
      storedAnswers = answers.length;
      lastAnswer = answers.at(-1);
      const results = loop.flatMap((step) => (step.type === 'result' ? [step.result] : []));
      spent =
        answers.reduce((sum, { report }) => sum + report.costMicroUsd, 0) +
        results.reduce((sum, { costMicroUsd = 0 }) => sum + costMicroUsd, 0);
    },
    dies: () => void (phase = 'dead'),
    asks(request, limit) {
      if (phase !== 'running') return;
      asked += 1;
      const rounds = request.messages.filter(({ role }) => role === 'assistant').length;
      if (rounds < storedAnswers)
        violate('again', `Round ${rounds + 1} is asked, and was answered`);
      if (isLast) violate('last', 'A model is asked after it had to answer');
      isLast = request.toolChoice === 'none';
      checkMessages(request.messages);
      const left = limit === undefined ? undefined : Math.max(0, limit - spent);
      if (request.maxCostMicroUsd !== left) {
        violate('cost', `${left} are left, and ${request.maxCostMicroUsd} may be spent`);
      }
    },
    spends(costMicroUsd) {
      if (phase === 'running') spent += costMicroUsd;
    },
    answers(answer) {
      if (phase === 'running') lastAnswer = answer;
    },
    runs(call) {
      if (phase === 'over') violate('after', `${call.tool} runs after the end`);
      if (phase !== 'running') return () => undefined;
      calls += 1;
      if (call.round !== inRound.round) inRound = { round: call.round, count: 0 };
      inRound.count += 1;
      if (inRound.count > MAX_CALLS_A_ROUND * run) violate('round', `${inRound.count} calls in it`);
      // One that ignores its signal is left behind, and another may begin.
      const beside = running.filter(({ signal }) => !signal.aborted);
      if (beside.length >= MAX_PARALLEL) violate('parallel', `${beside.length + 1} calls at once`);
      const isAlone = beside.length === 0;
      const isOfWrites = [call, ...beside].some(({ effect }) => effect === 'writes');
      if (!isAlone && isOfWrites) violate('alone', `${call.tool} runs beside ${beside[0]?.tool}`);
      if (call.effect === 'writes') countWrite(call);
      running.push(call);
      return () => void (running = running.filter((each) => each !== call));
    },
    ends(result) {
      phase = 'over';
      if (!result) return;
      const { end, returned, messages, reason } = result;
      if (end !== 'answered' && !reason) violate('end', `${end} has no reason`);
      if ((end === 'calls_returned') !== returned.length > 0) {
        violate('end', `${end}, and ${returned.length} calls are given back`);
      }
      checkMessages(messages, new Set(returned.map(({ id }) => id)));
      if (asked > 0 && result.answer !== lastAnswer) violate('end', 'The last answer is another');
    },
    result: () => ({ violations, calls }),
  };

  /** Within a round, the same tool is called as often as the model wrote it. */
  function countWrite({ tool, round }: RunningCall): void {
    const key = `${round} ${tool}`;
    const count = (writes.get(key) ?? 0) + 1;
    writes.set(key, count);
    const named = lastAnswer?.toolCalls.filter(({ name }) => name.endsWith(tool)).length ?? 0;
    if (count > named)
      violate('twice', `${tool} of round ${round} runs ${count} times, not ${named}`);
  }

  /** A conversation that every vendor takes. */
  function checkMessages(
    messages: AskRequest['messages'],
    open: ReadonlySet<string> = new Set(),
  ): void {
    let expected: string[] = [];
    for (const message of messages) {
      if (message.role === 'tool') {
        const at = expected.indexOf(message.toolCallId);
        if (at === -1) violate('messages', `A result for ${message.toolCallId}, which is not open`);
        else expected.splice(at, 1);
        if (message.content === '') violate('messages', 'A result without a text');
        continue;
      }
      if (expected.some((id) => !open.has(id)))
        violate('messages', `No result for ${expected.join()}`);
      expected = [];
      if (message.role !== 'assistant') continue;
      const made = message.toolCalls ?? [];
      expected = made.map(({ id }) => id);
      if (new Set(expected).size !== expected.length) violate('messages', 'Ids are not unique');
      for (const { id, name, arguments: args } of made) {
        if (id === '' || !NAME.test(name)) violate('messages', `The call "${id}" of "${name}"`);
        const read: unknown = JSON.parse(args);
        if (typeof read !== 'object' || read === null || Array.isArray(read)) {
          violate('messages', `Arguments ${args}`);
        }
      }
    }
    if (expected.some((id) => !open.has(id)))
      violate('messages', `No result for ${expected.join()}`);
  }
}
