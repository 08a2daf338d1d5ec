import { reason } from '#core/messages/reasons.ts';
import type { RouteFacts } from '#core/llm/route.ts';
import type { Category } from '#core/tools/tool.ts';
import type { RoleName } from '#models/roles.ts';
import type { Classified } from '../../classify/request-class.ts';
import { CJK_FROM, isChineseLocale } from '../../classify/facts.ts';
import { extractiveDisabled } from '../eligibility.ts';
import { openRouterEquivalents, type RoutingContext } from '../routing-context.ts';
import { toolKind } from '../tool-sets.ts';
import { roleCandidates, customServerModels } from './role-candidates.ts';
import { doesNotApply, applies, type Rule, type RuleCandidate } from './rule.ts';

export const intelligentSelection: Rule = {
  number: 13,
  id: 'category',
  when: 'intelligent selection is on (`ENABLE_INTELLIGENT_SELECTION`): by the tool’s category',
  route:
    'extended reasoning: `KIMI_QUALITY_MODEL` for Chinese, Japanese and Korean texts and the locale `zh`, else `GLM_QUALITY_MODEL`; otherwise `GLM_SPEED_MODEL`. For class `code` the tool’s affinity to Kimi or GLM comes first, and what comes by the gateway goes where extended reasoning does, unless `prefer` says otherwise',
  applies({ facts, routing, classified }) {
    if (routing.intelligentSelection === 'off') return doesNotApply(reason('selection_off'));
    const { tool, category } = facts;
    const code = isProgrammers(facts, classified) ? { reason: classified.reason } : {};
    return applies(reason('tool_category', { tool, category, ...code }));
  },
  candidates: (context) => roleCandidates(context, categoryRole(context)),
};

function categoryRole({ facts, classified }: RoutingContext): RoleName {
  const affinity = classified.class === 'code' ? facts.affinity : undefined;
  const isThorough = facts.category === 'extended_reasoning' || isProgrammers(facts, classified);
  if (!isThorough) return affinity === 'kimi' ? 'kimiSpeed' : 'glmSpeed';
  const isKimis = facts.cjkShare >= CJK_FROM || isChineseLocale(facts.locale);
  const family = affinity ?? (isKimis ? 'kimi' : 'glm');
  return family === 'kimi' ? 'kimiQuality' : 'glmQuality';
}

/** Gateway requests have no tool category; code means that they need more than a quick answer. */
function isProgrammers({ tool, prefer }: RouteFacts, classified: Classified): boolean {
  return toolKind(tool) === 'gateway' && classified.class === 'code' && prefer === undefined;
}

export const cjkText: Rule = {
  number: 14,
  id: 'cjk-text',
  when: 'the text is Chinese, Japanese or Korean',
  route: '`KIMI_DEFAULT_MODEL`',
  applies({ facts }) {
    const share = reason('cjk_share', { percent: Math.round(facts.cjkShare * 100) });
    return facts.cjkShare >= CJK_FROM ? applies(share) : doesNotApply(share);
  },
  candidates: (context) => roleCandidates(context, 'kimiDefault'),
};

export const speedOrCost: Rule = {
  number: 15,
  id: 'speed-or-cost',
  when: 'speed or cost matter most (`prefer`)',
  route: '`GLM_SPEED_MODEL`',
  applies: ({ facts }) =>
    facts.prefer
      ? applies(reason('preference', { prefer: facts.prefer }))
      : doesNotApply(reason('no_preference')),
  candidates: (context) => roleCandidates(context, 'glmSpeed'),
};

const KIMI: Readonly<Record<Category, readonly RoleName[]>> = {
  extended_reasoning: ['kimiQuality', 'kimiDefault', 'kimiSpeed'],
  balanced: ['kimiDefault', 'kimiSpeed', 'kimiQuality'],
  fast_response: ['kimiSpeed', 'kimiDefault', 'kimiQuality'],
};
const GLM: Readonly<Record<Category, readonly RoleName[]>> = {
  extended_reasoning: ['glmQuality', 'glmSpeed', 'vision'],
  balanced: ['glmQuality', 'glmSpeed', 'vision'],
  fast_response: ['glmSpeed', 'glmQuality', 'vision'],
};

export const anyAvailable: Rule = {
  number: 16,
  id: 'any-available',
  when: 'nothing else decided',
  route:
    'the first that can: Kimi, GLM, your own server, OpenRouter, and a quotation of what was given',
  applies: () => applies(reason('no_rule_before')),
  candidates(context) {
    const { facts, routing } = context;
    const roles = [...KIMI[facts.category], ...GLM[facts.category]].flatMap((role) =>
      roleCandidates(context, role),
    );
    const custom = customServerModels(context).map((model): RuleCandidate => ({
      model,
      choice: reason('own_server_answers'),
    }));
    const likes = roles.map(({ model }) => model);
    const routed = openRouterEquivalents(context, likes).map((model): RuleCandidate => ({
      model,
      choice: reason('provider_answers', { provider: 'openrouter' }),
    }));
    const others = [...(routing.fallbacks ?? [])].flatMap(([provider, models]) =>
      models.map((model): RuleCandidate => ({
        model,
        choice: reason('provider_answers', { provider }),
      })),
    );
    const extractive: RuleCandidate = {
      model: routing.extractiveModel,
      choice: reason('input_quoted'),
    };
    const isQuotable = extractiveDisabled(facts, routing) === undefined;
    return [...roles, ...custom, ...routed, ...others, ...(isQuotable ? [extractive] : [])];
  },
};
