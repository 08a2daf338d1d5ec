import { CallError } from '#core/call-error.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Provider, ProviderId } from '#core/provider.ts';
import type { Candidate, Explanation } from '#core/route.ts';
import { roomOf, type Asking } from './asking.ts';
import { describeFit, fit } from './context/fit.ts';
import { makePlan } from './make-plan.ts';
import type { PlannedModel } from './plan.ts';
import type { RouteWorld } from './route-world.ts';
import { writeChat } from './run/write-chat.ts';
import { intentModels } from './side-questions.ts';

type Providers = ReadonlyMap<ProviderId, Provider>;

/** What would happen to a request, without asking anybody. */
export async function explainAsking(
  asking: Pick<Asking, 'measured' | 'facts'>,
  world: RouteWorld,
  providers: Providers,
  payload: 'with_payload' | 'plan_only',
  classifies: 'yes' | 'no' = 'yes',
): Promise<Explanation> {
  const { measured, facts } = asking;
  const planned = makePlan(facts, world);
  if (planned.is === 'nobody') {
    const { error, tried, leftOut } = planned;
    return { facts, error: error.toJSON(), tried, leftOut, context: [] };
  }
  const { plan } = planned;
  const { tried, leftOut } = plan;
  const [first] = plan.candidates;
  const told: Explanation = {
    facts,
    plan: {
      ...plan,
      candidates: plan.candidates.map(shown),
      notices: [...plan.notices, ...(classifies === 'yes' ? unclearNotice(asking, world) : [])],
    },
    tried,
    leftOut,
    context: first ? describeFit(measured, roomOf(first, world)) : [],
  };
  if (payload === 'plan_only' || !first) return told;
  return { ...told, ...(await preview(asking, first, world, providers)) };
}

async function preview(
  { measured }: Pick<Asking, 'measured'>,
  first: PlannedModel,
  world: RouteWorld,
  providers: Providers,
): Promise<Pick<Explanation, 'payload' | 'noPayload'>> {
  const provider = providers.get(first.provider);
  if (!provider?.preview) return { noPayload: `${first.provider} is asked nothing over a wire.` };
  try {
    const { messages, cacheKey } = await fit(measured, roomOf(first, world));
    const request = writeChat(measured.request, first, { messages }, cacheKey);
    return { payload: provider.preview(request) };
  } catch (thrown) {
    return { noPayload: CallError.from(thrown).message };
  }
}

/** A real request would be looked at by a model first, which nobody asks here. */
function unclearNotice(
  asking: Pick<Asking, 'measured' | 'facts'>,
  world: RouteWorld,
): readonly Notice[] {
  const [model] = intentModels(asking, world);
  return model ? [notice('classifier_not_asked', { model: model.id })] : [];
}

/** Without what the catalogue knows of it. */
function shown(candidate: PlannedModel): Candidate {
  const { entry, ...told } = candidate;
  return { ...told, model: entry.id };
}
