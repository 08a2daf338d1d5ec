import type { AskRequest } from '#core/llm/ask.ts';
import { fit, type Fitted } from '#manager/context/fit.ts';
import { measure } from '#manager/context/measure.ts';
import { readFacts } from '#manager/classify/facts.ts';
import { makePlan } from '#manager/route/plan.ts';
import { askedBy } from './ask-context.ts';
import { createRoutingSubject } from './routing-subject.ts';

/** Everything that is done with a request before somebody is asked. */
export type Decide = (request: AskRequest) => Promise<Fitted>;

/** With the keys of all vendors, and a catalogue of so many models. */
export async function createDecider(models: number): Promise<Decide> {
  const { config, routingState, calibration } = await createRoutingSubject(
    [
      { id: 'kimi', capabilities: ['web_search', 'prefix'] },
      { id: 'glm', capabilities: ['web_search'] },
      { id: 'openrouter', capabilities: [] },
      { id: 'extractive', capabilities: [] },
    ],
    models,
  );
  const by = askedBy();
  return async (request) => {
    const measured = measure(request);
    const facts = readFacts(measured, by, config);
    const planned = makePlan(facts, routingState(by.caller.principal));
    if (planned.is === 'no_candidate') throw planned.error;
    const [first] = planned.plan.candidates;
    if (!first || first.isLastResort) throw new Error('nobody but the last resort would answer');
    const { entry, roomTokens } = first;
    return fit(measured, {
      roomTokens,
      correction: calibration.correction(entry.provider, entry.id),
      contextTokens: entry.contextTokens,
    });
  };
}
