import { reason } from '#core/messages/reasons.ts';
import type { RouteFacts } from '#core/route.ts';
import type { Category } from '#core/tool.ts';
import type { RoleName } from '#models/roles.ts';
import type { Classified } from '../classify.ts';
import { CJK_FROM, isChineseLocale } from '../language.ts';
import { quotationUnwanted } from '../last-resort.ts';
import { routedLike } from '../routed-like.ts';
import { toolKind } from '../tool-sets.ts';
import { ofRole, ofServer } from './of-role.ts';
import { no, yes, type Rule, type Situation, type Wanted } from './rule.ts';

export const intelligentSelection: Rule = {
  number: 13,
  id: 'category',
  when: 'intelligent selection is on (`ENABLE_INTELLIGENT_SELECTION`): by the tool’s category',
  route:
    'extended reasoning: `KIMI_QUALITY_MODEL` for Chinese, Japanese and Korean texts and the locale `zh`, else `GLM_QUALITY_MODEL`; otherwise `GLM_SPEED_MODEL`. For class `code` the tool’s affinity to Kimi or GLM comes first, and what comes by the gateway goes where extended reasoning does, unless `prefer` says otherwise',
  applies({ facts, world, classified }) {
    if (world.intelligentSelection === 'off') return no(reason('selection_off'));
    const { tool, category } = facts;
    const code = isProgrammers(facts, classified) ? { reason: classified.reason } : {};
    return yes(reason('tool_category', { tool, category, ...code }));
  },
  wants: (situation) => ofRole(situation, categoryRole(situation)),
};

function categoryRole({ facts, classified }: Situation): RoleName {
  const affinity = classified.class === 'code' ? facts.affinity : undefined;
  const isThorough = facts.category === 'extended_reasoning' || isProgrammers(facts, classified);
  if (!isThorough) return affinity === 'kimi' ? 'kimiSpeed' : 'glmSpeed';
  const isKimis = facts.cjkShare >= CJK_FROM || isChineseLocale(facts.locale);
  const family = affinity ?? (isKimis ? 'kimi' : 'glm');
  return family === 'kimi' ? 'kimiQuality' : 'glmQuality';
}

/** A client of the gateway says nothing of what it is for; code tells that a quick answer alone will not do. */
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
    return facts.cjkShare >= CJK_FROM ? yes(share) : no(share);
  },
  wants: (situation) => ofRole(situation, 'kimiDefault'),
};

export const speedOrCost: Rule = {
  number: 15,
  id: 'speed-or-cost',
  when: 'speed or cost matter most (`prefer`)',
  route: '`GLM_SPEED_MODEL`',
  applies: ({ facts }) =>
    facts.prefer
      ? yes(reason('preference', { prefer: facts.prefer }))
      : no(reason('no_preference')),
  wants: (situation) => ofRole(situation, 'glmSpeed'),
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

export const whoeverCan: Rule = {
  number: 16,
  id: 'whoever-can',
  when: 'nothing else decided',
  route:
    'the first that can: Kimi, GLM, your own server, OpenRouter, and a quotation of what was given',
  applies: () => yes(reason('no_rule_before')),
  wants(situation) {
    const { facts, world } = situation;
    const roles = [...KIMI[facts.category], ...GLM[facts.category]].flatMap((role) =>
      ofRole(situation, role),
    );
    const custom = ofServer(situation).map((model): Wanted => ({
      model,
      choice: reason('own_server_answers'),
    }));
    const likes = roles.map(({ model }) => model);
    const routed = routedLike(situation, likes).map((model): Wanted => ({
      model,
      choice: reason('provider_answers', { provider: 'openrouter' }),
    }));
    const others = [...(world.fallbacks ?? [])].flatMap(([provider, models]) =>
      models.map((model): Wanted => ({ model, choice: reason('provider_answers', { provider }) })),
    );
    const local: Wanted = { model: world.local, choice: reason('input_quoted') };
    const isQuotable = quotationUnwanted(facts, world) === undefined;
    return [...roles, ...custom, ...routed, ...others, ...(isQuotable ? [local] : [])];
  },
};
