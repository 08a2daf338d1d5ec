import type { RouteFacts } from '#core/llm/route.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RoleName } from '#models/roles.ts';
import { LONG_CONTEXT_TOKENS } from '../../classify/request-class.ts';
import { byShare } from '../eligibility.ts';
import type { RoutingContext } from '../routing-context.ts';
import { isChatLike, toolKind } from '../tool-sets.ts';
import { firstEligible, roleCandidates, withChoiceReason } from './role-candidates.ts';
import { applies, doesNotApply, type Rule, type RuleCandidate } from './rule.ts';

export const kimiTool: Rule = {
  number: 3,
  id: 'kimi-tool',
  when: 'the tool is one of Kimi’s own',
  route: '`KIMI_SPEED_MODEL`',
  applies: ({ facts }) =>
    toolKind(facts.tool) === 'kimi'
      ? applies(reason('kimi_tool', { tool: facts.tool }))
      : doesNotApply(reason('not_kimi_tool')),
  candidates: (context) => roleCandidates(context, 'kimiSpeed'),
};

export const longContext: Rule = {
  number: 4,
  id: 'long-context',
  when: 'more than 128k tokens',
  route: 'Kimi’s long context windows; if none holds all of it, the first model that does',
  applies({ facts }) {
    const length = reason('prompt_tokens', { tokens: facts.tokens });
    return facts.tokens > LONG_CONTEXT_TOKENS ? applies(length) : doesNotApply(length);
  },
  candidates(context) {
    const { category } = context.facts;
    const roles: readonly RoleName[] =
      category === 'extended_reasoning'
        ? ['kimiQuality', 'kimiDefault', 'kimiSpeed']
        : ['kimiDefault', 'kimiSpeed', 'kimiQuality'];
    const kimi = roles.flatMap((role) => roleCandidates(context, role));
    const able = kimi.filter((candidate) => isEligible(context, candidate));
    const holding = able.filter((candidate) => holdsAll(context, candidate));
    if (holding.length > 0 || able.length === 0) return [...holding, ...kimi];
    const shares = (candidate: RuleCandidate) => context.checkEligibility(candidate.model);
    const mostOfKimi = kimi.toSorted((a, b) => byShare(shares(a), shares(b)));
    const best = mostOfKimi.find((candidate) => able.includes(candidate));
    const others = (['glmQuality', 'glmSpeed'] as const)
      .flatMap((role) => roleCandidates(context, role))
      .filter(
        (candidate) =>
          best && isEligible(context, candidate) && byShare(shares(candidate), shares(best)) < 0,
      )
      .toSorted((a, b) => byShare(shares(a), shares(b)));
    const winners = withChoiceReason(others, (candidate) =>
      reason(holdsAll(context, candidate) ? 'window_holds_all' : 'window_holds_more'),
    );
    return [...winners, ...mostOfKimi];
  },
};

function isEligible({ checkEligibility }: RoutingContext, { model }: RuleCandidate): boolean {
  return checkEligibility(model).is === 'eligible';
}

function holdsAll({ checkEligibility }: RoutingContext, { model }: RuleCandidate): boolean {
  const verdict = checkEligibility(model);
  return verdict.is === 'eligible' && verdict.fits === 'whole';
}

export const mediaInput: Rule = {
  number: 6,
  id: 'pictures',
  when: 'pictures or videos come along',
  route: 'GLM’s vision model; Kimi’s while the thread is with Kimi',
  applies: ({ facts }) =>
    facts.images + facts.videos > 0
      ? applies(reason('has_media'))
      : doesNotApply(reason('no_media')),
  candidates(context) {
    const vision = roleCandidates(context, 'vision');
    if (context.locked?.model?.provider !== 'kimi') return vision;
    const kimi = (['kimiDefault', 'kimiQuality'] as const).flatMap((role) =>
      roleCandidates(context, role),
    );
    return [...withChoiceReason(kimi, () => reason('thread_with_kimi')), ...vision];
  },
};

