import type { AskRequest } from '#core/ask.ts';
import { fit } from '#manager/context/fit.ts';
import type { Fitted } from '#manager/context/fitted.ts';
import { measure } from '#manager/context/measure.ts';
import { readFacts } from '#manager/facts.ts';
import { makePlan } from '#manager/make-plan.ts';
import { askedBy } from './asked-by.ts';
import { createSubjectWorld } from './subject-world.ts';

/** Everything that is done with a request before somebody is asked. */
export type Decide = (request: AskRequest) => Promise<Fitted>;

/** With the keys of all vendors, and a catalogue of so many models. */
export async function createDecider(models: number): Promise<Decide> {
  const { config, world, corrections } = await createSubjectWorld(
    [
      { id: 'kimi', can: ['web_search', 'prefix'] },
      { id: 'glm', can: ['web_search'] },
      { id: 'openrouter', can: [] },
      { id: 'local', can: [] },
    ],
    models,
  );
  const by = askedBy();
  return async (request) => {
    const measured = measure(request);
    const facts = readFacts(measured, by, config);
    const planned = makePlan(facts, world(by.caller.principal));
    if (planned.is === 'nobody') throw planned.error;
    const [first] = planned.plan.candidates;
    if (!first || first.isLastResort) throw new Error('nobody but the last resort would answer');
    const { entry, roomTokens } = first;
    return fit(measured, {
      roomTokens,
      correction: corrections.correction(entry.provider, entry.id),
      contextTokens: entry.contextTokens,
    });
  };
}
