import { reason } from '#core/messages/reasons.ts';
import type { RoleName } from '#models/roles.ts';
import { byShare } from '../capable.ts';
import { LONG_CONTEXT_TOKENS } from '../classify.ts';
import { isChatLike, toolKind } from '../tool-sets.ts';
import { chosenFor, ofRole } from './of-role.ts';
import { no, yes, type Rule, type Situation, type Wanted } from './rule.ts';

export const kimiTool: Rule = {
  number: 3,
  id: 'kimi-tool',
  when: 'the tool is one of Kimi’s own',
  route: '`KIMI_SPEED_MODEL`',
  applies: ({ facts }) =>
    toolKind(facts.tool) === 'kimi'
      ? yes(reason('kimi_tool', { tool: facts.tool }))
      : no(reason('not_kimi_tool')),
  wants: (situation) => ofRole(situation, 'kimiSpeed'),
};

export const longContext: Rule = {
  number: 4,
  id: 'long-context',
  when: 'more than 128k tokens',
  route: 'Kimi’s long windows; where none of them holds all of it, first whoever does',
  applies({ facts }) {
    const length = reason('prompt_tokens', { tokens: facts.tokens });
    return facts.tokens > LONG_CONTEXT_TOKENS ? yes(length) : no(length);
  },
  wants(situation) {
    const { category } = situation.facts;
    const roles: readonly RoleName[] =
      category === 'extended_reasoning'
        ? ['kimiQuality', 'kimiDefault', 'kimiSpeed']
        : ['kimiDefault', 'kimiSpeed', 'kimiQuality'];
    const kimi = roles.flatMap((role) => ofRole(situation, role));
    const able = kimi.filter((wanted) => isAble(situation, wanted));
    const holding = able.filter((wanted) => holdsAll(situation, wanted));
    if (holding.length > 0 || able.length === 0) return [...holding, ...kimi];
    const shares = (wanted: Wanted) => situation.judge(wanted.model);
    const mostOfKimi = kimi.toSorted((a, b) => byShare(shares(a), shares(b)));
    const best = mostOfKimi.find((wanted) => able.includes(wanted));
    const others = (['glmQuality', 'glmSpeed'] as const)
      .flatMap((role) => ofRole(situation, role))
      .filter(
        (wanted) => best && isAble(situation, wanted) && byShare(shares(wanted), shares(best)) < 0,
      )
      .toSorted((a, b) => byShare(shares(a), shares(b)));
    const winners = chosenFor(others, (wanted) =>
      reason(holdsAll(situation, wanted) ? 'window_holds_all' : 'window_holds_more'),
    );
    return [...winners, ...mostOfKimi];
  },
};

function isAble({ judge }: Situation, { model }: Wanted): boolean {
  return judge(model).is === 'able';
}

function holdsAll({ judge }: Situation, { model }: Wanted): boolean {
  const verdict = judge(model);
  return verdict.is === 'able' && verdict.fits === 'whole';
}

export const mediaInput: Rule = {
  number: 6,
  id: 'pictures',
  when: 'pictures or videos come along',
  route: 'GLM’s vision model; Kimi’s while the thread is with Kimi',
  applies: ({ facts }) =>
    facts.images + facts.videos > 0 ? yes(reason('has_media')) : no(reason('no_media')),
  wants(situation) {
    const vision = ofRole(situation, 'vision');
    if (situation.locked?.model?.provider !== 'kimi') return vision;
    const kimi = (['kimiDefault', 'kimiQuality'] as const).flatMap((role) =>
      ofRole(situation, role),
    );
    return [...chosenFor(kimi, () => reason('thread_with_kimi')), ...vision];
  },
};

export const webQuestion: Rule = {
  number: 7,
  id: 'web',
  when: 'class `web` on a tool like chat: `use_websearch: true`, or words that ask for what is new',
  route: 'GLM with its own search',
  applies({ facts, classified }) {
    if (!isChatLike(facts.tool)) return no(reason('not_chat_tool', { tool: facts.tool }));
    return classified.class === 'web' ? yes(classified.reason) : no(reason('no_news_requested'));
  },
  wants(situation) {
    const { facts, world } = situation;
    const roles: readonly RoleName[] =
      facts.category === 'extended_reasoning'
        ? ['glmQuality', 'glmSpeed']
        : ['glmSpeed', 'glmQuality'];
    return roles
      .flatMap((role) => ofRole(situation, role))
      .filter(({ model }) => world.canSearch(model) === 'yes')
      .map((wanted) => ({
        ...wanted,
        choice: reason('answers_with_search', { model: wanted.model.id }),
      }));
  },
};

export const agenticWork: Rule = {
  number: 8,
  id: 'agentic',
  when: 'class `agentic`: tools are given to the model, or an agent asks',
  route: '`GLM_QUALITY_MODEL`, thinking',
  applies({ facts }) {
    if (facts.tools > 0) return yes(reason('tools_given', { tools: facts.tools }));
    return toolKind(facts.tool) === 'agent'
      ? yes(reason('agent_request'))
      : no(reason('no_tools_given'));
  },
  wants: (situation) => ofRole(situation, 'glmQuality'),
};
