import { CallError } from '#core/errors/call-error.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { FileSupply } from '#core/llm/file-supply.ts';
import type { PictureSupply } from '#core/llm/picture-supply.ts';
import type { Provider, ProviderId } from '#core/llm/provider.ts';
import type { Candidate, RouteExplanation } from '#core/llm/route.ts';
import type { StreamTimeouts } from '#core/llm/stream-timeouts.ts';
import { reason } from '#core/messages/reasons.ts';
import { modelTimeouts } from '#models/timeouts.ts';
import { promptRoom, type AskState } from './ask-state.ts';
import { describeFit, fit } from './context/fit.ts';
import { fitPictures } from './context/fit-pictures.ts';
import { describeSupply } from './context/supplied-files.ts';
import type { Latencies } from './latencies.ts';
import { makePlan, type AskPlan, type PlannedModel } from './route/plan.ts';
import type { RoutingState } from './route/routing-state.ts';
import { hedgeAfterMs, mayHedge, type HedgeMode } from './run/hedging.ts';
import { upstreamDelivery } from './run/upstream-delivery.ts';
import { usualFirstTokenMs } from './run/usual-time.ts';
import { buildChatRequest } from './run/stream-attempt.ts';
import { classifierModels } from './internal-asks.ts';

type Providers = ReadonlyMap<ProviderId, Provider>;

export interface ExplainDeps {
  readonly providers: Providers;
  readonly fileSupply?: Pick<FileSupply, 'route'>;
  readonly pictureSupply?: PictureSupply;
  readonly timeouts: StreamTimeouts;
  readonly hedge?: HedgeMode;
  readonly latencies?: Pick<Latencies, 'usualMs'>;
}

/** Explains the route of a request without calling a model. */
export async function explainRoute(
  askState: Pick<AskState, 'measured' | 'facts' | 'by'>,
  routing: RoutingState,
  deps: ExplainDeps,
  payload: 'with_payload' | 'plan_only',
  classifier: 'on' | 'off' = 'on',
): Promise<RouteExplanation> {
  const { measured, facts } = askState;
  const { fileSupply } = deps;
  const planned = makePlan(facts, routing);
  if (planned.is === 'no_candidate') {
    const { error, tried, leftOut } = planned;
    return { facts, error: error.toJSON(), tried, leftOut, context: [] };
  }
  const { plan } = planned;
  const { tried, leftOut, class: requestClass, confidence, rule, reasons } = plan;
  const [first] = plan.candidates;
  const explanation: RouteExplanation = {
    facts,
    plan: {
      class: requestClass,
      confidence,
      rule,
      reasons,
      tried,
      candidates: withHedge(plan, askState, deps).map(shown),
      leftOut,
      notices: [...plan.notices, ...(classifier === 'on' ? unclearNotice(askState, routing) : [])],
    },
    tried,
    leftOut,
    context: first
      ? [
          ...describeFit(measured, promptRoom(first, routing)),
          ...(fileSupply && !first.isLastResort
            ? describeSupply(measured, first, plan, fileSupply)
            : []),
        ]
      : [],
  };
  if (payload === 'plan_only' || !first) return explanation;
  return { ...explanation, ...(await preview(askState, first, routing, deps)) };
}

async function preview(
  askState: Pick<AskState, 'measured' | 'facts' | 'by'>,
  first: PlannedModel,
  routing: RoutingState,
  deps: ExplainDeps,
): Promise<Pick<RouteExplanation, 'payload' | 'noPayload'>> {
  const { measured } = askState;
  const provider = deps.providers.get(first.provider);
  if (!provider?.preview) return { noPayload: `${first.provider} is asked nothing over a wire.` };
  try {
    const { messages, cacheKey, tokens } = await fit(measured, promptRoom(first, routing));
    const pictures = await fitPictures(messages, first, askState, deps);
    const delivery = upstreamDelivery(first, measured.request, tokens, deps);
    const request = buildChatRequest(measured.request, first, pictures, { cacheKey, delivery });
    return { payload: provider.preview(request) };
  } catch (thrown) {
    return { noPayload: CallError.from(thrown).message };
  }
}

/** A notice that a real request would be classified by a model first. */
function unclearNotice(
  askState: Pick<AskState, 'measured' | 'facts'>,
  routing: RoutingState,
): readonly Notice[] {
  const [model] = classifierModels(askState, routing);
  return model ? [notice('classifier_not_asked', { model: model.id })] : [];
}

/** The candidates, with a remark on the one that is asked as well while the first is silent. */
function withHedge(
  plan: AskPlan,
  { measured: { request, tokens } }: Pick<AskState, 'measured'>,
  { hedge, latencies, timeouts }: ExplainDeps,
): readonly PlannedModel[] {
  const { candidates, first } = plan;
  const isHedge = ({ provider, isLastResort }: PlannedModel) =>
    !isLastResort && provider !== first.provider;
  const next = candidates.find(isHedge);
  if (!next || first.isLastResort || !mayHedge({ plan, request }, { hedge })) return candidates;
  const { firstTokenMs } = modelTimeouts(first.entry, first.thinking, timeouts);
  const usualMs = usualFirstTokenMs(first, request, tokens, { latencies });
  const silentMs = hedgeAfterMs(usualMs, firstTokenMs);
  const remark = reason('asked_if_silent', { model: first.model, silentMs });
  return candidates.map((each) =>
    each === next ? { ...each, remarks: [...each.remarks, remark] } : each,
  );
}

/** The candidate without its catalogue entry. */
function shown(candidate: PlannedModel): Candidate {
  const { entry, ...rest } = candidate;
  return { ...rest, model: entry.id };
}
