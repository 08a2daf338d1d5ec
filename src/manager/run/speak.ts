import type { AskListener } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Provider } from '#core/provider.ts';
import { createOpening } from '#resilience/opening.ts';
import { createSeam, type Seam } from '#resilience/overlap.ts';
import type { Fitted } from '../context/fitted.ts';
import type { PlannedModel } from '../plan.ts';
import { reasonOf } from '../reason-of.ts';
import { askOnce, type Once } from './ask-once.ts';
import { continueFrom, type Continuation } from './continuation.ts';
import type { Run, RunDeps } from './run-plan.ts';
import { othersIn, tell, type RunState } from './run-state.ts';
import { createCallTeller } from './tell-calls.ts';
import { shareTime } from './time-share.ts';
import { writeChat } from './write-chat.ts';

/** The provider is asked, and what it says is told as it comes; what others said before is gone on with. */
export async function speak(
  provider: Provider,
  candidate: PlannedModel,
  fitted: Fitted,
  state: RunState,
  run: Run,
  { patience, clock }: RunDeps,
): Promise<Once> {
  const { request, listener, signal } = run;
  // Half an object is of no use to anybody, so it is told when it is whole.
  const tellsWords = request.responseFormat === undefined;
  const before = state.told;
  const { messages } = fitted;
  const conversation: Continuation =
    before === '' ? { messages } : continueFrom(messages, before, provider);
  const seam = before === '' ? createOpening() : seamOf(conversation, before);
  const release = () => tell(state, listener, seam.end());
  const { provider: id, model } = candidate;
  const calls = createCallTeller(state, tellingAfter(release, listener));
  const after = state.failures.at(-1)?.class;
  const attempt = run.ledger.attempts.length + 1;
  listener.onAsked?.({
    provider: id,
    model,
    attempt,
    promptTokens: fitted.tokens,
    ...(after && { after }),
  });
  const about = { delivery: request.delivery ?? 'stream', othersLeft: othersIn(state) };
  const once = await askOnce({
    provider,
    request: writeChat(request, candidate, conversation, fitted.cacheKey),
    context: { ...shareTime(run.deadline, patience, about, clock), signal },
    clock,
    conceal: run.conceal,
    onEvent(event) {
      if (event.type === 'text') {
        if (tellsWords) tell(state, listener, seam.add(event.text));
      } else if (event.type === 'reasoning') {
        // Who goes on with an answer thinks anew; its reader has begun to read, and takes thoughts for the beginning of another.
        if (before === '') listener.onReasoning?.(event.text);
      } else if (event.type === 'tool_call') calls.take(event);
    },
  });
  // Of an answer that broke off, what is held back is too little to be known again, or may be a repetition that was cut
  // short; the next goes on without it.
  if (once.outcome.is === 'answered') {
    release();
    calls.end();
  }
  if (before === '') return once;
  if (state.told.length > before.length) {
    const failure = state.failures.at(-1);
    const reason = reasonOf(failure ?? new CallError('interrupted', ''));
    state.seams.push({ at: before.length, provider: id, model, reason });
    return once;
  }
  const { outcome } = once;
  const isRepetition = outcome.is === 'answered' && outcome.answer.toolCalls.length === 0;
  return isRepetition ? nothingNew(once, { provider: id, model }) : once;
}

/** What was said before a call comes before it; and nobody can go on from there, so nothing has to be known again. */
function tellingAfter(release: () => void, listener: AskListener): Pick<AskListener, 'onToolCall'> {
  if (!listener.onToolCall) return {};
  return {
    onToolCall(piece) {
      release();
      listener.onToolCall?.(piece);
    },
  };
}

/** Whose vendor goes on from a prefix repeats nothing, so nothing that looks like it is left out. */
function seamOf({ continuation }: Continuation, before: string): Seam {
  return continuation === 'prefix' ? { add: (text) => text, end: () => '' } : createSeam(before);
}

/** Whoever says once more what was said has not gone on, however well it ended. */
function nothingNew(once: Once, who: { provider: string; model: string }): Once {
  const { answer } = once.outcome;
  const error = new CallError('empty_response', 'It only repeated what was there already.', who);
  return { ...once, outcome: { is: 'failed', answer, error } };
}