export const webQuestion: Rule = {
  number: 7,
  id: 'web',
  when: 'class `web` on a tool like chat: `use_websearch: true`, or words that ask for what is new',
  route: 'GLM with its own search',
  applies({ facts, classified }) {
    if (!isChatLike(facts.tool)) return doesNotApply(reason('not_chat_tool', { tool: facts.tool }));
    return classified.class === 'web'
      ? applies(classified.reason)
      : doesNotApply(reason('no_news_requested'));
  },
  candidates(context) {
    const { facts, routing } = context;
    const roles: readonly RoleName[] =
      facts.category === 'extended_reasoning'
        ? ['glmQuality', 'glmSpeed']
        : ['glmSpeed', 'glmQuality'];
    return roles
      .flatMap((role) => roleCandidates(context, role))
      .filter(({ model }) => routing.canSearch(model))
      .map((candidate) => ({
        ...candidate,
        choice: reason('answers_with_search', { model: candidate.model.id }),
      }));
  },
};

export const agenticWork: Rule = {
  number: 8,
  id: 'agentic',
  when: 'class `agentic`: tools are given to the model, or an agent asks',
  route: '`GLM_QUALITY_MODEL`, thinking',
  applies({ facts }) {
    if (facts.tools > 0) return applies(reason('tools_given', { tools: facts.tools }));
    return toolKind(facts.tool) === 'agent'
      ? applies(reason('agent_request'))
      : doesNotApply(reason('no_tools_given'));
  },
  candidates: (context) => roleCandidates(context, 'glmQuality'),
};

/**
 * A slower first token counts as slow, and a model that takes less than half of it is worth a
 * change.
 */
const SLOW_MS = 10_000;
const MUCH_FASTER = 0.5;

/** File questions go to Kimi; up to 128k tokens GLM may win, with a reason. */
export const fileQuestion: Rule = {
  number: 5,
  id: 'file-question',
  when: 'class `file_qa`: a document, a scan, or two files and more',
  route:
    'Kimi; up to 128k tokens GLM where Kimi cannot be asked or is slow, or where speed or cost matter more. Scans stay with Kimi, who reads them',
  applies: ({ classified }) =>
    classified.class === 'file_qa'
      ? applies(classified.reason)
      : doesNotApply(reason('not_about_files')),
  candidates(context) {
    const { facts } = context;
    const kimi = kimiRoles(facts).flatMap((role) => roleCandidates(context, role));
    const glm = glmRoles(facts).flatMap((role) => roleCandidates(context, role));
    const why = glmWins(context, firstEligible(context, kimi), firstEligible(context, glm));
    return why === undefined ? kimi : [...withChoiceReason(glm, () => why), ...kimi];
  },
};

function kimiRoles({ category }: RouteFacts): readonly RoleName[] {
  return category === 'extended_reasoning'
    ? ['kimiQuality', 'kimiDefault']
    : ['kimiDefault', 'kimiQuality'];
}

function glmRoles({ prefer }: RouteFacts): readonly RoleName[] {
  return prefer ? ['glmSpeed', 'glmQuality'] : ['glmQuality', 'glmSpeed'];
}

/** Why GLM is preferred to Kimi; undefined when it is not. */
function glmWins(
  { facts, routing, checkEligibility }: RoutingContext,
  kimi: RuleCandidate | undefined,
  glm: RuleCandidate | undefined,
): Reason | undefined {
  if (!glm) return undefined;
  if (!kimi) return reason('kimi_unavailable');
  const [ofKimi, ofGlm] = [checkEligibility(kimi.model), checkEligibility(glm.model)];
  if (ofKimi.is !== 'eligible' || ofGlm.is !== 'eligible') return undefined;
  if (ofKimi.health === 'half_open' && ofGlm.health === 'closed') {
    return reason('kimi_recovering');
  }
  if (facts.files.scans > 0) return undefined;
  const kimiMs = routing.firstTokenMs(kimi.model);
  const glmMs = routing.firstTokenMs(glm.model);
  if (facts.prefer === 'speed') {
    const isSlower = kimiMs !== undefined && glmMs !== undefined && glmMs > kimiMs;
    return isSlower ? undefined : reason('speed_preferred');
  }
  if (facts.prefer === 'cost') {
    const [kimiCost, glmCost] = [ofKimi.maxCostMicroUsd, ofGlm.maxCostMicroUsd];
    const isCheaper = glmCost !== undefined && (kimiCost === undefined || glmCost < kimiCost);
    return isCheaper ? reason('costs_less') : undefined;
  }
  if (kimiMs === undefined || glmMs === undefined || kimiMs < SLOW_MS) return undefined;
  if (glmMs > kimiMs * MUCH_FASTER) return undefined;
  return reason('kimi_slow', { firstTokenMs: kimiMs });
}
